import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { type AgentFile, readAgentFile } from './agentFile'
import { agentList } from './queries'

/** What a file would make; nothing is stored. */
export function usePreviewImport() {
  return useMutation({
    mutationFn: async (chosen: File) => {
      const file = await readAgentFile(chosen)
      return {
        file,
        seen: await unwrap(api.POST('/api/agents/import/preview', { body: { document: file } })),
      }
    },
  })
}

export function useImportAgent() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (document: AgentFile) => unwrap(api.POST('/api/agents/import', { body: { document } })),
    onSettled: () => cache.invalidateQueries({ queryKey: agentList.queryKey }),
  })
}
