// Writes words for a POSIX shell.

/** A text as one word of a shell, in quotes where it needs them. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
