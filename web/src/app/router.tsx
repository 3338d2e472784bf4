import { createRootRoute, createRoute, createRouter, Navigate } from '@tanstack/react-router'
import { AgentPage } from '@/routes/agent'
import { AgentsPage } from '@/routes/agents'
import { RootPage } from '@/routes/root'
import { RunPage } from '@/routes/run'
import { RunsPage } from '@/routes/runs'

const root = createRootRoute({ component: RootPage, notFoundComponent: () => <Navigate to="/" /> })
const agents = createRoute({ getParentRoute: () => root, path: '/', component: AgentsPage })
const agent = createRoute({ getParentRoute: () => root, path: '/agents/$agentId', component: AgentPage })
const runs = createRoute({ getParentRoute: () => root, path: '/runs', component: RunsPage })
const run = createRoute({ getParentRoute: () => root, path: '/runs/$runId', component: RunPage })
// The set-up link leads here; once there is an owner it leads on.
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: () => <Navigate to="/" />,
})

export const router = createRouter({ routeTree: root.addChildren([agents, agent, runs, run, setup]) })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
