const HIDDEN_MILLIS = 200

/**
 * Call `act` once, at the next frame or a moment later. A hidden page paints no frames, and one that was asked for
 * before the page was hidden does not come either, so a timer always stands beside it.
 */
export function soon(act: () => void): void {
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, HIDDEN_MILLIS)
  function once() {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    act()
  }
}
