// Equal parts of JSON values kept once: thousands of policies say mostly the same, and each process holds all of them.

/** Gives of all values that are equal the one that it was given first, in a copy of its own. */
export interface Once {
  /** @param value plain JSON without lone surrogates; what comes out is shared, and so must never be changed */
  of<T>(value: T): T;
}

/** Larger parts are rarely equal, and looking for them would cost more than it saves. */
const MAX_KEY_LENGTH = 1_024;

/** Remembers what it was given for as long as it lives, which should be no longer than what is made with it. */
export function createOnce(): Once {
  const texts = new Map<string, string>();
  const parts = new Map<string, object>();
  /** The number by which a part is named in the keys of what it is in. */
  const numbers = new Map<object, number>();

  function textOf(text: string): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    // A piece of a long text keeps the whole of it: 10 MB of JSON for the name of one policy. So it is copied.
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
    // `map` makes a list of just the length that is needed; one that grew has room for more.
    if (Array.isArray(value)) {
      const items = value.map(valueOf);
      return partOf(items, `[${items.map(keyOf).join()}`);
    }
    // Defined, not assigned, so that a member __proto__ is one.
    const members = Object.entries(value).map(([name, member]) => [name, valueOf(member)] as const);
    return partOf(Object.fromEntries(members), `{${members.map(([name, m]) => keyOf(name) + keyOf(m)).join()}`);
  }

  return {
    of<T>(value: T): T {
      // A copy of plain JSON has the type of what it is a copy of.
      return valueOf(value) as T;
    },
  };
}
