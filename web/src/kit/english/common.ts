/** Texts that several areas say, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const common = {
  'common.cancel': 'Cancel',
  'common.close': 'Close',
  'common.delete': 'Delete',
  'common.deleted': 'Deleted {name}.',
  'common.steps': '{count} step | {count} steps',
  'common.undo': 'Undo',
} as const
