import { ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { useMemo, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { type LiveRun, useLiveRun } from '@/features/runs/useRun'
import { useHotkey } from '@/kit/useHotkey'
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
import { RunPanel, RunResult } from './RunPanel'
import { Toolbar } from './Toolbar'
import { useDraft } from './useDraft'
import { type Editor, useEditor } from './useEditor'
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
  const drawn = useMemo(() => placed(agent, blocks), [agent, blocks])
  const editor = useEditor(drawn)
  const saving = useSaving(agent, editor)
  const draft = useDraft(agent.id, saving.version, editor)
  const write = useWrite()
  const [selected, setSelected] = useState<string | null>(null)
  const [panel, setPanel] = useState<'run' | 'node'>(run === null ? 'node' : 'run')
  const [adding, setAdding] = useState(false)
  const add = useAdd(editor, (id) => {
    setSelected(id)
    setPanel('node')
  })
  const chosen = nodesOf(editor.graph).find((node) => node.id === selected)
  const save = () => void saving.save()
  const takeUp = (offered: Draft) => {
    saving.rebase(offered.version)
    draft.takeUp(offered)
  }
  const live = useLiveRun(run)
  const statuses = useStatuses(live.log.steps)

  useHotkey({ key: 'z', mod: true, shift: false, whileTyping: false }, editor.undo)
  useHotkey({ key: 'z', mod: true, shift: true, whileTyping: false }, editor.redo)
  useHotkey({ key: 's', mod: true }, () => write(save))
  useHotkey({ key: '/' }, () => setAdding(true))

  return (
    <div className="builder">
      <Toolbar
        name={agent.name}
        agentId={agent.id}
        version={saving.version}
        editor={editor}
        isSaving={saving.isSaving}
        onAdd={() => setAdding(true)}
        onSave={save}
        onRun={() => setPanel('run')}
      />
      <div className="builder-canvas">
        <Canvas
          editor={editor}
          blocks={blocks}
          statuses={statuses}
          readOnly={false}
          selected={selected}
          onSelect={(node) => {
            setSelected(node)
            if (node !== null) setPanel('node')
          }}
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
            blocks={blocks}
            readOnly={false}
            onBack={() => setSelected(null)}
          />
        )}
        {panel === 'node' && !chosen && <Outline editor={editor} blocks={blocks} onPick={setSelected} />}
      </aside>
      {adding && <BlockMenu blocks={blocks} onPick={add} onClose={() => setAdding(false)} />}
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

/** The status of each node's last step in the run that is looked at. */
function useStatuses(steps: LiveRun['log']['steps']): ReadonlyMap<string, string> {
  return useMemo(() => new Map(Object.values(steps).map((step) => [step.node_id, step.status])), [steps])
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
