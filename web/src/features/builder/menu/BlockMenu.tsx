import { type KeyboardEvent, useMemo, useState } from 'react'
import { useAllAgents } from '@/features/agents/useAllAgents'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import { Palette } from '@/ui/Palette'
import type { Origin } from '../canvas/connecting'
import type { Block } from '../pins'
import { agentOffers, blockOffers, type Offer, TABS, type Tab, takers } from './offers'
import { searched } from './search'

type Props = {
  blocks: ReadonlyMap<string, Block>
  agentId: string
  /** Where a link waits for what is chosen: only what can take it is offered. */
  origin: Origin | null
  onPick: (offer: Offer) => void
  onClose: () => void
}

const MOST = 60

/** All blocks by name and by what they do, and one's own agents. */
export function BlockMenu({ blocks, agentId, origin, onPick, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [tab, setTab] = useState<Tab>('all')
  const offers = useOffers(blocks, agentId, origin)
  const found = useMemo(
    () =>
      searched(
        offers.filter((offer) => tab === 'all' || offer.tab === tab),
        typed,
      ),
    [offers, tab, typed],
  )
  return (
    <Palette
      title={say('canvas.add')}
      placeholder={say(origin === null ? 'canvas.menu.placeholder' : 'canvas.menu.placeholder_link')}
      results={say('canvas.menu.results')}
      none={say('canvas.menu.none')}
      rows={found.slice(0, MOST)}
      typed={typed}
      onType={setTyped}
      onTake={(offer) => {
        onClose()
        onPick(offer)
      }}
      onClose={onClose}
      face={(offer) => <Face offer={offer} />}
    >
      <Tabs tab={tab} onTab={setTab} />
    </Palette>
  )
}

function Face({ offer }: { offer: Offer }) {
  return (
    <>
      <Icon name={offer.tab === 'agents' ? 'build' : 'plus'} />
      <span className="clip">
        {offer.name} <span className="quiet small">{offer.description}</span>
      </span>
      <span className="end row tight">
        {offer.badges.map((badge) => (
          <span key={badge} className="block-badge small">
            {badge}
          </span>
        ))}
      </span>
    </>
  )
}

function useOffers(blocks: ReadonlyMap<string, Block>, agentId: string, origin: Origin | null): Offer[] {
  const agents = useAllAgents()
  return useMemo(() => {
    const executor = [...blocks.values()].find((block) => block.kind === 'agent')
    const all = [...blockOffers(blocks), ...agentOffers(agents, executor, agentId)]
    return origin === null ? all : takers(all, origin)
  }, [blocks, agents, agentId, origin])
}

function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  function pressed(event: KeyboardEvent<HTMLDivElement>) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? 'all'
    onTab(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus()
  }
  return (
    <div className="menu-tabs" role="tablist" aria-label={say('canvas.menu.kinds')} onKeyDown={pressed}>
      {TABS.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          data-tab={one}
          aria-selected={one === tab}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => onTab(one)}
        >
          {say(`canvas.tab.${one}`)}
        </button>
      ))}
    </div>
  )
}
