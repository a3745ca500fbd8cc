// Decodes the bytes of a text file, or reports why they are not text and where.
import { isUtf8 } from 'node:buffer';

export type ReadText =
  | { readonly text: string }
  /** `line` and `column` count from 1. */
  | { readonly line: number; readonly column: number; readonly message: string };

const REPLACEMENT = 0xfffd;
const NOT_UTF8 = 'is not UTF-8 text: save it as UTF-8';

/** Whether the bytes are UTF-16: they start with its byte order mark, or with a bracket or a space next to a zero byte. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (bytes.length > 1 && (first === 0) !== (second === 0));
}

/** The index in the text of the first bytes that are not UTF-8. */
function firstBroken(bytes: Buffer, text: string): number {
  let offset = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0;
    const length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    // A replacement character that the file really contains is encoded in these three bytes.
    if (code === REPLACEMENT && bytes.readUIntBE(offset, Math.min(3, bytes.length - offset)) !== 0xefbfbd) return i;
    offset += length;
    i += code < 0x10000 ? 1 : 2;
  }
  return text.length;
}

/**
 * Decodes the text of a file. Invalid UTF-8 is refused and not replaced: a name with a replaced letter would make a rule for a resource
 * that does not exist.
 */
export function textOf(bytes: Buffer): ReadText {
  if (isUtf16(bytes)) return { line: 1, column: 1, message: 'is UTF-16 text: save it as UTF-8' };
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const before = text.slice(0, firstBroken(bytes, text));
  const line = before.split('\n').length;
  return { line, column: before.length - before.lastIndexOf('\n'), message: NOT_UTF8 };
}
