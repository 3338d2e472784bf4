/** Texts of runs that go on from a step of another, sorted by key. `{name}` is filled in. */
export const again = {
  'again.again': 'Run again',
  'again.confirm': 'Repeat what acts outside',
  'again.earlier': 'List earlier runs',
  'again.effects': 'Acts outside once more',
  'again.fork': 'Fork with other inputs',
  'again.from': 'Run again from here',
  'again.goesBack': 'goes back to another run',
  'again.more': 'and {count} more',
  'again.none': 'Nothing.',
  'again.notJson': 'This is not valid JSON.',
  'again.nothingToEdit': 'This step has no inputs that can be edited.',
  'again.plan': 'What will happen',
  'again.reused': 'Taken over as it was',
  'again.start': 'Start',
} as const
