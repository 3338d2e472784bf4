/** How values name files of the workspace: `workspace://ID`, and perhaps `#type` for the eye. Pure. */

const REFERENCE =
  /^workspace:\/\/([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?:#([\w.+-]+\/[\w.+-]+))?$/

/** What a browser may show on our origin as a picture; the server sends all others to be saved. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

export type Reference = { id: string; type: string | null }

/** The file that a value names; null when the value is anything else. */
export function referenceIn(value: unknown): Reference | null {
  const [, id, type] = (typeof value === 'string' && REFERENCE.exec(value)) || []
  return id === undefined ? null : { id, type: type ?? null }
}

export function referenceTo({ id, mime_type }: { id: string; mime_type: string }): string {
  return `workspace://${id}#${mime_type}`
}

export function isPicture(type: string | null): boolean {
  return type !== null && PICTURES.has(type)
}

/** Where a file's bytes are: to be looked at where that is safe, else to be saved. */
export function addressOf(id: string): string {
  return `/api/workspace/files/${id}/download?inline=true`
}

export function sizeIn(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Where an upload is put; with a mark, when a file of that name is there already. */
export function uploadPath(name: string, mark = ''): string {
  // Separators and signs that steer a terminal are no part of a name.
  const plain = name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(-120) || 'file'
  const dot = plain.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, '']
  return `/uploads/${stem}${mark && `-${mark}`}${ending}`
}
