import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import type { Problem } from './problems/problem'
import type { Editor } from './useEditor'

type Props = {
  name: string
  agentId: string
  version: number
  editor: Editor
  problems: readonly Problem[]
  isSaving: boolean
  onAdd: () => void
  onSave: () => void
  onRun: () => void
}

export function Toolbar({ name, agentId, version, editor, problems, isSaving, onAdd, onSave, onRun }: Props) {
  const blocking = problems.find((problem) => problem.blocks === 'save')
  return (
    <header className="builder-bar">
      <h1 className="clip">
        <Link to="/library/agents/$agentId" params={{ agentId }}>
          {name || 'Untitled agent'}
        </Link>
      </h1>
      <span className="quiet small builder-version">
        version {version}
        {editor.isDirty && ', not saved'}
      </span>
      <span className="end" />
      <div className="row builder-edit">
        <Button look="ghost" icon="undo" aria-label="Undo" disabled={!editor.canUndo} onClick={editor.undo} />
        <Button look="ghost" icon="redo" aria-label="Redo" disabled={!editor.canRedo} onClick={editor.redo} />
        <Button look="plain" icon="plus" onClick={onAdd}>
          Block
        </Button>
        <Button
          look="plain"
          writes
          busy={isSaving}
          disabled={!editor.isDirty || blocking !== undefined}
          title={blocking && say('canvas.save_blocked', { message: blocking.message })}
          onClick={onSave}
        >
          Save
        </Button>
      </div>
      <Button icon="play" onClick={onRun}>
        Run
      </Button>
    </header>
  )
}
