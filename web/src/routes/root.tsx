import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { LoginForm } from '@/features/accounts/LoginForm'
import { standing, useLogout } from '@/features/accounts/queries'
import { SetupForm } from '@/features/accounts/SetupForm'
import { Button } from '@/ui/Button'
import { Failure, Loading } from '@/ui/Notice'

/** Every page stands behind the same door: set up first, then signed in. */
export function RootPage() {
  const { data, error, isPending, refetch } = useQuery(standing)
  if (isPending) return <Shell content={<Loading />} />
  if (error) return <Shell content={<Failure problem={error} onRetry={() => void refetch()} />} />
  if (data.kind === 'needs_owner') return <Shell content={<SetupForm />} />
  if (data.kind === 'stranger') return <Shell content={<LoginForm />} />
  return <Shell name={data.me.user.name} content={<Outlet />} />
}

function Shell({ name, content }: { name?: string; content: React.ReactNode }) {
  const logout = useLogout()
  return (
    <>
      <header className="bar">
        <strong>Pilothouse</strong>
        {name && (
          <>
            <nav className="bar" aria-label="Main">
              <Link to="/">Agents</Link>
              <Link to="/runs">Runs</Link>
            </nav>
            <span className="end quiet">{name}</span>
            <Button plain busy={logout.isPending} onClick={() => logout.mutate()}>
              Sign out
            </Button>
          </>
        )}
      </header>
      <main>{content}</main>
    </>
  )
}
