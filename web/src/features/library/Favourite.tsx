import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { useMarkFavourite } from './favourites'
import type { Entry } from './queries'

/** A star to be pressed: filled when the agent is a favourite. */
export function Favourite({ entry, name }: { entry: Entry; name: string }) {
  const mark = useMarkFavourite()
  return (
    <Button
      className="star"
      tiny
      look="ghost"
      icon="star"
      writes
      aria-label={say('agents.favourite', { name })}
      aria-pressed={entry.favourite}
      onClick={() => mark.mutate({ agent_id: entry.id, favourite: !entry.favourite })}
    />
  )
}
