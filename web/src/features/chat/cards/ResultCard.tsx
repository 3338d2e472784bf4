import type { ComponentType } from 'react'
import { type fields, own, text } from '@/kit/json'
import { shownOutput } from '../toolWords'
import type { ToolItem } from '../view'
import { AgentCard } from './AgentCard'
import { BackgroundCard } from './BackgroundCard'
import { AgentsCard, BlocksCard } from './FoundCards'
import { QuestionCard } from './QuestionCard'
import { RunCard } from './RunCard'
import { SubSessionCard } from './SubSessionCard'

export type CardProps = {
  output: ReturnType<typeof fields>
  onSend: ((text: string) => void) | null
  /** How work that went into the background stands, as the log tells it. */
  background: string | null
}

/** One card per type of result that gives or asks something; the others need no more than their row. */
const CARDS: Record<string, ComponentType<CardProps>> = {
  agent_builder_saved: AgentCard,
  execution_started: RunCard,
  agent_output: RunCard,
  block_list: BlocksCard,
  agents_found: AgentsCard,
  clarification_needed: QuestionCard,
  sub_session_status: SubSessionCard,
  background: BackgroundCard,
  background_tool_status: BackgroundCard,
}

export function ResultCard({ item, onSend }: { item: ToolItem; onSend: CardProps['onSend'] }) {
  const output = shownOutput(item)
  const Card = own(CARDS, text(output.type) ?? '')
  return Card ? <Card output={output} onSend={onSend} background={item.background} /> : null
}
