// FNV-1a, a hash of texts by which the features of learned weights are numbered.

export const OFFSET_BASIS = 0x811c9dc5;
export const PRIME = 0x01000193;

/** The state after one more code unit. */
export const hashedWith = (state: number, code: number): number => Math.imul(state ^ code, PRIME);

/** The hash of a text, continued from the state of what comes before. */
export function hashed(text: string, state = OFFSET_BASIS): number {
  let hash = state;
  for (let at = 0; at < text.length; at += 1) hash = hashedWith(hash, text.charCodeAt(at));
  return hash;
}
