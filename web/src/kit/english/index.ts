import { agents } from './agents'
import { builder } from './builder'
import { canvas } from './canvas'
import { chat } from './chat'
import { common } from './common'
import { forms } from './forms'
import { runs } from './runs'
import { settings } from './settings'
import { shell } from './shell'

/** Every text that a person reads, by its key: the one catalogue, and the model of every other language. */
export const english = {
  ...agents,
  ...builder,
  ...canvas,
  ...chat,
  ...common,
  ...forms,
  ...runs,
  ...settings,
  ...shell,
}
