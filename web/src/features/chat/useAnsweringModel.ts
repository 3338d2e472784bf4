import { useQuery } from '@tanstack/react-query'
import { ask } from '@/api/ask'
import { fields, text } from '@/kit/json'

/** The model that would answer a first message; null while it is not known. */
export function useAnsweringModel(): string | null {
  const models = useQuery({
    queryKey: ['chat', 'models'],
    queryFn: () => ask<unknown>('GET', '/api/chat/models'),
    retry: false,
    staleTime: 60_000,
  })
  return text(fields(models.data).default)
}
