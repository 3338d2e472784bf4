import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useAllAgents } from '@/features/agents/useAllAgents'
import { say } from '@/kit/say'
import { Dialog } from '@/ui/Dialog'
import { Icon } from '@/ui/Icon'
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
  const id = useId()
  const [typed, setTyped] = useState('')
  const [tab, setTab] = useState<Tab>('all')
  const [at, setAt] = useState(0)
  const offers = useOffers(blocks, agentId, origin)
  const found = useMemo(
    () =>
      searched(
        offers.filter((offer) => tab === 'all' || offer.tab === tab),
        typed,
      ),
    [offers, tab, typed],
  )
  const shown = found.slice(0, MOST)
  const chosen = shown[Math.min(at, shown.length - 1)]

  function take(offer: Offer | undefined) {
    if (offer === undefined) return
    onClose()
    onPick(offer)
  }

  function pressed(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((now) => (Math.min(now, shown.length - 1) + step + shown.length) % Math.max(1, shown.length))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      take(chosen)
    }
  }

  return (
    <Dialog title={say('canvas.add')} wide plain onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        aria-label={say('canvas.add')}
        placeholder={say(origin === null ? 'canvas.menu.placeholder' : 'canvas.menu.placeholder_link')}
        autoFocus
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setAt(0)
        }}
        onKeyDown={pressed}
      />
      <Tabs
        tab={tab}
        onTab={(next) => {
          setTab(next)
          setAt(0)
        }}
      />
      <div className="palette-list" role="listbox" id={id} aria-label={say('canvas.menu.results')}>
        {shown.map((offer) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above holds the keyboard
          <div
            key={offer.id}
            id={`${id}-${offer.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={offer === chosen}
            ref={offer === chosen ? intoView : undefined}
            className="palette-row"
            onClick={() => take(offer)}
          >
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
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="palette-none quiet">{say('canvas.menu.none')}</p>}
    </Dialog>
  )
}

function intoView(row: HTMLElement | null) {
  row?.scrollIntoView({ block: 'nearest' })
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
