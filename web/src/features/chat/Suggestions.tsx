import { useInfiniteQuery } from '@tanstack/react-query'
import { agentList } from '@/features/agents/queries'
import { Grown } from '@/ui/Grown'
import { useHeld } from '@/ui/writes'

type Props = { name: string; onPick: (text: string) => void }

/** An empty page says what can be asked, also of the user's own agents. */
export function Suggestions({ name, onPick }: Props) {
  const held = useHeld()
  const newest = useInfiniteQuery(agentList).data?.pages[0]?.items[0]?.name
  const suggestions = [
    'Build an agent that takes a name and greets it',
    newest ? `Explain ${newest}` : 'Search my library for greeting',
    'Find blocks for working with text',
    'Help',
  ]
  return (
    <div className="welcome">
      <h1>
        {greeting(new Date().getHours())}, {name.split(' ')[0]}
      </h1>
      <p className="quiet">
        Say what should get done. AutoPilot finds, builds, runs and watches agents for it.
      </p>
      <ul>
        <Grown of={suggestions}>
          {(suggestion) => (
            <li>
              <button type="button" className="suggestion" onClick={() => onPick(suggestion)} {...held}>
                {suggestion}
              </button>
            </li>
          )}
        </Grown>
      </ul>
    </div>
  )
}

function greeting(hour: number): string {
  if (hour < 5) return 'Good night'
  if (hour < 12) return 'Good morning'
  return hour < 18 ? 'Good afternoon' : 'Good evening'
}
