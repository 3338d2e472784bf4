import { type ReactNode, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'

type Props = { run: string | null; result: (runId: string) => ReactNode; children: ReactNode }

/** A chosen block beside the canvas: what the run did with it, or what it is set to. */
export function NodeSide({ run, result, children }: Props) {
  const [side, turn] = useState<'result' | 'block'>(run === null ? 'block' : 'result')
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
