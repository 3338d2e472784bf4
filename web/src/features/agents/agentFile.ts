import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'

const MAX_BYTES = 10 * 1024 * 1024

export type AgentFile = Schemas['ImportIn']['document']

/** The object in a file that somebody chose; what is wrong with it is said in words. */
export async function readAgentFile(file: Pick<File, 'size' | 'text'>): Promise<AgentFile> {
  if (file.size > MAX_BYTES) throw new Error(say('agents.import.tooLarge'))
  const found = parsed(await file.text())
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new Error(say('agents.import.notJson'))
  }
  return found as AgentFile
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
