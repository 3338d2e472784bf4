import { useEffect, useRef, useState } from 'react'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { useCopyAgent, useSaveAgent } from '@/features/agents/queries'
import { number } from '@/kit/json'
import { say } from '@/kit/say'
import { remember } from '@/kit/stored'
import { toast, toastProblem } from '@/ui/toasts'
import { draftKey } from './draft'
import type { Editor } from './useEditor'

type Agent = Schemas['AgentDetail']

/** The version that somebody else saved, and what it changed since the one that was opened. */
export type Conflict = { current: number | null; diff: unknown }

type Told = { onSaved?: (() => void) | undefined; onCopied?: ((agent_id: string) => void) | undefined }

/** Saving with the version that was opened: a newer one is never overwritten unasked. */
export function useSaving(agent: Agent, editor: Editor, told: Told = {}) {
  const save = useSaveAgent(agent.id)
  const copy = useCopyAgent(agent.id)
  const [version, setVersion] = useState(agent.active_version)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [noted, setNoted] = useState<string | undefined>()
  const isUnderWay = useRef(false)
  useWarning(editor.isDirty)

  async function saveOver(base: number, note?: string): Promise<Agent | null> {
    // A second save would be refused for the version that the first one is about to make.
    if (isUnderWay.current) return null
    isUnderWay.current = true
    const sent = editor.graph
    try {
      const saved = await save.mutateAsync({ graph: sent, version: base, note })
      setVersion(saved.version)
      setConflict(null)
      editor.settle(saved.graph, sent)
      const words = saved.version === base ? 'versions.unchanged' : 'versions.saved'
      toast(say(words, { version: saved.version }), { topic: 'saved' })
      told.onSaved?.()
      return saved
    } catch (problem) {
      setNoted(note)
      if (problem instanceof ApiProblem && problem.code === 'version_conflict') {
        setConflict({ current: number(problem.detail.current_version), diff: problem.detail.diff })
      } else if (problem instanceof ApiProblem) toastProblem(withFaults(problem))
      return null
    } finally {
      isUnderWay.current = false
    }
  }

  async function saveCopy(): Promise<void> {
    try {
      const name = say('versions.copyName', { name: editor.graph.name ?? '' })
      const made = await copy.mutateAsync({ graph: { ...editor.graph, name }, version })
      remember(draftKey(agent.id), null) // what was not saved here is saved there
      toast(say('versions.conflict.copied'))
      told.onCopied?.(made.id)
    } catch (problem) {
      if (problem instanceof ApiProblem) toastProblem(withFaults(problem))
    }
  }

  return {
    version,
    conflict,
    isSaving: save.isPending || copy.isPending,
    /** What is edited now was made to this version: saving it over a newer one asks first. */
    rebase: setVersion,
    save: (note?: string) => saveOver(version, note),
    saveMine: () => saveOver(conflict?.current ?? version, noted),
    saveCopy,
    closeConflict: () => setConflict(null),
  }
}

/** The browser asks before it leaves what is not saved. */
function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])
}

function withFaults(problem: ApiProblem): ApiProblem & { hint: string | null } {
  const faults = problem.faults.slice(0, 3).map((fault) => `${fault.path} ${fault.message}`)
  return Object.assign(problem, { hint: faults.length > 0 ? faults.join('; ') : problem.hint })
}
