import { useId } from 'react'
import { say } from '@/kit/say'
import { CheckField } from '@/ui/Field'
import type { Answers, Trial } from './dryRun'

type Props = {
  trial: Trial
  /** A run that has ended, whose values can be given again. */
  records: string | null
  onChange: (trial: Trial) => void
}

/** Whether a run is only tried, and what stands in for what is outside. */
export function DryRunChoice({ trial, records, onChange }: Props) {
  const id = useId()
  return (
    <>
      <CheckField
        label={say('runs.dryRun')}
        help={say('runs.dryRunHelp')}
        checked={trial.dry}
        onChange={({ target }) => onChange({ ...trial, dry: target.checked })}
      />
      {trial.dry && (
        <div className="field">
          <label htmlFor={id}>{say('runs.dryAnswers')}</label>
          <select
            id={id}
            className="input"
            value={trial.answers}
            onChange={({ target }) => onChange({ ...trial, answers: target.value as Answers })}
          >
            <option value="stub">{say('runs.dryStub')}</option>
            <option value="simulate">{say('runs.drySimulate')}</option>
            {records !== null && (
              <option value="recorded">{say('runs.dryRecorded', { id: records.slice(-6) })}</option>
            )}
          </select>
        </div>
      )}
    </>
  )
}
