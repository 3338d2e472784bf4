import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router'
import { libraryView } from '@/features/library/view'
import { type RunsView, runsView, stepsView } from '@/features/runs/view'
import { ActivityPage } from '@/routes/activity'
import { AgentPage } from '@/routes/agent'
import { ChatPage } from '@/routes/chat'
import { LoginPage, SetupPage } from '@/routes/entrance'
import { LibraryPage } from '@/routes/library'
import { RootPage } from '@/routes/root'
import { RunPage } from '@/routes/run'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'

const root = createRootRoute({ component: RootPage, notFoundComponent: AbsentPage })
const under = () => root

const pages = [
  createRoute({ getParentRoute: under, path: '/setup', component: SetupPage }),
  createRoute({
    getParentRoute: under,
    path: '/login',
    component: LoginPage,
    validateSearch: (search: Record<string, unknown>): { next?: string } =>
      typeof search.next === 'string' ? { next: search.next } : {},
  }),
  createRoute({ getParentRoute: under, path: '/', component: ChatPage }),
  createRoute({ getParentRoute: under, path: '/chat/$sessionId', component: ChatPage }),
  createRoute({
    getParentRoute: under,
    path: '/build',
    validateSearch: oldLink,
    component: lazyRouteComponent(() => import('@/routes/build'), 'BuildPage'),
  }),
  createRoute({
    getParentRoute: under,
    path: '/build/$agentId',
    validateSearch: viewOfBuild,
    component: lazyRouteComponent(() => import('@/routes/builder'), 'BuilderPage'),
  }),
  createRoute({
    getParentRoute: under,
    path: '/library',
    validateSearch: libraryView,
    component: LibraryPage,
  }),
  createRoute({
    getParentRoute: under,
    path: '/library/agents/$agentId',
    validateSearch: agentView,
    component: AgentPage,
  }),
  createRoute({
    getParentRoute: under,
    path: '/library/runs/$runId',
    validateSearch: stepsView,
    component: RunPage,
  }),
  createRoute({
    getParentRoute: under,
    path: '/activity',
    validateSearch: runsView,
    component: ActivityPage,
  }),
  createRoute({
    getParentRoute: under,
    path: '/settings',
    component: lazyRouteComponent(() => import('@/routes/settings'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: under,
    path: '/settings/credentials',
    component: lazyRouteComponent(() => import('@/routes/settings'), 'CredentialsPage'),
  }),
  createRoute({
    getParentRoute: under,
    path: '/settings/api-keys',
    component: lazyRouteComponent(() => import('@/routes/settings'), 'ApiKeysPage'),
  }),
  // Links of other systems that people still have.
  createRoute({ getParentRoute: under, path: '/copilot', component: OldChat }),
] as const

/** The tab of an agent's page, and which of its runs are looked at. */
function agentView(search: Record<string, unknown>): RunsView & { tab?: 'versions' | 'settings' } {
  const tab = (['versions', 'settings'] as const).find((one) => one === search.tab)
  return tab ? { tab } : runsView(search)
}

type OldLink = { flowID?: string; flowExecutionID?: string; flowVersion?: number }

/** What of an agent is looked at: a version, a run, a step of it. */
function viewOfBuild(search: Record<string, unknown>): { version?: number; run?: string; step?: number } {
  const { version, run, step } = search
  return {
    ...(isCount(version) ? { version } : {}),
    ...(typeof run === 'string' ? { run } : {}),
    ...(isCount(step) ? { step } : {}),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}

/** Old links name the agent and its run in the query. */
function oldLink(search: Record<string, unknown>): OldLink {
  const { flowID, flowExecutionID, flowVersion } = search
  return {
    ...(typeof flowID === 'string' ? { flowID } : {}),
    ...(typeof flowExecutionID === 'string' ? { flowExecutionID } : {}),
    ...(isCount(flowVersion) ? { flowVersion } : {}),
  }
}

function OldChat() {
  const session = new URLSearchParams(window.location.search).get('sessionId')
  return session === null ? (
    <Navigate to="/" replace />
  ) : (
    <Navigate to="/chat/$sessionId" params={{ sessionId: session }} replace />
  )
}

/** A page that throws takes no other page with it. */
function BrokenPage({ error, reset }: ErrorComponentProps) {
  return (
    <div className="sheet">
      <ErrorPanel
        problem={{ message: error instanceof Error ? error.message : String(error) }}
        onRetry={reset}
      />
    </div>
  )
}

/** A page whose code is still on its way. */
function ComingPage() {
  return (
    <div className="sheet">
      <SkeletonRows rows={5} />
    </div>
  )
}

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultErrorComponent: BrokenPage,
  defaultPendingComponent: ComingPage,
  defaultPendingMs: 0, // a skeleton within 100 ms, as for data
  defaultPendingMinMs: 0,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
