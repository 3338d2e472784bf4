import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { AgentMenu } from './AgentMenu'
import type { Problem } from './problems/problem'
import type { Editor } from './useEditor'

type Props = {
  name: string
  agentId: string
  version: number
  editor: Editor
  problems: readonly Problem[]
  isSaving: boolean
  readOnly: boolean
  onAdd: () => void
  onSave: () => void
  onSaveNote: () => void
  onAbout: () => void
  onVersions: () => void
  onRun: () => void
}

export function Toolbar({ name, agentId, version, editor, problems, isSaving, readOnly, ...on }: Props) {
  return (
    <header className="builder-bar">
      <h1 className="clip">
        <Link to="/library/agents/$agentId" params={{ agentId }}>
          {name || say('common.untitledAgent')}
        </Link>
      </h1>
      <span className="quiet small builder-version">
        {say(editor.isDirty ? 'builder.versionUnsaved' : 'builder.version', { version })}
      </span>
      <span className="end" />
      <div className="row builder-edit">
        {!readOnly && (
          <>
            <Button
              look="ghost"
              icon="undo"
              aria-label={say('builder.undo')}
              disabled={!editor.canUndo}
              onClick={editor.undo}
            />
            <Button
              look="ghost"
              icon="redo"
              aria-label={say('builder.redo')}
              disabled={!editor.canRedo}
              onClick={editor.redo}
            />
            <Button look="plain" icon="plus" onClick={on.onAdd}>
              {say('builder.addBlock')}
            </Button>
          </>
        )}
        <Button look="plain" icon="clock" onClick={on.onVersions}>
          {say('versions.title')}
        </Button>
        {!readOnly && (
          <SaveButtons isDirty={editor.isDirty} isSaving={isSaving} problems={problems} {...on} />
        )}
        <AgentMenu
          agentId={agentId}
          version={version}
          isDirty={editor.isDirty}
          onAbout={readOnly ? null : on.onAbout}
        />
      </div>
      <Button icon="play" onClick={on.onRun}>
        {say('builder.run')}
      </Button>
    </header>
  )
}

type SaveProps = {
  isDirty: boolean
  isSaving: boolean
  problems: readonly Problem[]
  onSave: () => void
  onSaveNote: () => void
}

function SaveButtons({ isDirty, isSaving, problems, onSave, onSaveNote }: SaveProps) {
  const blocking = problems.find((problem) => problem.blocks === 'save')
  const off = !isDirty || blocking !== undefined
  const why = blocking && say('canvas.save_blocked', { message: blocking.message })
  return (
    <span className="row save-both">
      <Button look="plain" writes busy={isSaving} disabled={off} title={why} onClick={onSave}>
        {say('versions.save')}
      </Button>
      <Button
        look="plain"
        icon="edit"
        aria-label={say('versions.saveNote')}
        title={why ?? say('versions.saveNote')}
        writes
        disabled={isSaving || off}
        onClick={onSaveNote}
      />
    </span>
  )
}
