import { Fragment, type ReactNode } from 'react'

type Props<T> = { of: readonly T[]; children: (item: T, place: number) => ReactNode }

/** A list that only ever grows at its end: an item is known by its place, and its elements stay. */
export function Grown<T>({ of, children }: Props<T>) {
  return of.map((item, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place is what an item is known by
    <Fragment key={place}>{children(item, place)}</Fragment>
  ))
}
