export type Hotkey = {
  key: string
  mod?: boolean
  shift?: boolean
  whileTyping?: boolean
  /** It works over an open dialog, too. Else it belongs to the page, which cannot be seen or touched then. */
  overDialogs?: boolean
}

/** Where a key was pressed. */
export type Place = { isTyping: boolean; isBehind: boolean }

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'>

/** Whether a pressed key is this one. Plain keys do nothing while somebody types. */
export function isMeant(hotkey: Hotkey, event: Pressed, { isTyping, isBehind }: Place): boolean {
  const { key, mod = false, shift, whileTyping = mod, overDialogs = false } = hotkey
  if (event.isComposing || event.altKey) return false
  if (event.key.toLowerCase() !== key.toLowerCase() || (event.ctrlKey || event.metaKey) !== mod) return false
  if (shift !== undefined && event.shiftKey !== shift) return false
  return (whileTyping || !isTyping) && (overDialogs || !isBehind)
}

/** Whether a dialog lies over the page. All dialogs here are modal. */
export function isBehindDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}
