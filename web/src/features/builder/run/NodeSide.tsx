import { type ReactNode, useEffect, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import type { Aim } from '../node/focus'

type Props = {
  run: string | null
  /** The field of the block that somebody is led to: what the run did with it gives way then. */
  aim: Aim | null
  result: (runId: string) => ReactNode
  children: ReactNode
}

/** A chosen block beside the canvas: what the run did with it, or what it is set to. */
export function NodeSide({ run, aim, result, children }: Props) {
  const [side, turn] = useState<'result' | 'block'>(run === null || aim ? 'block' : 'result')
  useEffect(() => {
    if (aim !== null) turn('block')
  }, [aim])
  if (run === null) return children
  return (
    <>
      <fieldset className="side-choice plain">
        <legend className="unseen">{say('live.side')}</legend>
        {(['result', 'block'] as const).map((one) => (
          <Button key={one} look="ghost" aria-pressed={side === one} onClick={() => turn(one)}>
            {say(`live.${one}`)}
          </Button>
        ))}
      </fieldset>
      {side === 'result' ? result(run) : children}
    </>
  )
}
