import { useState } from 'react'
import { type Read, written } from './typed'

type Typed = { words: string; kept: string; fault: string | undefined }

/** The words in a field, and why they are no value. What `read` makes of them is given to `onChange`. */
export function useTyped(read: (words: string) => Read, value: unknown, onChange: (value: unknown) => void) {
  const kept = written(value)
  // The words are the user's ("1.50") as long as what was kept of them ("1.5") is what the document holds.
  const [typed, setTyped] = useState<Typed | null>(null)
  const shown = typed?.kept === kept ? typed : null

  function keep(words: string) {
    const made = read(words)
    if ('fault' in made) return setTyped({ words, kept, fault: made.fault })
    setTyped({ words, kept: written(made.value), fault: undefined })
    onChange(made.value)
  }

  return { words: shown?.words ?? kept, fault: shown?.fault, keep }
}
