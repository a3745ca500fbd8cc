// The words of a whole text, for phrase lookups.

/** Letters, digits, inner apostrophes and hyphens, lower case. */
export function allWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
}
