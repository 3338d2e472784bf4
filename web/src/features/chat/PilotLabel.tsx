import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'

/** Who answers. The offline pilot is never passed off as a model. */
export function PilotLabel({ model }: { model: string | null }) {
  if (model !== null && model !== 'offline')
    return (
      <span className="quiet small clip" title={model}>
        {model}
      </span>
    )
  if (model === null) return null
  return (
    <span className="quiet small clip">
      {say('chat.offlinePilot')} · <Link to="/settings">{say('chat.connectModel')}</Link>
    </span>
  )
}
