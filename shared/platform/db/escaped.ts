// Bytes that are mostly ASCII text, read as a text: half as long as hexadecimal digits, and no buffer for each value.
import { Buffer } from 'node:buffer';

/** SQL of bytes as such a text. */
export const escapedSql = (bytes: string): string => `encode(${bytes}, 'escape')`;

/** A backslash, or a byte that is not ASCII (or zero) in three octal digits. */
const ESCAPE = /\\(?:\\|([0-7]{3}))/g;

/** What `escapedSql` gave: a text when all bytes are ASCII, otherwise the bytes. */
export function readEscaped(escaped: string): string | Buffer {
  if (!escaped.includes('\\')) return escaped;
  let isText = true;
  const text = escaped.replace(ESCAPE, (_, octal?: string) => {
    if (octal === undefined) return '\\';
    isText = false;
    return String.fromCharCode(Number.parseInt(octal, 8));
  });
  return isText ? text : Buffer.from(text, 'latin1');
}
