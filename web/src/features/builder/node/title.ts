/** The spaces around what is typed are kept for as long as it says what the block is called: more words may follow. */
export function titleShown(typed: string, name: string): string {
  return typed.trim() === name ? typed : name
}
