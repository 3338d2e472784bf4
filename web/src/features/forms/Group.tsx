import { type ReactNode, useId } from 'react'
import { say } from '@/kit/say'
import './forms.css'
import type { FieldProps } from './props'

type Props = Pick<FieldProps, 'label' | 'help' | 'fault' | 'required'> & { children: ReactNode }

/** Several fields that are one value together. */
export function Group({ label, help, fault, required, children }: Props) {
  const id = useId()
  return (
    <fieldset className="field-group" aria-describedby={help || fault ? id : undefined}>
      <legend>
        {label}
        {required !== true && <span className="quiet"> {say('forms.optional')}</span>}
      </legend>
      {children}
      {(help || fault) && (
        <span id={id} className="small">
          {fault && <span className="fault">{fault} </span>}
          <span className="quiet">{help}</span>
        </span>
      )}
    </fieldset>
  )
}
