import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from '@/api/errors'
import { whenSignedOut } from '@/api/live/live'
import { standing } from '@/features/accounts/queries'
import { takeSetupToken } from '@/features/accounts/setupToken'
import '@/ui/styles/tokens.css'
import '@/ui/styles/base.css'
import '@/ui/styles/controls.css'
import '@/ui/styles/prose.css'
import '@/ui/styles/shell.css'
import '@/ui/styles/pages.css'
import '@/ui/styles/chat.css'
import { settleAll } from '@/ui/removals'
import { router } from './router'

/** Trying again helps when the server was away; what it refused it will refuse again. */
function worthRetrying(failures: number, problem: Error): boolean {
  return failures < 3 && !(problem instanceof ApiProblem && problem.status >= 400 && problem.status < 500)
}

takeSetupToken()
/** Signed out elsewhere, or the session ran out: ask again who is here, and the door shows itself. */
function watch(problem: Error): void {
  if (problem instanceof ApiProblem && problem.status === 401) askWhoIsHere()
}

function askWhoIsHere(): void {
  void cache.invalidateQueries({ queryKey: standing.queryKey })
}

const cache: QueryClient = new QueryClient({
  // Without a network a change fails at once and says so; it is not kept back to surprise somebody later.
  defaultOptions: { queries: { retry: worthRetrying }, mutations: { networkMode: 'always' } },
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({
    onError: (problem, _, __, mutation) => mutation.meta?.entrance !== true && watch(problem),
  }),
})
whenSignedOut(askWhoIsHere)
window.addEventListener('pagehide', settleAll)
const place = document.getElementById('root')
if (place === null) throw new Error('the page has no place for the app')

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
