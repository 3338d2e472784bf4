import { useState } from 'react'
import { say } from '@/kit/say'
import { CopyButton } from '@/ui/CopyButton'
import { Grown } from '@/ui/Grown'
import { More } from '@/ui/More'
import { RenderedRunValue } from './RunValue'
import { SaveOutputs } from './SaveOutputs'
import { copiedWhole } from './whole'

type Result = { name: string; value: unknown }
type Props = {
  runId: string
  results: readonly Result[]
  over: boolean
  /** Whether they can be downloaded from here. */
  saves?: boolean
}

const PAGE = 100

export function RunOutputs({ runId, results, over, saves = false }: Props) {
  const [most, setMost] = useState(PAGE)
  return (
    <section className="stack tight" aria-labelledby="outputs">
      <div className="row">
        <h2 id="outputs">{say('runs.outputs')}</h2>
        {results.length > 1 && (
          <CopyButton text={copiedWhole(runId, results, allOf)} label={say('runs.copyAll')} />
        )}
        {saves && over && results.length > 0 && <SaveOutputs runId={runId} />}
      </div>
      {results.length === 0 && <p className="quiet">{say(over ? 'runs.noOutputs' : 'runs.outputsLater')}</p>}
      {results.length > 0 && (
        <dl className="outputs">
          <Grown of={results.slice(0, most)}>
            {(result) => (
              <div>
                <dt>{result.name}</dt>
                <dd>
                  <RenderedRunValue runId={runId} name={result.name} value={result.value} />
                </dd>
              </div>
            )}
          </Grown>
        </dl>
      )}
      <More there={results.length > most} busy={false} onMore={() => setMost(most + PAGE)} />
    </section>
  )
}

/** A list of values for each name, as the API gives them. */
export function allOf(results: readonly Result[]): string {
  const all: Record<string, unknown[]> = {}
  for (const { name, value } of results) all[name] = [...(all[name] ?? []), value]
  return JSON.stringify(all, null, 2)
}
