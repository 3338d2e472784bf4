import { Panel, useReactFlow } from '@xyflow/react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'

type Props = {
  locked: boolean
  snaps: boolean
  readOnly: boolean
  isArranging: boolean
  onLock: () => void
  onSnap: () => void
  onArrange: () => void
  onFind: () => void
  onFit: () => void
}

/** What changes how the canvas is looked at, and nothing of the agent but the places of its blocks. */
export function CanvasTools({ locked, snaps, readOnly, isArranging, ...act }: Props) {
  const flow = useReactFlow()
  return (
    <Panel position="bottom-left">
      <div className="canvas-tools" role="toolbar" aria-label={say('canvas.tools')}>
        <Button
          look="ghost"
          icon="plus"
          aria-label={say('canvas.zoom_in')}
          onClick={() => void flow.zoomIn()}
        />
        <Button
          look="ghost"
          icon="minus"
          aria-label={say('canvas.zoom_out')}
          onClick={() => void flow.zoomOut()}
        />
        <Button look="ghost" icon="fit" aria-label={say('canvas.fit')} onClick={act.onFit} />
        <Button look="ghost" icon="search" aria-label={say('canvas.find')} onClick={act.onFind} />
        {!readOnly && (
          <>
            <Button
              look="ghost"
              icon="grid"
              aria-label={say('canvas.snap')}
              aria-pressed={snaps}
              onClick={act.onSnap}
            />
            <Button
              look="ghost"
              icon="arrange"
              busy={isArranging}
              disabled={locked}
              aria-label={say('canvas.layout')}
              onClick={act.onArrange}
            />
            <Button
              look="ghost"
              icon={locked ? 'lock' : 'unlock'}
              aria-label={say('canvas.lock')}
              aria-pressed={locked}
              onClick={act.onLock}
            />
          </>
        )}
      </div>
    </Panel>
  )
}
