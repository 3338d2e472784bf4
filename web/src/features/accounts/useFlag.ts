import { useQuery } from '@tanstack/react-query'
import { standing } from './queries'

/** What the server says of itself; false until it is known. */
export function useFlag(name: string): boolean {
  const { data } = useQuery(standing)
  return data?.kind === 'signed_in' && data.me.flags[name] === true
}
