import type { components } from './schema.gen'

/** The bodies of the API by name, as generated from the server's own description. */
export type Schemas = components['schemas']
