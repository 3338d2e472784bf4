import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { fields } from '@/kit/json'
import { say, sayCount } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { useImportAgent } from './queries'

/** Take an agent in from a file, and say how much of it works here. Nothing runs. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const take = useImportAgent()
  const [unread, setUnread] = useState<string | undefined>()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const file = new FormData(event.currentTarget).get('file')
    if (!(file instanceof File)) return
    try {
      const document = fields(JSON.parse(await file.text())) as Schemas['ImportIn']['document']
      setUnread(undefined)
      take.mutate(document)
    } catch {
      setUnread(say('agents.importUnread')) // the file itself is shown to nobody
    }
  }

  return (
    <Dialog title={say('agents.importTitle')} onClose={onClose}>
      {take.data ? (
        <Report made={take.data} onClose={onClose} />
      ) : (
        <form className="stack" onSubmit={(event) => void submit(event)}>
          <Field
            label={say('agents.importFile')}
            help={say('agents.importHelp')}
            fault={unread}
            type="file"
            name="file"
            accept=".json,application/json"
            required
          />
          {take.error && <ErrorPanel problem={take.error} />}
          <div className="actions">
            <Button look="plain" onClick={onClose}>
              {say('common.cancel')}
            </Button>
            <Button type="submit" writes busy={take.isPending}>
              {say('agents.import')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function Report({ made, onClose }: { made: Schemas['ImportOut']; onClose: () => void }) {
  const { coverage, agent } = made
  const name = agent.name || say('common.untitledAgent')
  return (
    <div className="stack" role="status">
      <ul className="steps changes">
        <li>
          {sayCount('agents.importBlocks', coverage.nodes)},{' '}
          {say('agents.importSupported', { supported: coverage.supported, count: coverage.nodes })}
        </li>
        {coverage.sub_agents > 0 && <li>{sayCount('agents.importInside', coverage.sub_agents)}</li>}
        <li>{say(coverage.runnable ? 'agents.importReady' : 'agents.importNotReady')}</li>
      </ul>
      <div className="actions">
        <Button look="plain" onClick={onClose}>
          {say('common.close')}
        </Button>
        <Link
          className="button"
          to={coverage.runnable ? '/library/agents/$agentId' : '/build/$agentId'}
          params={{ agentId: agent.id }}
        >
          {say('agents.importDone', { name })}
        </Link>
      </div>
    </div>
  )
}
