import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from '@/api/errors'
import '@/ui/style.css'
import { router } from './router'

/** Trying again helps when the server was away; what it refused it will refuse again. */
function worthRetrying(failures: number, problem: Error): boolean {
  return failures < 3 && !(problem instanceof ApiProblem && problem.status >= 400 && problem.status < 500)
}

const cache = new QueryClient({ defaultOptions: { queries: { retry: worthRetrying } } })
const place = document.getElementById('root')
if (place === null) throw new Error('the page has no place for the app')

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
