import { say } from '@/kit/say'
import type { NewConnection } from './connections'

type Kind = { kind: NewConnection['kind']; label: string; key: 'needed' | 'optional'; url?: string }

/** The providers that can be connected, in the order in which they are offered. */
export const KINDS: readonly Kind[] = [
  { kind: 'anthropic', label: 'Anthropic', key: 'needed' },
  { kind: 'openai', label: 'OpenAI', key: 'needed' },
  { kind: 'google', label: 'Google', key: 'needed' },
  { kind: 'openrouter', label: 'OpenRouter', key: 'needed' },
  { kind: 'groq', label: 'Groq', key: 'needed' },
  { kind: 'ollama', label: 'Ollama', key: 'optional', url: 'http://localhost:11434' },
  {
    kind: 'openai_compatible',
    label: say('settings.anotherServer'),
    key: 'optional',
    url: 'http://localhost:8080/v1',
  },
]

export function kindLabelled(label: string): Kind {
  const found = KINDS.find((kind) => kind.label === label)
  if (!found) throw new Error(`no kind of provider is called ${label}`)
  return found
}

export function labelOf(kind: string): string {
  return KINDS.find((each) => each.kind === kind)?.label ?? kind
}

/** What a filled form asks for; what was left empty is not sent. */
export function asked(kind: Kind, form: FormData): NewConnection {
  const filled = (name: string) => String(form.get(name) ?? '').trim() || null
  return {
    kind: kind.kind,
    name: filled('name'),
    base_url: filled('base_url'),
    api_key: filled('api_key'),
    model: filled('model'),
    advanced_model: null,
    free: false,
  }
}
