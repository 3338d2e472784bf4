/** Texts of builder, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const builder = {
  'builder.actions': 'More for this agent',
  'builder.addBlock': 'Block',
  'builder.details': 'Details',
  'builder.exportsSaved': 'The file holds version {version}. What is not saved is not in it.',
  'builder.no.link': 'There is no such link.',
  'builder.no.linkTwice': 'This link is there already.',
  'builder.no.node': "There is no node '{id}'.",
  'builder.no.nodeTwice': "There is a node '{id}' already.",
  'builder.no.run': 'There is no such run.',
  'builder.no.value': "Nothing is set at '{pin}'.",
  'builder.redo': 'Redo',
  'builder.run': 'Run',
  'builder.undo': 'Undo',
  'builder.version': 'version {version}',
  'builder.versionUnsaved': 'version {version}, not saved',
} as const
