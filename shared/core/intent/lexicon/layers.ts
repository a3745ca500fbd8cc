// Layers the words of one organisation over those of the installation without copying the latter.

/** A map whose own entries hide those of the map below. Look-ups search both; a caller that needs all entries merges them. */
export class LayeredMap<V> implements ReadonlyMap<string, V> {
  readonly #own: ReadonlyMap<string, V>;
  readonly #below: ReadonlyMap<string, V>;

  constructor(own: ReadonlyMap<string, V>, below: ReadonlyMap<string, V>) {
    this.#own = own;
    this.#below = below;
  }

  get(key: string): V | undefined {
    return this.#own.has(key) ? this.#own.get(key) : this.#below.get(key);
  }
  has(key: string): boolean {
    return this.#own.has(key) || this.#below.has(key);
  }

  #merged(): Map<string, V> {
    return new Map([...this.#below, ...this.#own]);
  }
  get size(): number {
    return this.#merged().size;
  }
  forEach(call: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.#merged()) call(value, key, this);
  }
  entries(): MapIterator<[string, V]> {
    return this.#merged().entries();
  }
  keys(): MapIterator<string> {
    return this.#merged().keys();
  }
  values(): MapIterator<V> {
    return this.#merged().values();
  }
  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }
}

/** `own` over `below`; `below` itself when `own` is empty. */
export function layered<V>(own: ReadonlyMap<string, V>, below: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return own.size === 0 ? below : new LayeredMap(own, below);
}
