import { Dialog } from '@/ui/Dialog'

const MOD = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'

const SHORTCUTS: readonly (readonly [string, string])[] = [
  [`${MOD} K`, 'Search pages, agents, chats, runs and actions'],
  ['?', 'This list'],
  ['Enter', 'Send the message'],
  ['Shift Enter', 'New line in the message'],
  [`${MOD} .`, 'Stop the running turn'],
  ['/', 'Add a block (Build)'],
  [`${MOD} Z`, 'Undo (Build)'],
  [`${MOD} Shift Z`, 'Redo (Build)'],
  [`${MOD} S`, 'Save (Build)'],
  ['Esc', 'Close the topmost layer'],
]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
