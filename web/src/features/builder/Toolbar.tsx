import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import type { Editor } from './useEditor'

type Props = {
  name: string
  agentId: string
  version: number
  editor: Editor
  isSaving: boolean
  readOnly: boolean
  onAdd: () => void
  onSave: () => void
  onSaveNote: () => void
  onVersions: () => void
  onRun: () => void
}

export function Toolbar({ name, agentId, version, editor, isSaving, readOnly, ...on }: Props) {
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
        {!readOnly && (
          <>
            <Button
              look="ghost"
              icon="undo"
              aria-label="Undo"
              disabled={!editor.canUndo}
              onClick={editor.undo}
            />
            <Button
              look="ghost"
              icon="redo"
              aria-label="Redo"
              disabled={!editor.canRedo}
              onClick={editor.redo}
            />
            <Button look="plain" icon="plus" onClick={on.onAdd}>
              Block
            </Button>
          </>
        )}
        <Button look="plain" icon="clock" onClick={on.onVersions}>
          {say('versions.title')}
        </Button>
        {!readOnly && (
          <span className="row save-both">
            <Button look="plain" writes busy={isSaving} disabled={!editor.isDirty} onClick={on.onSave}>
              {say('versions.save')}
            </Button>
            <Button
              look="plain"
              icon="edit"
              aria-label={say('versions.noteButton')}
              title={say('versions.saveNote')}
              writes
              disabled={isSaving || !editor.isDirty}
              onClick={on.onSaveNote}
            />
          </span>
        )}
      </div>
      <Button icon="play" onClick={on.onRun}>
        Run
      </Button>
    </header>
  )
}
