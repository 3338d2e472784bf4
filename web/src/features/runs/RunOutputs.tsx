import { useState } from 'react'
import { FileOrValue } from '@/features/files/FileValue'
import { say } from '@/kit/say'
import { CopyButton } from '@/ui/CopyButton'
import { Grown } from '@/ui/Grown'
import { More } from '@/ui/More'
import { SaveOutputs } from './SaveOutputs'

type Result = { name: string; value: unknown }
type Props = { runId?: string; results: readonly Result[]; over: boolean }

const PAGE = 100

export function RunOutputs({ runId, results, over }: Props) {
  const [most, setMost] = useState(PAGE)
  return (
    <section className="stack tight" aria-labelledby="outputs">
      <div className="row">
        <h2 id="outputs">{say('runs.outputs')}</h2>
        {results.length > 1 && <CopyButton text={allOf(results)} label={say('runs.copyAll')} />}
        {runId && over && results.length > 0 && <SaveOutputs runId={runId} />}
      </div>
      {results.length === 0 && <p className="quiet">{say(over ? 'runs.noOutputs' : 'runs.outputsLater')}</p>}
      {results.length > 0 && (
        <dl className="outputs">
          <Grown of={results.slice(0, most)}>
            {(result) => (
              <div>
                <dt>{result.name}</dt>
                <dd>
                  <FileOrValue name={result.name} value={result.value} />
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
