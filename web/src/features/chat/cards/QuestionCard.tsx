import { fields, list, text } from '@/kit/json'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import type { CardProps } from './ResultCard'

/** Questions of AutoPilot; a choice goes back as a message. Once answered it can only be read. */
export function QuestionCard({ output, onSend }: CardProps) {
  return (
    <section className="card stack" aria-label={say('chat.question')}>
      {list(output.questions)
        .map(fields)
        .map((question) => (
          <div key={String(question.question)} className="stack tight">
            <strong>{text(question.question)}</strong>
            <div className="row wrap">
              {list(question.options).map((option) => (
                <Button
                  key={String(option)}
                  look="plain"
                  writes
                  disabled={onSend === null}
                  onClick={() => onSend?.(String(option))}
                >
                  {String(option)}
                </Button>
              ))}
            </div>
          </div>
        ))}
    </section>
  )
}
