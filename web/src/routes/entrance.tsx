import { useQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { LoginForm } from '@/features/accounts/LoginForm'
import { standing } from '@/features/accounts/queries'
import { SetupForm } from '@/features/accounts/SetupForm'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'

export function SetupPage() {
  useTitle(say('shell.setUp'))
  const { data } = useQuery(standing)
  return data?.kind === 'needs_owner' ? <SetupForm /> : <Navigate to="/" replace />
}

/** Only a path of ours is returned to. */
export function returnTo(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !/^\/(login|setup)/.test(next) ? next : '/'
}

export function LoginPage() {
  useTitle(say('shell.signIn'))
  const { data } = useQuery(standing)
  const { next } = useSearch({ from: '/login' })
  return data?.kind === 'stranger' ? <LoginForm /> : <Navigate href={returnTo(next)} to="." replace />
}
