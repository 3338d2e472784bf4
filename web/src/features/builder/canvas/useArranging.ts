import { type RefObject, useState } from 'react'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { toastProblem } from '@/ui/toasts'
import { boxesOf } from '../boxes'
import type { Place } from '../document'
import type { Faces } from '../faces'
import type { Boxes } from '../layout'
import type { Editor } from '../useEditor'

/** Places all blocks anew, worked out in a worker, as one step that can be undone. `arranged` is set when it has been. */
export function useArranging(editor: Editor, faces: Faces, arranged: RefObject<boolean>) {
  const [isBusy, setBusy] = useState(false)

  async function arrange(): Promise<void> {
    setBusy(true)
    try {
      const places = await inWorker(boxesOf(editor.graph, faces))
      arranged.current = true
      editor.apply(places.map(([node, position]) => ({ op: 'move_node', node, position })))
      announce(say('canvas.arranged'))
    } catch (problem) {
      toastProblem(problem instanceof Error ? problem : new Error(String(problem)))
    } finally {
      setBusy(false)
    }
  }

  return { isBusy, arrange }
}

function inWorker(boxes: Boxes): Promise<[string, Place][]> {
  const worker = new Worker(new URL('../layout.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<[string, Place][]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<[string, Place][]>) => resolve(data)
    worker.onerror = (event) => reject(new Error(event.message || 'The worker failed.'))
    worker.postMessage(boxes)
  }).finally(() => worker.terminate())
}
