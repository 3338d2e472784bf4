import { CopyButton } from '@/ui/CopyButton'
import { Grown } from '@/ui/Grown'
import { Value } from '@/ui/Value'

type Props = { results: readonly { name: string; value: unknown }[]; over: boolean }

export function RunOutputs({ results, over }: Props) {
  return (
    <section className="stack tight" aria-labelledby="outputs">
      <h2 id="outputs">Outputs</h2>
      {results.length === 0 && (
        <p className="quiet">{over ? 'This run gave no outputs.' : 'None yet; they appear as steps end.'}</p>
      )}
      {results.length > 0 && (
        <dl className="outputs">
          <Grown of={results}>
            {(result) => (
              <div>
                <dt>{result.name}</dt>
                <dd>
                  <Value value={result.value} />
                  <CopyButton text={asText(result.value)} label={`Copy ${result.name}`} />
                </dd>
              </div>
            )}
          </Grown>
        </dl>
      )}
    </section>
  )
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
