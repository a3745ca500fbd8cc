// Lists: iterated item by item over all pages, or read page by page.

/** One page of a list. `nextCursor` is null on the last one. */
export interface PageLike<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export type ItemOf<Page> = Page extends { items: readonly (infer Item)[] } ? Item : never;

/** `for await (const item of list)` reads further pages when they are needed. */
export class List<Page extends PageLike<unknown>> implements AsyncIterable<ItemOf<Page>> {
  readonly #read: (cursor: string | undefined) => Promise<Page>;

  constructor(read: (cursor: string | undefined) => Promise<Page>) {
    this.#read = read;
  }

  /** One page: the first one, or the one behind the `nextCursor` of another. */
  page(cursor?: string): Promise<Page> {
    return this.#read(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#read(cursor);
      yield* page.items as ItemOf<Page>[];
      const next = page.nextCursor ?? undefined;
      // A cursor that repeats itself would never end.
      if (next === undefined || next === cursor) return;
      cursor = next;
    }
  }
}
