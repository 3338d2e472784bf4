import { text } from '@/kit/json'
import { AgentField } from './AgentField'
import { CredentialField } from './CredentialField'
import { shapeOf } from './kinds'
import { ListField } from './ListField'
import { MapField } from './MapField'
import { ObjectField } from './ObjectField'
import type { FieldProps, ValueFieldProps } from './props'
import { BooleanField, EnumField, ScalarField } from './ScalarField'
import { TableField } from './TableField'
import { UnionField } from './UnionField'

/** The field that a schema asks for, whatever it is. `undefined` is "not given". */
export function ValueField({ name, schema: raw, root, label, help, ...rest }: ValueFieldProps) {
  const shape = shapeOf(name, raw, root)
  const field: FieldProps = {
    ...rest,
    name,
    shape,
    label: label ?? text(shape.schema.title) ?? name,
    help: help ?? text(shape.schema.description) ?? undefined,
  }
  switch (shape.kind) {
    case 'boolean':
      return <BooleanField {...field} />
    case 'choice':
      return <EnumField {...field} />
    case 'list':
      return <ListField {...field} />
    case 'map':
      return <MapField {...field} />
    case 'object':
      return <ObjectField {...field} />
    case 'table':
      return <TableField {...field} />
    case 'union':
      return <UnionField {...field} />
    case 'credential':
      return <CredentialField {...field} />
    case 'agent':
      return <AgentField {...field} />
    default:
      return <ScalarField {...field} />
  }
}
