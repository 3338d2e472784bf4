/** Texts of shell, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const shell = {
  'shell.absent': 'There is nothing here',
  'shell.absentWhy': 'It may have been deleted, or the link is not quite right.',
  'shell.goHome': 'Go to AutoPilot',
  'shell.nothingFound': 'Nothing is called that.',
  'shell.results': 'Results',
} as const
