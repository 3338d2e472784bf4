import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { remove } from '@/ui/removals'
import { deleteSession, type Session, sessionList } from './queries'

/** Delete a chat, unless that is taken back. Whoever reads it goes on with a new one. */
export function useDeleteSession(current: string | null): (session: Session) => void {
  const cache = useQueryClient()
  const navigate = useNavigate()
  return ({ id, title }) => {
    remove({
      ids: [id],
      said: say('common.deleted', { name: title || say('shell.newChat') }),
      send: () => deleteSession(id),
      settled: () => void cache.invalidateQueries({ queryKey: sessionList.queryKey }),
    })
    if (id === current) void navigate({ to: '/' })
  }
}
