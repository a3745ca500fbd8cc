// How V8 keeps a text.
import { serialize } from 'node:v8';

/** The tag of a text with two bytes a character in V8's serialization, which writes a text as it is in memory. */
const TWO_BYTES = 'c'.charCodeAt(0);
/** Version 15: a marker and the number. A padding of one byte may follow. */
const HEADER_BYTES = 2;

/** Whether V8 keeps a text with two bytes a character, whatever characters it has. */
export function hasTwoBytes(text: string): boolean {
  const bytes = serialize(text);
  return bytes[bytes[HEADER_BYTES] === 0 ? HEADER_BYTES + 1 : HEADER_BYTES] === TWO_BYTES;
}
