import type { LogKind } from '@/api/live/logs'
import { emptyRun, foldRun, type RunEvent, type RunView } from './reducer'

export const runLog: LogKind<RunView, RunEvent> = {
  name: 'run',
  empty: emptyRun,
  fold: foldRun,
  ends: (event) => event.type === 'run.finished',
}
