// Finds signals that count twice, in bounded memory: the ids of the last million signals or more, as 64 bits of a hash each.
import { hash, randomBytes } from 'node:crypto';

/** Ids in a table. When it is full, the table before it is forgotten: one to two million ids are known. */
const IDS_PER_TABLE = 2 ** 20;
const FIRST_SLOTS = 2 ** 8;
const BYTES_PER_SLOT = 8;

/** A hash table with open addressing. A slot is two numbers, which are 0 in an empty one. */
interface Table {
  slots: Uint32Array;
  size: number;
}

const newTable = (slots = FIRST_SLOTS): Table => ({ slots: new Uint32Array(2 * slots), size: 0 });

/** The index of these bits, or of the empty slot for them. */
function indexOf({ slots }: Table, high: number, low: number): number {
  const mask = slots.length - 1;
  let index = (low * 2) & mask;
  while ((slots[index] !== 0 || slots[index + 1] !== 0) && (slots[index] !== high || slots[index + 1] !== low))
    index = (index + 2) & mask;
  return index;
}

const has = (table: Table, high: number, low: number): boolean => table.slots[indexOf(table, high, low) + 1] !== 0;

function insert(table: Table, high: number, low: number): void {
  const index = indexOf(table, high, low);
  table.slots[index] = high;
  table.slots[index + 1] = low;
  table.size += 1;
}

function grown(table: Table): Table {
  const larger = newTable(table.slots.length);
  for (let i = 0; i < table.slots.length; i += 2) {
    const [high = 0, low = 0] = [table.slots[i], table.slots[i + 1]];
    if (low !== 0) insert(larger, high, low);
  }
  return larger;
}

export interface SignalIds {
  /** @returns whether it was unknown */
  add(id: string): boolean;
  /** A set that knows these ids, too, and does not change them. */
  fork(): SignalIds;
  readonly bytes: number;
}

/**
 * @param perTable for tests
 * @param salt random, because callers choose the ids: two with the same hash would be reported as one
 */
export function signalIds(perTable = IDS_PER_TABLE, salt = randomBytes(16).toString('hex')): SignalIds {
  return layered(perTable, salt, () => false);
}

function layered(perTable: number, salt: string, isKnown: (high: number, low: number) => boolean): SignalIds {
  let current = newTable();
  let before: Table | undefined;
  const isHere = (high: number, low: number): boolean =>
    has(current, high, low) || (before !== undefined && has(before, high, low)) || isKnown(high, low);
  return {
    add(id) {
      const bits = hash('sha256', salt + id, 'buffer');
      // The second number of a slot that is not empty is never 0.
      const [high, low] = [bits.readUInt32LE(0), bits.readUInt32LE(4) || 1];
      if (isHere(high, low)) return false;
      if (current.size >= perTable) [before, current] = [current, newTable()];
      else if (current.size >= (current.slots.length / 2) * 0.75) current = grown(current);
      insert(current, high, low);
      return true;
    },
    fork: () => layered(perTable, salt, isHere),
    get bytes() {
      return ((current.slots.length + (before?.slots.length ?? 0)) / 2) * BYTES_PER_SLOT;
    },
  };
}
