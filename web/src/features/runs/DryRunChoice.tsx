import { say } from '@/kit/say'
import { CheckField, SelectField } from '@/ui/Field'
import type { Answers, Trial } from './dryRun'

type Props = {
  trial: Trial
  /** A run that has ended, whose values can be given again. */
  records: string | null
  onChange: (trial: Trial) => void
}

/** Whether a run is only tried, and what stands in for what is outside. */
export function DryRunChoice({ trial, records, onChange }: Props) {
  return (
    <>
      <CheckField
        label={say('runs.dryRun')}
        help={say('runs.dryRunHelp')}
        checked={trial.dry}
        onChange={({ target }) => onChange({ ...trial, dry: target.checked })}
      />
      {trial.dry && (
        <SelectField
          label={say('runs.dryAnswers')}
          value={trial.answers}
          onChange={({ target }) => onChange({ ...trial, answers: target.value as Answers })}
        >
          <option value="stub">{say('runs.dryStub')}</option>
          <option value="simulate">{say('runs.drySimulate')}</option>
          {records !== null && (
            <option value="recorded">{say('runs.dryRecorded', { id: records.slice(-6) })}</option>
          )}
        </SelectField>
      )}
    </>
  )
}
