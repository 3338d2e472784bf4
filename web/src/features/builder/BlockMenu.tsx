import { type Choice, Finder } from '@/ui/Finder'
import type { Block } from './pins'

type Props = { blocks: ReadonlyMap<string, Block>; onPick: (block: Block) => void; onClose: () => void }

/** All blocks by name and by what they do. */
export function BlockMenu({ blocks, onPick, onClose }: Props) {
  const choices = [...blocks.values()]
    .filter((block) => !block.disabled)
    .map(
      (block): Choice => ({
        id: block.id,
        kind: block.categories.join(', ').toLowerCase(),
        label: block.name,
        help: block.description,
        icon: 'plus',
        act: () => onPick(block),
      }),
    )
  return <Finder title="Add a block" placeholder="What should it do?" choices={choices} onClose={onClose} />
}
