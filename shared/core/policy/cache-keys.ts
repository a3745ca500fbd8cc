// The evaluator's caches: their bounds, and keys that are equal exactly when the keyed values are.
import { AnyOf } from './any-of.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';

/** Average key length, in characters, for which an entry counts; callers choose parts of the keys and could make them longer. */
const AVERAGE_KEY_LENGTH = 256;
/** A longer key is not cached: it would evict many others and is unlikely to be seen again. */
const MAX_KEY_LENGTH = 4_096;

/** A cache of at most `max` entries whose keys have at most 256 characters times `max` together. */
export function createKeyedCache<Value>(max: number, maxKeyLength = MAX_KEY_LENGTH): BoundedCache<Value> {
  return new BoundedCache({
    max,
    maxSize: max * AVERAGE_KEY_LENGTH,
    sizeOf: ({ length }) => (length > maxKeyLength ? Infinity : length),
  });
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
    // PARTLY is the only one.
    case 'symbol':
      return 'p';
    case 'object':
      break;
    default:
      return '?';
  }
  if (value === null) return '0';
  if (value instanceof AnyOf) return `e${valueKey(value.values)}`;
  if (Array.isArray(value)) {
    let key = `a${value.length}[`;
    for (const item of value) key += valueKey(item);
    return key;
  }
  if ('amount' in value && 'currency' in value) return `m${valueKey(value.amount)}${valueKey(value.currency)}`;
  return 'o';
}
