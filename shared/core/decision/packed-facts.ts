// How the facts of a decision are stored: with what facts usually say replaced by codes (packed-text.ts). Rows of earlier versions are
// JSON, or were compressed.
import { Buffer } from 'node:buffer';
import { inflatedFacts } from './inflated-facts.ts';
import { createTextPacker, MAX_CHARACTERS } from './packed-text.ts';
import { FACTS_RULES, FACTS_TEXTS } from './usual-texts.ts';

/** The first byte of stored facts tells their form. JSON begins with `{`. */
const DEFLATED = 1;
const FIRST_CODED = 2;
const CODED = 3;
const MARK = String.fromCharCode(CODED);
/**
 * Larger facts, in bytes of UTF-8, are stored as they are: other requests would wait while they are packed, and PostgreSQL
 * compresses them itself. So no packed facts unpack to more than this.
 */
export const MAX_PACKED_BYTES = MAX_CHARACTERS;

/**
 * Of 1,204 bytes of facts about 200 remain; 270 before values followed from others. Deflate with a dictionary left 196, but took 18
 * microseconds where this takes 3 to 5, which was a twentieth of what a request costs ingress.
 */
const PACKER = createTextPacker(FACTS_TEXTS, FACTS_RULES);
const FIRST_PACKER = createTextPacker(FACTS_TEXTS, {});

/** The text to store. @param facts JCS of all facts */
export function packFacts(facts: string): string {
  if (Buffer.byteLength(facts) > MAX_PACKED_BYTES) return facts;
  const packed = PACKER.pack(facts);
  return packed === undefined ? facts : MARK + packed;
}

const packerOf = (mark: number | undefined) =>
  mark === CODED ? PACKER : mark === FIRST_CODED ? FIRST_PACKER : undefined;

/** The facts of a stored decision. Altered bytes give other bytes, which do not have the digest that the record names. */
export function unpackFacts(stored: Buffer): Buffer {
  if (stored[0] === DEFLATED) return inflatedFacts(stored, MAX_PACKED_BYTES) ?? stored;
  const facts = packerOf(stored[0])?.unpack(stored.toString('utf8', 1), MAX_PACKED_BYTES);
  return facts === undefined ? stored : Buffer.from(facts);
}

/** As unpackFacts, for stored bytes that are ASCII; the facts are then ASCII, too, unless they were deflated. */
export function unpackFactsText(stored: string): string | Buffer {
  const mark = stored.charCodeAt(0);
  if (mark === DEFLATED) return unpackFacts(Buffer.from(stored, 'latin1'));
  return packerOf(mark)?.unpack(stored.slice(1), MAX_PACKED_BYTES) ?? stored;
}
