import { useEffect, useState } from 'react'
import { recall, remember } from '@/kit/stored'
import { type Draft, draftKey, readDraft, written } from './draft'
import type { Editor } from './useEditor'

/**
 * Keeps unsaved changes in this browser, over a reload and a crash, and offers those of an earlier visit.
 * What is only looked at (`isOn` false) neither has a draft nor touches one.
 */
export function useDraft(agentId: string, version: number, editor: Editor, isOn = true) {
  const key = draftKey(agentId)
  const [offered, setOffered] = useState<Draft | null>(() =>
    isOn ? readDraft(recall(key), editor.graph) : null,
  )
  const { graph, isDirty } = editor

  useEffect(() => {
    if (!isOn) return
    if (isDirty) remember(key, written({ version, graph, at: new Date().toISOString() }))
    else if (offered === null) remember(key, null)
  }, [isOn, key, version, graph, isDirty, offered])

  return {
    offered,
    takeUp: (draft: Draft) => {
      editor.change(() => draft.graph)
      setOffered(null)
    },
    drop: () => setOffered(null),
  }
}
