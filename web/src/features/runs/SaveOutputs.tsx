import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { sizeIn } from '@/features/files/reference'
import { say, sayCount } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { downloadFrom } from '@/ui/download'
import { toastProblem } from '@/ui/toasts'

type Parcel = Schemas['ParcelOut']

/** Save all that a run gave: one file as itself, several as a zip. What is left out is told before. */
export function SaveOutputs({ runId }: { runId: string }) {
  const plan = usePlan(runId)
  const [asked, setAsked] = useState<Parcel | null>(null)
  const save = () => downloadFrom(`/api/runs/${runId}/outputs.zip`)

  function look() {
    plan.mutate(undefined, {
      onSuccess: (parcel) => (parcel.skipped.length > 0 ? setAsked(parcel) : save()),
      onError: toastProblem,
    })
  }

  return (
    <>
      <Button tiny look="plain" icon="save" busy={plan.isPending} onClick={look}>
        {say('runs.download')}
      </Button>
      {asked && (
        <LeftOut
          parcel={asked}
          onClose={() => setAsked(null)}
          onSave={() => {
            setAsked(null)
            save()
          }}
        />
      )}
    </>
  )
}

function usePlan(run_id: string) {
  const ask = { params: { path: { run_id }, query: { plan: true } } }
  return useMutation({
    // The same address sends zips and files, which the schema cannot tell apart from the plan.
    mutationFn: () => unwrap(api.GET('/api/runs/{run_id}/outputs.zip', ask)) as Promise<Parcel>,
  })
}

const REASONS = {
  file_too_large: 'runs.skipFileLarge',
  all_too_large: 'runs.skipAllLarge',
  gone: 'runs.skipGone',
  unreadable: 'runs.skipUnreadable',
} as const

type Props = { parcel: Parcel; onClose: () => void; onSave: () => void }

function LeftOut({ parcel, onClose, onSave }: Props) {
  return (
    <Dialog title={say('runs.downloadTitle')} onClose={onClose}>
      <p>{sayCount('runs.downloadLeft', parcel.skipped.length)}</p>
      <ul>
        {parcel.skipped.map(({ name, size_bytes, reason }) => (
          <li key={name} className="wraps-anywhere">
            {name} <span className="quiet">{size_bytes !== null && `${sizeIn(size_bytes)}, `}</span>
            <span className="quiet">{say(REASONS[reason])}</span>
          </li>
        ))}
      </ul>
      <p className="quiet">
        {sayCount('runs.downloadRest', parcel.files.length, { size: sizeIn(parcel.size_bytes) })}
      </p>
      <div className="actions">
        <Button look="plain" onClick={onClose}>
          {say('common.cancel')}
        </Button>
        <Button icon="save" disabled={parcel.files.length === 0} onClick={onSave}>
          {say('runs.download')}
        </Button>
      </div>
    </Dialog>
  )
}
