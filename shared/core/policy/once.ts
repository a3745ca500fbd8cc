// Interning of equal JSON parts: thousands of policies repeat the same parts, and each process holds all of them.

/** Returns one shared object for all equal values: its own copy of the first one. */
export interface Once {
  /** @param value plain JSON without lone surrogates; the result is shared and must never be changed */
  of<T>(value: T): T;
}

/** Larger parts are rarely equal, and looking them up would cost more than it saves. */
const MAX_KEY_LENGTH = 1_024;

/** Creates an interning table. It holds every value it was given, so it should be dropped as soon as the data built with it is complete. */
export function createOnce(): Once {
  const texts = new Map<string, string>();
  const parts = new Map<string, object>();
  /** The number that identifies a part in the keys of the values that contain it. */
  const numbers = new Map<object, number>();

  function textOf(text: string): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    // V8 keeps the whole text alive for a slice of it (10 MB of JSON for the name of one policy), so the slice is copied.
    const own = Buffer.from(text, 'utf8').toString('utf8');
    texts.set(own, own);
    return own;
  }

  function keyOf(value: unknown): string {
    if (typeof value === 'object' && value !== null) return `#${numbers.get(value)}`;
    return typeof value === 'string' ? `${value.length}:${value}` : String(value);
  }

  function partOf(part: object, key: string): object {
    const known = key.length > MAX_KEY_LENGTH ? undefined : parts.get(key);
    if (known !== undefined) return known;
    numbers.set(part, numbers.size);
    if (key.length <= MAX_KEY_LENGTH) parts.set(key, part);
    return part;
  }

  function valueOf(value: unknown): unknown {
    if (typeof value === 'string') return textOf(value);
    if (typeof value !== 'object' || value === null) return value;
    // `map` allocates a list of the exact length; a list that grew by `push` has spare capacity.
    if (Array.isArray(value)) {
      const items = value.map(valueOf);
      return partOf(items, `[${items.map(keyOf).join()}`);
    }
    // Defined, not assigned, so that a member named __proto__ is an ordinary member.
    const members = Object.entries(value).map(([name, member]) => [name, valueOf(member)] as const);
    return partOf(Object.fromEntries(members), `{${members.map(([name, m]) => keyOf(name) + keyOf(m)).join()}`);
  }

  return {
    of<T>(value: T): T {
      // A copy of plain JSON has the same type as the original.
      return valueOf(value) as T;
    },
  };
}
