// The definitions of a server's tools, as it listed them to the client and to the guard: digests, hints, whether the list is current.
import { objectOf } from '../../shared/kernel/json.ts';
import { ANNOTATION_HINTS, type ToolAnnotations } from '../../shared/core/tools/call.ts';
import { DIGEST_MEMBERS, definitionDigest } from '../../shared/core/tools/definition.ts';
import { misspelt } from '../mcp/frames.ts';
import { type HeaderArgument, headerArgumentsOf } from './http-headers.ts';
import { limitArgumentsOf } from './obligations.ts';

export type Definition =
  | {
      readonly kind: 'known';
      /** Undefined: the client was shown another definition, so that no digest is that of what the model has read. */
      readonly digest: string | undefined;
      readonly annotations: ToolAnnotations;
      readonly limitArguments: readonly string[];
      readonly headerArguments: readonly HeaderArgument[];
    }
  | { readonly kind: 'unlisted' }
  /** Calls of this tool are refused: its definition is ambiguous or has no digest. */
  | { readonly kind: 'unusable'; readonly sentence: string };

/** Fetches one page of the server's list; undefined when the server gives none. */
export type ListPage = (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Ties a page to the state of the list when it was asked for. */
export interface PageRequest {
  readonly cursor: unknown;
  readonly changes: number;
  readonly isOfClient: boolean;
}

/**
 * The digest of each tool that a client was shown; undefined after two different ones. A server can show one definition to the client and
 * another to the guard, and a model may act on what it has read, even if a later list says something else. So nothing is forgotten.
 */
export type Shown = Map<string, string | undefined>;

interface Entry {
  readonly definition: Definition;
  readonly listing: number;
}

/** Bounds the wait of a call on a server whose list never ends. */
const MAX_PAGES = 100;

export class Definitions {
  private readonly entries = new Map<string, Entry>();
  private readonly shown: Shown;
  private readonly shownBefore = new Set<Shown>();
  /** Counts listings: each begins with a page without a cursor. */
  private listing = 0;
  /** Counts notices that the list has changed. */
  private changes = 0;
  /** The value of `changes` for which the whole list was seen, and for which the guard itself has tried to list. */
  private completeAt = -1;
  private triedAt = -1;
  private fetching: Promise<void> | undefined;

  constructor(shown: Shown = new Map()) {
    this.shown = shown;
  }

  /** The client was, and may still be, shown these as well. */
  adopt({ shown }: Definitions): void {
    this.shownBefore.add(shown);
  }

  /** The client requests a page. */
  requested(cursor: unknown): PageRequest {
    return { cursor, changes: this.changes, isOfClient: true };
  }

  /** The server has announced a change: the guard lists the tools before the next call; until then the known digests are used. */
  changed(): void {
    this.changes += 1;
  }

  /** Takes in the result of a `tools/list` request. */
  observe(result: Readonly<Record<string, unknown>>, { cursor, changes, isOfClient }: PageRequest): void {
    const tools: unknown = result['tools'];
    if (!Array.isArray(tools)) return;
    if (cursor === undefined) this.listing += 1;
    for (const tool of tools.map(objectOf)) {
      const name = tool?.['name'];
      if (tool === undefined || typeof name !== 'string') continue;
      const definition = definitionOf(tool);
      this.put(name, definition);
      if (isOfClient) this.show(name, digestOf(definition));
    }
    if (typeof result['nextCursor'] === 'string') return;
    for (const [name, { listing }] of this.entries) if (listing < this.listing) this.entries.delete(name);
    this.completeAt = Math.max(this.completeAt, changes);
  }

  /** As the server last listed it, to the client or to the guard. */
  current(name: string): Definition {
    const definition = this.entries.get(name)?.definition ?? { kind: 'unlisted' };
    const digest = digestOf(definition);
    const isOther = [this.shown, ...this.shownBefore].some((shown) => shown.has(name) && shown.get(name) !== digest);
    return definition.kind === 'known' && isOther ? { ...definition, digest: undefined } : definition;
  }

  /** Whether calls of the tool can still be made under a decision about this digest. */
  isStill(name: string, digest: string | undefined): boolean {
    const definition = this.current(name);
    return definition.kind !== 'unusable' && digestOf(definition) === digest;
  }

  /** As `current`, but lists the server's tools first if they have not been listed since the last change. */
  async find(name: string, listPage: ListPage): Promise<Definition> {
    if (this.completeAt < this.changes && this.triedAt < this.changes) {
      this.triedAt = this.changes;
      this.fetching = this.list(listPage);
    }
    await this.fetching;
    return this.current(name);
  }

  private async list(listPage: ListPage): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const request = { cursor, changes: this.changes, isOfClient: false };
      const result = await listPage(cursor);
      if (result === undefined) return;
      this.observe(result, request);
      const next = result['nextCursor'];
      if (typeof next !== 'string') return;
      cursor = next;
    }
  }

  private show(name: string, digest: string | undefined): void {
    const isAnother = this.shown.has(name) && this.shown.get(name) !== digest;
    this.shown.set(name, isAnother ? undefined : digest);
  }

  private put(name: string, definition: Definition): void {
    const before = this.entries.get(name);
    const isTwice = before?.listing === this.listing && !isSame(before.definition, definition);
    const sentence = 'the server lists the tool twice, with different definitions';
    this.entries.set(name, {
      definition: isTwice ? { kind: 'unusable', sentence } : definition,
      listing: this.listing,
    });
  }
}

function digestOf(definition: Definition): string | undefined {
  return definition.kind === 'known' ? definition.digest : undefined;
}

function isSame(a: Definition, b: Definition): boolean {
  return a.kind === 'known' && b.kind === 'known' && a.digest === b.digest;
}

function definitionOf(tool: Readonly<Record<string, unknown>>): Definition {
  const odd = misspelt(Object.keys(tool), DIGEST_MEMBERS);
  if (odd !== undefined)
    return {
      kind: 'unusable',
      sentence: `its definition has a member ${JSON.stringify(odd)} that can be mistaken for another`,
    };
  try {
    return {
      kind: 'known',
      digest: definitionDigest(tool),
      annotations: hintsOf(tool['annotations']),
      limitArguments: limitArgumentsOf(tool['inputSchema']),
      headerArguments: headerArgumentsOf(tool['inputSchema']),
    };
  } catch {
    // A lone surrogate, or nesting that exhausts the stack.
    return { kind: 'unusable', sentence: 'the definition of the tool has no canonical JSON' };
  }
}

/** The hints that policies know. One of another type is left out: the service refuses it, and it is no hint. */
function hintsOf(annotations: unknown): ToolAnnotations {
  const given = objectOf(annotations) ?? {};
  return Object.fromEntries(
    ANNOTATION_HINTS.flatMap((name) => (typeof given[name] === 'boolean' ? [[name, given[name]]] : [])),
  );
}
