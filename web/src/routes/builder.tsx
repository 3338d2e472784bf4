import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { ApiProblem } from '@/api/errors'
import { blockCatalogue } from '@/features/agents/blocks'
import { agentById } from '@/features/agents/queries'
import { Builder } from '@/features/builder/Builder'
import { runById } from '@/features/runs/queries'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'
import { toastProblem } from '@/ui/toasts'

export function BuilderPage() {
  const { agentId } = useParams({ from: '/build/$agentId' })
  const { run, step } = useSearch({ from: '/build/$agentId' })
  const go = useView(agentId)
  const [loaded, setLoaded] = useState(0)
  const { agent, blocks, pinned, problem, retry } = useShown(agentId)
  const reload = () =>
    void retry().then((failed) => (failed ? toastProblem(failed) : setLoaded((count) => count + 1)))
  useTitle(agent?.name ?? say('shell.buildPage'))
  // What is open stays open when looking again has failed: there may be changes in it.
  if (!agent || !blocks) return <Nothing problem={problem} onRetry={() => void retry()} />
  return (
    <Builder
      key={`${agentId} ${loaded} ${pinned === null ? '' : agent.version}`}
      agent={agent}
      blocks={blocks}
      pinned={pinned}
      run={run ?? null}
      step={step ?? null}
      {...go}
      onReload={reload}
    />
  )
}

function Nothing({ problem, onRetry }: { problem: Error | null; onRetry: () => void }) {
  if (problem instanceof ApiProblem && [404, 422].includes(problem.status)) return <AbsentPage />
  return (
    <div className="sheet">
      {problem ? <ErrorPanel problem={problem} onRetry={onRetry} /> : <SkeletonRows rows={5} />}
    </div>
  )
}

/** Where one can turn from here; the address says what is looked at. */
function useView(agentId: string) {
  const navigate = useNavigate()
  const { version, run } = useSearch({ from: '/build/$agentId' })
  const to = '/build/$agentId' as const
  const params = { agentId }
  return {
    onRun: (started: string) =>
      void navigate({
        to,
        params,
        search: version === undefined ? { run: started } : { version, run: started },
        replace: true,
      }),
    onStep: (step: number | null) =>
      void navigate({
        to,
        params,
        search: {
          ...(version === undefined ? {} : { version }),
          ...(run === undefined ? {} : { run }),
          ...(step === null ? {} : { step }),
        },
        replace: true,
      }),
    onLatest: () => void navigate({ to, params, search: {} }),
    onCopied: (copy: string) => void navigate({ to, params: { agentId: copy }, search: {} }),
  }
}

/**
 * The version that the address asks for: by its number, by a run that used it, else the one in use, which alone can be
 * changed. A run that was opened over the version in use stays over it when that is saved as the next one.
 */
function useShown(agentId: string) {
  const { version, run } = useSearch({ from: '/build/$agentId' })
  const active = useQuery({ ...agentById(agentId), refetchOnWindowFocus: false })
  const blocks = useQuery(blockCatalogue)
  const ran = useQuery({ ...runById(run ?? ''), enabled: run !== undefined && version === undefined })
  const openedOver = useRef(new Map<string, number>())
  if (run !== undefined && active.data && !openedOver.current.has(run))
    openedOver.current.set(run, active.data.active_version)
  const asked = version ?? ran.data?.version
  const current = run === undefined ? active.data?.active_version : openedOver.current.get(run)
  const isOld = active.data !== undefined && asked !== undefined && asked !== current
  const old = useQuery({ ...agentById(agentId, asked), enabled: isOld })
  const waits = run !== undefined && version === undefined && ran.data === undefined
  const elsewhere = foreign(ran.data?.agent_id, agentId)
  return {
    agent: waits || elsewhere ? undefined : isOld ? old.data : active.data,
    blocks: blocks.data,
    pinned: isOld ? ((version === undefined ? 'run' : 'version') as 'run' | 'version') : null,
    problem: elsewhere ?? active.error ?? blocks.error ?? ran.error ?? old.error,
    retry: useRetry([active, blocks, ...(run === undefined ? [] : [ran]), ...(isOld ? [old] : [])]),
  }
}

/** Look again at all of them; what went wrong with the first that failed. */
function useRetry(queries: readonly { refetch: () => Promise<{ error: Error | null }> }[]) {
  const latest = useRef(queries)
  latest.current = queries
  return useCallback(async () => {
    const answers = await Promise.all(latest.current.map((query) => query.refetch()))
    return answers.find(({ error }) => error !== null)?.error ?? null
  }, [])
}

/** A run of another agent is not to be found here. */
function foreign(ran: string | undefined, agentId: string): ApiProblem | null {
  if (ran === undefined || ran === agentId) return null
  return new ApiProblem({ code: 'not_found', message: say('builder.no.run'), hint: null, status: 404 })
}
