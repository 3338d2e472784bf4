import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstChoice, needsOf, vault } from './needs'

/** The needs of a version, what the vault has for them, and what is chosen. */
export function useCredentials(agent_id: string, version: number) {
  const needs = useQuery(needsOf(agent_id, version))
  const asked = needs.data ?? []
  const kept = useQuery({ ...vault, enabled: asked.length > 0 })
  const [picked, pick] = useState<Readonly<Record<string, string>>>({})
  const credentials = kept.data ?? []
  const chosen = Object.fromEntries(
    asked.map((need) => [need.key, picked[need.key] ?? firstChoice(need, credentials)]),
  )
  return {
    needs: asked,
    credentials,
    chosen,
    problem: needs.error ?? kept.error,
    choose: (key: string, id: string) => pick((before) => ({ ...before, [key]: id })),
    /** As a run takes them. */
    asked: Object.fromEntries(
      Object.entries(chosen)
        .filter(([, id]) => id !== '')
        .map(([key, id]) => [key, { id }]),
    ),
  }
}
