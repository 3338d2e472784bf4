import { arranged, type Boxes } from './layout'

/** Places are worked out beside the page, so that it stays at hand meanwhile. */
self.onmessage = ({ data }: MessageEvent<Boxes>) => {
  self.postMessage([...arranged(data)])
}
