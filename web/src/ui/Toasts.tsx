import { say } from '@/kit/say'
import { Button } from './Button'
import { dismiss, useToasts } from './toasts'

export function Toasts() {
  const toasts = useToasts()
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((said) => (
        <div key={said.id} className={`toast ${said.tone}`}>
          <div>
            {said.message}
            {said.requestId && (
              <div className="quiet small">{say('common.request', { id: said.requestId })}</div>
            )}
          </div>
          {said.action && (
            <Button
              tiny
              look="plain"
              onClick={() => {
                said.action?.act()
                dismiss(said.id)
              }}
            >
              {said.action.label}
            </Button>
          )}
          <Button
            className="end"
            tiny
            look="ghost"
            icon="close"
            aria-label={say('common.dismiss')}
            onClick={() => dismiss(said.id)}
          />
        </div>
      ))}
    </div>
  )
}
