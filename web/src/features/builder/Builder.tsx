import { ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { Versions } from '@/features/agents/Versions'
import { say } from '@/kit/say'
import { useHotkey } from '@/kit/useHotkey'
import { Button } from '@/ui/Button'
import { useWrite } from '@/ui/writes'
import { BlockMenu } from './BlockMenu'
import './builder.css'
import { Canvas } from './Canvas'
import { ConflictDialog } from './ConflictDialog'
import { DraftOffer } from './DraftOffer'
import { addNode, freshId, nodesOf } from './document'
import type { Draft } from './draft'
import { laidOut } from './layout'
import { NodePanel } from './NodePanel'
import { type Block, drawnPins, heightOf } from './pins'
import { FollowedRun } from './run/live'
import { NodeSide } from './run/NodeSide'
import { RunDrawer } from './run/RunDrawer'
import { StepInspector } from './run/StepInspector'
import { useStepOf } from './run/useStepOf'
import { Toolbar } from './Toolbar'
import { useDraft } from './useDraft'
import { type Editor, useEditor } from './useEditor'
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

function Workbench({ agent, blocks, pinned, run, step, ...on }: Props) {
  const drawn = useMemo(() => placed(agent, blocks), [agent, blocks])
  const editor = useEditor(drawn)
  const readOnly = pinned !== null
  const saving = useSaving(agent, editor, { onSaved: run === null ? undefined : on.onLatest, ...on })
  const draft = useDraft(agent.id, saving.version, editor, !readOnly)
  const write = useWrite()
  const [selected, setSelected] = useState<string | null>(null)
  const [panel, setPanel] = useState<Panel>(run === null ? 'node' : 'run')
  const [asking, ask] = useState<'block' | 'note' | null>(null)
  const add = useAdd(editor, (id) => {
    setSelected(id)
    setPanel('node')
  })
  const chosen = nodesOf(editor.graph).find((node) => node.id === selected)
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

  useHotkey({ key: 'z', mod: true, shift: false, whileTyping: false }, editor.undo)
  useHotkey({ key: 'z', mod: true, shift: true, whileTyping: false }, editor.redo)
  useHotkey({ key: 's', mod: true }, () => !readOnly && write(save))
  useHotkey({ key: '/' }, () => !readOnly && ask('block'))

  return (
    <div className="builder">
      <Toolbar
        name={agent.name}
        agentId={agent.id}
        version={readOnly ? agent.version : saving.version}
        editor={editor}
        isSaving={saving.isSaving}
        readOnly={readOnly}
        onAdd={() => ask('block')}
        onSave={() => save()}
        onSaveNote={() => ask('note')}
        onVersions={() => setPanel('versions')}
        onRun={() => setPanel('run')}
      />
      {pinned !== null && <ReadOnlyBanner agent={agent} because={pinned} {...on} />}
      <div className="builder-canvas">
        <Canvas
          editor={editor}
          blocks={blocks}
          readOnly={readOnly}
          selected={selected}
          onSelect={(node) => {
            setSelected(node)
            if (node !== null && node !== selected) setPanel('node')
            if (node !== selected && step !== null) on.onStep(null)
          }}
        />
      </div>
      <aside className="builder-panel" aria-label="Details">
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
            result={(runId) => (
              <StepInspector
                runId={runId}
                nodeId={chosen.id}
                title={chosen.name || blocks.get(chosen.block)?.name || chosen.id}
                step={step}
                onStep={on.onStep}
                onBack={() => setSelected(null)}
              />
            )}
          >
            <NodePanel
              editor={editor}
              node={chosen}
              blocks={blocks}
              readOnly={readOnly}
              onBack={() => setSelected(null)}
            />
          </NodeSide>
        )}
        {panel === 'node' && !chosen && <Outline editor={editor} blocks={blocks} onPick={setSelected} />}
      </aside>
      {asking === 'block' && <BlockMenu blocks={blocks} onPick={add} onClose={() => ask(null)} />}
      {asking === 'note' && (
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
  )
}

function placed(agent: Schemas['AgentDetail'], blocks: ReadonlyMap<string, Block>) {
  const heights = new Map(
    nodesOf(agent.graph).map((node) => [
      node.id,
      heightOf(drawnPins(agent.graph, node, blocks.get(node.block))),
    ]),
  )
  return laidOut(agent.graph, (id) => heights.get(id) ?? 80)
}

/** Put a block in the middle of what is seen of the canvas. */
function useAdd(editor: Editor, onAdded: (id: string) => void) {
  const flow = useReactFlow()
  return (block: Block) => {
    const frame = document.querySelector('.builder-canvas')?.getBoundingClientRect()
    const { x, y } = flow.screenToFlowPosition({
      x: (frame?.left ?? 0) + (frame?.width ?? 600) / 2,
      y: (frame?.top ?? 0) + (frame?.height ?? 400) / 2,
    })
    const id = freshId(editor.graph, block.name)
    editor.change((graph) =>
      addNode(graph, { id, block: block.id, position: [Math.round(x), Math.round(y)] }),
    )
    onAdded(id)
  }
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

type OutlineProps = {
  editor: Editor
  blocks: ReadonlyMap<string, Block>
  onPick: (id: string) => void
}

/** The blocks as a list: the canvas for those who do not point. */
function Outline({ editor, blocks, onPick }: OutlineProps) {
  const nodes = nodesOf(editor.graph).toSorted((a, b) => (a.position?.[0] ?? 0) - (b.position?.[0] ?? 0))
  return (
    <section className="stack tight" aria-label="Blocks of this agent">
      <h2>Blocks</h2>
      {nodes.length === 0 && <p className="quiet">Add a first block with the button above, or press /.</p>}
      <ul className="outline">
        {nodes.map((node) => (
          <li key={node.id}>
            <button type="button" className="fold wraps-anywhere" onClick={() => onPick(node.id)}>
              {node.name || blocks.get(node.block)?.name || node.id}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
