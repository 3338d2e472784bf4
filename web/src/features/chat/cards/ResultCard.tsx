import type { ComponentType } from 'react'
import { fields, own, text } from '@/kit/json'
import type { ToolItem } from '../view'
import { AgentCard } from './AgentCard'
import { AgentsCard, BlocksCard } from './FoundCards'
import { QuestionCard } from './QuestionCard'
import { RunCard } from './RunCard'
import { SubSessionCard } from './SubSessionCard'

export type CardProps = { output: ReturnType<typeof fields>; onSend: ((text: string) => void) | null }

/** One card per type of result that gives or asks something; the others need no more than their row. */
const CARDS: Record<string, ComponentType<CardProps>> = {
  agent_builder_saved: AgentCard,
  execution_started: RunCard,
  agent_output: RunCard,
  block_list: BlocksCard,
  agents_found: AgentsCard,
  clarification_needed: QuestionCard,
  sub_session_status: SubSessionCard,
}

export function ResultCard({ item, onSend }: { item: ToolItem; onSend: CardProps['onSend'] }) {
  const output = fields(item.output)
  const Card = own(CARDS, text(output.type) ?? '')
  return Card ? <Card output={output} onSend={onSend} /> : null
}
