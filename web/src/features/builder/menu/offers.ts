import type { Schemas } from '@/api/shapes'
import { number } from '@/kit/json'
import { say } from '@/kit/say'
import { bestPin, type Origin } from '../canvas/connecting'
import { withChild } from '../faces'
import { type Block, declaredPins, isCredentials } from '../pins'

export const TABS = ['all', 'input', 'action', 'output', 'integrations', 'agents'] as const
export type Tab = (typeof TABS)[number]

/** Something that can be put on the canvas, with what it is called and what it begins with. */
export type Offer = {
  id: string
  name: string
  description: string
  categories: readonly string[]
  badges: readonly string[]
  tab: Exclude<Tab, 'all'>
  block: Block
  face: Block
  inputs: { [pin: string]: unknown }
}

export function blockOffers(blocks: ReadonlyMap<string, Block>): Offer[] {
  return [...blocks.values()]
    .filter((block) => !block.disabled && block.kind !== 'agent')
    .map((block) => ({
      id: block.id,
      name: block.name,
      description: block.description,
      categories: block.categories,
      badges: badgesOf(block),
      tab: tabOf(block),
      block,
      face: block,
      inputs: {},
    }))
}

function tabOf(block: Block): Offer['tab'] {
  if (block.kind === 'input' || block.kind === 'trigger') return 'input'
  if (block.kind === 'output') return 'output'
  return needsCredentials(block) ? 'integrations' : 'action'
}

function needsCredentials(block: Block): boolean {
  return declaredPins(block).inputs.some((pin) => isCredentials(pin.name) && !pin.hidden)
}

function badgesOf(block: Block): string[] {
  const badges: string[] = []
  if (block.kind === 'trigger') badges.push(say('canvas.badge.trigger'))
  if (needsCredentials(block)) badges.push(say('canvas.badge.credentials'))
  const credits = block.cost
    .map((cost) => number(cost.amount))
    .find((amount) => amount !== null && amount > 0)
  if (credits !== undefined && credits !== null)
    badges.push(say('canvas.badge.cost', { price: `$${(credits / 100).toFixed(2)}` }))
  return badges
}

/** Each agent but the one that is open, as a block that runs the version that it has now. */
export function agentOffers(
  agents: readonly Schemas['AgentOut'][],
  executor: Block | undefined,
  openId: string,
): Offer[] {
  if (executor === undefined || executor.disabled) return []
  return agents
    .filter((agent) => agent.id !== openId)
    .map((agent) => ({
      id: agent.id,
      name: agent.name || say('canvas.untitled'),
      description: agent.description,
      categories: [],
      badges: [say('canvas.badge.version', { version: agent.active_version })],
      tab: 'agents',
      block: executor,
      face: withChild(executor, { ...agent, version: agent.active_version }),
      inputs: {
        graph_id: agent.id,
        graph_version: agent.active_version,
        agent_name: agent.name,
        inputs: {},
        input_schema: agent.input_schema,
        output_schema: agent.output_schema,
      },
    }))
}

/** The offers that can take a link from here, each with the pin that takes it. */
export function takers(offers: readonly Offer[], origin: Origin): Offer[] {
  return offers.filter((offer) => pinFor(offer, origin) !== null)
}

export function pinFor(offer: Offer, origin: Origin) {
  const { inputs, outputs } = declaredPins(offer.face)
  return bestPin(origin, offer.face, origin.side === 'out' ? inputs : outputs)
}
