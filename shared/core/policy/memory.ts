// A bounded in-memory cache, and cache keys that are equal exactly when the keyed values are.

/** Average key length, in characters, that the map budgets per entry; callers choose some of the keys and could make them longer. */
const AVERAGE_KEY_LENGTH = 256;
/** A longer key is not cached: it would evict many others and is unlikely to be seen again. */
const MAX_KEY_LENGTH = 4_096;

/**
 * A cache that approximates LRU with two generations: it costs two look-ups and needs no linked list. Holds at most `limit` entries whose
 * keys have at most 256 times `limit` characters together; a limit of 0 caches nothing.
 */
export class BoundedMap<Value> {
  private readonly maxKeyLength: number;
  private readonly half: number;
  private readonly halfLength: number;
  private young = new Map<string, Value>();
  private youngLength = 0;
  private old = new Map<string, Value>();

  /** @param maxKeyLength longer keys are not cached */
  constructor(limit: number, maxKeyLength = MAX_KEY_LENGTH) {
    this.maxKeyLength = maxKeyLength;
    this.half = Math.floor(limit / 2);
    this.halfLength = this.half * AVERAGE_KEY_LENGTH;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: string): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) {
      this.old.delete(key);
      this.set(key, older);
    }
    return older;
  }

  set(key: string, value: Value): void {
    if (this.half === 0 || key.length > this.maxKeyLength) return;
    if (this.young.has(key)) {
      this.young.set(key, value);
      return;
    }
    if (this.young.size >= this.half || (this.young.size > 0 && this.youngLength + key.length > this.halfLength)) {
      this.old = this.young;
      this.young = new Map();
      this.youngLength = 0;
    }
    this.young.set(key, value);
    this.youngLength += key.length;
  }
}

/** Prefixes a text with its length, so that different lists of texts never have the same concatenation. */
export function textKey(text: string): string {
  return `${text.length}:${text}`;
}

/**
 * The cache key of a fact's value. Equal keys mean that every operator gives the same result: missing, type and value are distinguished.
 * Objects are not, because no operator looks inside one, except sums of money, whose members are.
 */
export function valueKey(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `s${value.length}:${value}`;
    case 'number':
      return `n${value};`;
    case 'boolean':
      return value ? 't' : 'f';
    case 'undefined':
      return '-';
    case 'object':
      break;
    default:
      return '?';
  }
  if (value === null) return '0';
  if (Array.isArray(value)) {
    let key = `a${value.length}[`;
    for (const item of value) key += valueKey(item);
    return key;
  }
  if ('amount' in value && 'currency' in value) return `m${valueKey(value.amount)}${valueKey(value.currency)}`;
  return 'o';
}
