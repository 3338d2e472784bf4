import { CopyButton } from './CopyButton'
import { ScrollFrame } from './ScrollFrame'

export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  return (
    <div className="code-block">
      <div className="bar">
        <span>{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
      </div>
      <ScrollFrame className="code-text" aria-label="Code">
        <pre>
          <code>{code}</code>
        </pre>
      </ScrollFrame>
    </div>
  )
}
