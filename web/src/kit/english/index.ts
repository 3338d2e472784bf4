import { accounts } from './accounts'
import { again } from './again'
import { agents } from './agents'
import { builder } from './builder'
import { canvas } from './canvas'
import { chat } from './chat'
import { common } from './common'
import { files } from './files'
import { forms } from './forms'
import { live } from './live'
import { parts } from './parts'
import { runs } from './runs'
import { scopes } from './scopes'
import { settings } from './settings'
import { shell } from './shell'
import { status } from './status'
import { versions } from './versions'

/** Every text that a person reads, by its key: the one catalogue, and the model of every other language. */
export const english = {
  ...accounts,
  ...again,
  ...agents,
  ...builder,
  ...canvas,
  ...chat,
  ...common,
  ...files,
  ...forms,
  ...live,
  ...parts,
  ...runs,
  ...scopes,
  ...settings,
  ...shell,
  ...status,
  ...versions,
}
