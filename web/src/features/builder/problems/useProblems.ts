import { useEffect, useMemo, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { useOnline } from '@/kit/useOnline'
import { type Graph, linkKey, linksOf, nodesOf } from '../document'
import type { Faces } from '../faces'
import { checked, SEEN_HERE } from './checks'
import { type Problem, told } from './problem'

const PAUSE = 500

type Report = { graph: Graph; problems: readonly Problem[] }

/**
 * What is wrong with the graph: what can be seen here at once, and half a second later what the server says. Without a
 * network it is asked once there is one again.
 */
export function useProblems(graph: Graph, faces: Faces): readonly Problem[] {
  const [report, setReport] = useState<Report | null>(null)
  const isOnline = useOnline()
  const here = useMemo(() => checked(graph, faces), [graph, faces])

  useEffect(() => {
    if (!isOnline) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      validated(graph, stop.signal).then(
        (problems) => setReport({ graph, problems }),
        () => undefined, // Saving says what the server refuses; until it answers, what is seen here stands.
      )
    }, PAUSE)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [graph, isOnline])

  return useMemo(() => joined(graph, here, report), [graph, here, report])
}

async function validated(graph: Graph, signal: AbortSignal): Promise<Problem[]> {
  const body = { graph: graph as never, level: 'run' as const }
  const { issues } = await unwrap(api.POST('/api/agents/validate', { body, signal }))
  return issues.map(told)
}

/** What both see is said in our own words; an older answer still counts for what only the server can see. */
export function joined(graph: Graph, here: readonly Problem[], report: Report | null): readonly Problem[] {
  if (report === null) return here
  if (report.graph === graph) {
    const ours = new Map(here.map((problem) => [placeIn(problem), problem]))
    return report.problems.map((problem) => ours.get(placeIn(problem)) ?? problem)
  }
  const there = new Set(['$agent', ...nodesOf(graph).map((node) => node.id)])
  const links = new Set(linksOf(graph).map(linkKey))
  const older = report.problems.filter(
    ({ nodeId, link, code }) =>
      !SEEN_HERE.has(code) && there.has(nodeId) && (link === null || links.has(link)),
  )
  return [...here, ...older]
}

function placeIn({ nodeId, field, link, code }: Problem): string {
  return `${nodeId} ${field} ${link} ${code}`
}
