import { lazy, Suspense } from 'react'

const load = () => import('./markdown/Markdown')
const Markdown = lazy(load)

/** Fetch what renders Markdown before the first text needs it. */
export function preloadMarkdown(): void {
  void load()
}

/** Until its code is here, the text is shown as it was written. */
export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="prose value">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  )
}
