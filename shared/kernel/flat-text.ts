// Texts in the form in which V8 copies, hashes and sends them fastest.

/**
 * The same text, for one that is kept and becomes a part of many others. V8 stores a concatenated text as a tree of its parts, and all of it
 * with two bytes a character when one part has two. Some ASCII texts have: parts of a text with characters beyond Latin-1, and what
 * Array.join of V8 11 returns when an element was used as the name of a property. The result has one byte a character if it is ASCII, and no parts.
 */
export function flatText(text: string): string {
  const bytes = Buffer.from(text);
  // As many bytes of UTF-8 as characters: all of them are ASCII.
  return bytes.length === text.length ? bytes.toString('latin1') : text;
}
