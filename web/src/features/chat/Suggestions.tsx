import { useInfiniteQuery } from '@tanstack/react-query'
import { agentList } from '@/features/agents/queries'
import { type MessageKey, say } from '@/kit/say'
import { Grown } from '@/ui/Grown'
import { useHeld } from '@/ui/writes'

type Props = { name: string; onPick: (text: string) => void }

/** An empty page says what can be asked, also of the user's own agents. */
export function Suggestions({ name, onPick }: Props) {
  const held = useHeld()
  const newest = useInfiniteQuery(agentList).data?.pages[0]?.items[0]?.name
  const suggestions = [
    say('chat.suggestBuild'),
    newest ? say('chat.suggestExplain', { name: newest }) : say('chat.suggestSearch'),
    say('chat.suggestBlocks'),
    say('chat.suggestHelp'),
  ]
  return (
    <div className="welcome">
      <h1>{say(greeting(new Date().getHours()), { name: name.split(' ')[0] ?? '' })}</h1>
      <p className="quiet">{say('chat.welcome')}</p>
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

function greeting(hour: number): MessageKey {
  if (hour < 5) return 'chat.goodNight'
  if (hour < 12) return 'chat.goodMorning'
  return hour < 18 ? 'chat.goodAfternoon' : 'chat.goodEvening'
}
