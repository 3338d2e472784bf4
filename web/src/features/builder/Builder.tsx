import { ReactFlowProvider } from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { Versions } from '@/features/agents/Versions'
import { StepActions } from '@/features/runs/StepActions'
import { say } from '@/kit/say'
import { useHotkey } from '@/kit/useHotkey'
import { useStable } from '@/kit/useStable'
import { Button } from '@/ui/Button'
import { useWrite } from '@/ui/writes'
import './builder.css'
import { AboutAgent } from './AboutAgent'
import { placed } from './boxes'
import { ConflictDialog } from './ConflictDialog'
import { Board, BoardContext } from './canvas/board'
import { Canvas } from './canvas/Canvas'
import { titleOf } from './canvas/drawing'
import { NodeFinder } from './canvas/NodeFinder'
import { useAdding, type Wanted } from './canvas/useAdding'
import { useClipboard } from './canvas/useClipboard'
import { DraftOffer } from './DraftOffer'
import { nodeById } from './document'
import type { Draft } from './draft'
import { useFaces } from './faces'
import { BlockMenu } from './menu/BlockMenu'
import type { Aim } from './node/focus'
import { NodePanel } from './node/NodePanel'
import { Outline } from './outline/Outline'
import type { Block } from './pins'
import { ProblemList } from './problems/ProblemList'
import { marksOf } from './problems/problem'
import { useProblems } from './problems/useProblems'
import { FollowedRun } from './run/live'
import { NodeSide } from './run/NodeSide'
import { RunDrawer } from './run/RunDrawer'
import { StepInspector } from './run/StepInspector'
import { useStepOf } from './run/useStepOf'
import { Toolbar } from './Toolbar'
import { useDraft } from './useDraft'
import { useEditor } from './useEditor'
import { useSaveKey } from './useSaveKey'
import { useSaving } from './useSaving'
import { difference } from './versions/difference'
import { ReadOnlyBanner } from './versions/ReadOnlyBanner'
import { SaveNote } from './versions/SaveNote'

type Props = {
  agent: Schemas['AgentDetail']
  blocks: ReadonlyMap<string, Block>
  /** Why this version can only be looked at; null when it can be changed. */
  pinned: 'version' | 'run' | null
  run: string | null
  step: number | null
  onRun: (run_id: string) => void
  onStep: (step_id: number | null) => void
  onLatest: () => void
  onCopied: (agent_id: string) => void
  /** Begin again with what the server has. */
  onReload: () => void
}

export function Builder(props: Props) {
  return (
    <ReactFlowProvider>
      <FollowedRun runId={props.run}>
        <Workbench {...props} />
      </FollowedRun>
    </ReactFlowProvider>
  )
}

type Panel = 'run' | 'node' | 'versions'
type Asked = { for: 'block'; wanted: Wanted } | { for: 'about' | 'find' | 'note' }

function Workbench({ agent, blocks, pinned, run, step, ...on }: Props) {
  const drawn = useMemo(() => placed(agent.graph, (node) => blocks.get(node.block)), [agent, blocks])
  const editor = useEditor(drawn)
  const faces = useFaces(editor.graph, blocks)
  const problems = useProblems(editor.graph, faces)
  const readOnly = pinned !== null
  const saving = useSaving(agent, editor, { onSaved: run === null ? undefined : on.onLatest, ...on })
  const draft = useDraft(agent.id, saving.version, editor, !readOnly)
  const write = useWrite()
  const [board] = useState(() => new Board())
  const [selected, setSelected] = useState<string | null>(null)
  const [aim, setAim] = useState<Aim | null>(null)
  const [panel, setPanel] = useState<Panel>(run === null ? 'node' : 'run')
  const [asking, ask] = useState<Asked | null>(null)
  const arrived = useCallback(() => setAim(null), [])
  // Whoever is led to a field must see it, whatever is open beside the canvas and whichever block is chosen already.
  const pick = useStable((id: string | null, field: string | null = null, link: string | null = null) => {
    const isOther = id !== selected
    setSelected(id)
    if (field !== null) setAim({ field, link })
    else if (isOther) setAim(null)
    if (id !== null && (isOther || field !== null)) setPanel('node')
    if (isOther && step !== null) on.onStep(null)
  })
  const add = useAdding(editor, faces, pick)
  const chosen = nodeById(editor.graph, selected)
  const named = (id: string) => {
    const node = nodeById(editor.graph, id)
    return node ? titleOf(node, faces(node)) : id
  }
  const save = (note?: string) => void saving.save(note)
  const takeUp = (offered: Draft) => {
    saving.rebase(offered.version)
    draft.takeUp(offered)
  }
  useNewer(agent.active_version, readOnly || editor.isDirty ? null : saving.version, on.onReload)
  useStepOf(run, step, (node) => {
    setSelected(node)
    setPanel('node')
  })

  useEffect(() => board.marks.become(marksOf(problems)), [board, problems])
  useClipboard(board, editor, blocks, readOnly)
  useHotkey({ key: 'z', mod: true, shift: false, whileTyping: false }, editor.undo)
  useHotkey({ key: 'z', mod: true, shift: true, whileTyping: false }, editor.redo)
  useSaveKey(() => !readOnly && write(save))
  useHotkey({ key: '/' }, () => !readOnly && ask({ for: 'block', wanted: null }))
  useHotkey({ key: 'f', mod: true }, () => ask({ for: 'find' }))

  return (
    <BoardContext value={board}>
      <div className="builder">
        <Toolbar
          name={editor.graph.name ?? ''}
          agentId={agent.id}
          version={readOnly ? agent.version : saving.version}
          editor={editor}
          problems={problems}
          isSaving={saving.isSaving}
          onAdd={() => ask({ for: 'block', wanted: null })}
          readOnly={readOnly}
          onSave={() => save()}
          onSaveNote={() => ask({ for: 'note' })}
          onAbout={() => ask({ for: 'about' })}
          onVersions={() => setPanel('versions')}
          onRun={() => setPanel('run')}
        />
        {pinned !== null && <ReadOnlyBanner agent={agent} because={pinned} {...on} />}
        <div className="builder-canvas">
          <Canvas
            editor={editor}
            faces={faces}
            readOnly={readOnly}
            selected={selected}
            onSelect={pick}
            onDropped={(origin, { x, y }) => ask({ for: 'block', wanted: { origin, at: [x, y] } })}
            onFind={() => ask({ for: 'find' })}
          />
        </div>
        {/* `nokey`: Delete in the panel is the panel's, not for what is chosen on the canvas. */}
        <aside className="builder-panel nokey" aria-label={say('builder.details')}>
          {draft.offered !== null && (
            <DraftOffer
              draft={draft.offered}
              current={agent.active_version}
              onTakeUp={() => draft.offered !== null && takeUp(draft.offered)}
              onDrop={draft.drop}
            />
          )}
          {panel !== 'node' && (
            <Button tiny look="ghost" icon="left" onClick={() => setPanel('node')}>
              {say('live.back')}
            </Button>
          )}
          {panel === 'run' && (
            <RunDrawer
              agent={agent}
              runId={run}
              isDirty={editor.isDirty}
              onSave={() => save()}
              onStarted={on.onRun}
            />
          )}
          {panel === 'versions' && <Versions agent={agent} />}
          {panel === 'node' && chosen && (
            <NodeSide
              key={`${chosen.id} ${run}`}
              run={run}
              aim={aim}
              result={(runId) => (
                <StepInspector
                  runId={runId}
                  nodeId={chosen.id}
                  title={named(chosen.id)}
                  step={step}
                  onStep={on.onStep}
                  onBack={() => pick(null)}
                  actions={(shown) => (
                    <StepActions runId={runId} step={shown} titleOf={named} onStarted={on.onRun} />
                  )}
                />
              )}
            >
              <NodePanel
                editor={editor}
                node={chosen}
                faces={faces}
                problems={problems}
                readOnly={readOnly}
                aim={aim}
                onArrived={arrived}
                onBack={() => pick(null)}
              />
            </NodeSide>
          )}
          {panel === 'node' && !chosen && (
            <>
              <ProblemList
                problems={problems}
                titles={(id) => (nodeById(editor.graph, id) ? named(id) : null)}
                onGo={({ nodeId, field, link }) => pick(nodeId, field, link)}
              />
              <Outline editor={editor} faces={faces} readOnly={readOnly} onPick={pick} />
            </>
          )}
        </aside>
        {asking?.for === 'block' && (
          <BlockMenu
            blocks={blocks}
            agentId={agent.id}
            origin={asking.wanted?.origin ?? null}
            onPick={(offer) => add(offer, asking.wanted)}
            onClose={() => ask(null)}
          />
        )}
        {asking?.for === 'find' && (
          <NodeFinder graph={editor.graph} faces={faces} onPick={pick} onClose={() => ask(null)} />
        )}
        {asking?.for === 'about' && <AboutAgent editor={editor} onClose={() => ask(null)} />}
        {asking?.for === 'note' && (
          <SaveNote
            onClose={() => ask(null)}
            onSave={(note) => {
              ask(null)
              save(note)
            }}
          />
        )}
        {saving.conflict !== null && (
          <ConflictDialog
            {...saving.conflict}
            mine={difference(drawn, editor.graph)}
            busy={saving.isSaving}
            onMine={() => void saving.saveMine()}
            onTheirs={on.onReload}
            onCopy={() => void saving.saveCopy()}
            onClose={saving.closeConflict}
          />
        )}
      </div>
    </BoardContext>
  )
}

/** Another version came into use, by the list of versions: begin again with it when nothing can be lost. */
function useNewer(active: number, shown: number | null, onReload: () => void): void {
  const latest = useRef({ shown, onReload })
  latest.current = { shown, onReload }
  useEffect(() => {
    const { shown, onReload } = latest.current
    if (shown !== null && active !== shown) onReload()
  }, [active])
}
