import { say } from '@/kit/say'
import { Dialog } from '@/ui/Dialog'

const MOD = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'

const SHORTCUTS: readonly (readonly [string, string])[] = [
  [`${MOD} K`, say('shell.paletteTitle')],
  ['?', say('shell.keyList')],
  ['Enter', say('shell.keySend')],
  ['Shift Enter', say('shell.keyNewLine')],
  [`${MOD} .`, say('shell.keyStop')],
  ['/', say('shell.keyAddBlock')],
  [`${MOD} F`, say('shell.keyFindBlock')],
  [`${MOD} Z`, say('shell.keyUndo')],
  [`${MOD} Shift Z`, say('shell.keyRedo')],
  [`${MOD} S`, say('shell.keySave')],
  ['Esc', say('shell.keyClose')],
]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={say('shell.shortcuts')} onClose={onClose}>
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
