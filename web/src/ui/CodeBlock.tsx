import { say } from '@/kit/say'
import { CopyButton } from './CopyButton'
import { ScrollFrame } from './ScrollFrame'

export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  return (
    <div className="code-block">
      <div className="bar">
        <span>{language || say('common.plainText')}</span>
        <CopyButton text={code} label={say('common.copyCode')} />
      </div>
      <ScrollFrame className="code-text" aria-label={say('common.code')}>
        <pre>
          <code>{code}</code>
        </pre>
      </ScrollFrame>
    </div>
  )
}
