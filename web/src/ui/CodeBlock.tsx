import { CopyButton } from './CopyButton'

export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  return (
    <div className="code-block">
      <div className="bar">
        <span>{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}
