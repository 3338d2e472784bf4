import { useEffect, useState } from 'react'
import { recall, remember } from '@/kit/stored'
import { answer, clear, type Draft, keep, offeredTo, visiting } from './draft'
import type { Editor } from './useEditor'

/**
 * Keeps unsaved changes in this browser, over a reload and a crash, and offers those of an earlier visit.
 * What is only looked at (`isOn` false) neither has a draft nor touches one.
 */
export function useDraft(agentId: string, version: number, editor: Editor, isOn = true) {
  const { graph, isDirty } = editor
  const [visit] = useState(() => visiting(agentId, graph, { recall, remember }))
  const [offered, setOffered] = useState<Draft | null>(() => (isOn ? offeredTo(visit) : null))

  useEffect(() => {
    if (!isOn) return
    if (isDirty) keep(visit, { version, graph, at: new Date().toISOString() })
    else clear(visit, graph)
  }, [isOn, visit, version, graph, isDirty])

  function answered() {
    answer(visit)
    setOffered(offeredTo(visit))
  }

  return {
    offered,
    takeUp: (draft: Draft) => {
      editor.change(() => draft.graph)
      answered()
    },
    drop: answered,
  }
}
