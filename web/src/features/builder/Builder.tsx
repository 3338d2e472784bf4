import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useMemo, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { type LiveRun, useLiveRun } from '@/features/runs/useRun'
import { useHotkey } from '@/kit/useHotkey'
import { useWrite } from '@/ui/writes'
import './builder.css'
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
import { NodePanel } from './node/NodePanel'
import { Outline } from './outline/Outline'
import type { Block } from './pins'
import { ProblemList } from './problems/ProblemList'
import { marksOf } from './problems/problem'
import { useProblems } from './problems/useProblems'
import { RunPanel, RunResult } from './RunPanel'
import { Toolbar } from './Toolbar'
import { useDraft } from './useDraft'
import { useEditor } from './useEditor'
import { useSaving } from './useSaving'

type Props = {
  agent: Schemas['AgentDetail']
  blocks: ReadonlyMap<string, Block>
  run: string | null
  onRun: (run_id: string) => void
  /** Begin again with what the server has. */
  onReload: () => void
}

export function Builder(props: Props) {
  return (
    <ReactFlowProvider>
      <Workbench {...props} />
    </ReactFlowProvider>
  )
}

function Workbench({ agent, blocks, run, onRun, onReload }: Props) {
  const drawn = useMemo(() => placed(agent.graph, (node) => blocks.get(node.block)), [agent, blocks])
  const editor = useEditor(drawn)
  const faces = useFaces(editor.graph, blocks)
  const problems = useProblems(editor.graph, faces)
  const saving = useSaving(agent, editor)
  const draft = useDraft(agent.id, saving.version, editor)
  const write = useWrite()
  const [board] = useState(() => new Board())
  const [selected, setSelected] = useState<string | null>(null)
  const [field, setField] = useState<string | null>(null)
  const [panel, setPanel] = useState<'run' | 'node'>(run === null ? 'node' : 'run')
  const [asking, ask] = useState<{ for: 'block'; wanted: Wanted } | { for: 'find' } | null>(null)
  const pick = (id: string | null, at: string | null = null) => {
    setSelected(id)
    setField(at)
    if (id !== null) setPanel('node')
  }
  const add = useAdding(editor, faces, pick)
  const chosen = nodeById(editor.graph, selected)
  const save = () => void saving.save()
  const takeUp = (offered: Draft) => {
    saving.rebase(offered.version)
    draft.takeUp(offered)
  }
  const live = useLiveRun(run)
  const statuses = useStatuses(live.log.steps)

  useEffect(() => board.statuses.become(statuses), [board, statuses])
  useEffect(() => board.marks.become(marksOf(problems)), [board, problems])
  useClipboard(board, editor, blocks, false)
  useHotkey({ key: 'z', mod: true, shift: false, whileTyping: false }, editor.undo)
  useHotkey({ key: 'z', mod: true, shift: true, whileTyping: false }, editor.redo)
  useHotkey({ key: 's', mod: true }, () => write(save))
  useHotkey({ key: '/' }, () => ask({ for: 'block', wanted: null }))
  useHotkey({ key: 'f', mod: true }, () => ask({ for: 'find' }))

  return (
    <BoardContext value={board}>
      <div className="builder">
        <Toolbar
          name={agent.name}
          agentId={agent.id}
          version={saving.version}
          editor={editor}
          problems={problems}
          isSaving={saving.isSaving}
          onAdd={() => ask({ for: 'block', wanted: null })}
          onSave={save}
          onRun={() => setPanel('run')}
        />
        <div className="builder-canvas">
          <Canvas
            editor={editor}
            faces={faces}
            readOnly={false}
            selected={selected}
            onSelect={pick}
            onDropped={(origin, { x, y }) => ask({ for: 'block', wanted: { origin, at: [x, y] } })}
            onFind={() => ask({ for: 'find' })}
          />
        </div>
        <aside className="builder-panel" aria-label="Details">
          {draft.offered !== null && (
            <DraftOffer
              draft={draft.offered}
              current={agent.newest_version}
              onTakeUp={() => draft.offered !== null && takeUp(draft.offered)}
              onDrop={draft.drop}
            />
          )}
          {panel === 'run' && (
            <RunPanel agent={agent} isDirty={editor.isDirty} onSave={save} onStarted={onRun}>
              {run !== null && <RunResult runId={run} live={live} />}
            </RunPanel>
          )}
          {panel === 'node' && chosen && (
            <NodePanel
              key={chosen.id}
              editor={editor}
              node={chosen}
              faces={faces}
              problems={problems}
              readOnly={false}
              field={field}
              onBack={() => pick(null)}
            />
          )}
          {panel === 'node' && !chosen && (
            <>
              <ProblemList
                problems={problems}
                titles={(id) => {
                  const node = nodeById(editor.graph, id)
                  return node ? titleOf(node, faces(node)) : null
                }}
                onGo={({ nodeId, field: at }) => pick(nodeId, at)}
              />
              <Outline editor={editor} faces={faces} readOnly={false} onPick={pick} />
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
        {saving.conflict !== null && (
          <ConflictDialog
            {...saving.conflict}
            busy={saving.isSaving}
            onMine={() => void saving.saveMine()}
            onTheirs={onReload}
            onClose={saving.closeConflict}
          />
        )}
      </div>
    </BoardContext>
  )
}

/** The status of each node's last step in the run that is looked at. */
function useStatuses(steps: LiveRun['log']['steps']): ReadonlyMap<string, string> {
  return useMemo(() => new Map(Object.values(steps).map((step) => [step.node_id, step.status])), [steps])
}
