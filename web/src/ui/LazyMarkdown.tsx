import { lazy, Suspense } from 'react'

const Markdown = lazy(() => import('./markdown/Markdown'))

/** Until its code is here, the text is shown as it was written. */
export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="prose value">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  )
}
