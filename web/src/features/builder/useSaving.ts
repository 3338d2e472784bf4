import { useEffect, useState } from 'react'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { useSaveAgent } from '@/features/agents/queries'
import { number } from '@/kit/json'
import { toast, toastProblem } from '@/ui/toasts'
import type { Editor } from './useEditor'

/** The version that somebody else saved, and what it changed since the one that was opened. */
export type Conflict = { current: number | null; diff: unknown }

/** Saving with the version that was opened: a newer one is never overwritten unasked. */
export function useSaving(agent: Schemas['AgentDetail'], editor: Editor) {
  const save = useSaveAgent(agent.id)
  const [version, setVersion] = useState(agent.newest_version)
  const [conflict, setConflict] = useState<Conflict | null>(null)

  useEffect(() => {
    if (!editor.isDirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [editor.isDirty])

  async function saveOver(base: number): Promise<Schemas['AgentDetail'] | null> {
    try {
      const saved = await save.mutateAsync({ graph: editor.graph, version: base })
      setVersion(saved.newest_version)
      setConflict(null)
      editor.settle(saved.graph)
      toast(`Saved as version ${saved.newest_version}.`)
      return saved
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.code === 'version_conflict') {
        setConflict({ current: number(problem.detail.current_version), diff: problem.detail.diff })
      } else if (problem instanceof ApiProblem) toastProblem(withFaults(problem))
      return null
    }
  }

  return {
    version,
    conflict,
    isSaving: save.isPending,
    /** What is edited now was made to this version: saving it over a newer one asks first. */
    rebase: setVersion,
    save: () => saveOver(version),
    saveMine: () => saveOver(conflict?.current ?? version),
    closeConflict: () => setConflict(null),
  }
}

function withFaults(problem: ApiProblem): ApiProblem & { hint: string | null } {
  const faults = problem.faults.slice(0, 3).map((fault) => `${fault.path} ${fault.message}`)
  return Object.assign(problem, { hint: faults.length > 0 ? faults.join('; ') : problem.hint })
}
