// The attributes of resources: entries by name or pattern, and what they say about everything that a request covers. Pure.
import { covers, isPattern } from '../intent/resource.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** An entry with `class` and `owner` among its attributes. */
export interface RegisteredResource {
  /** Canonical; a pattern covers everything below it, but not what stands before its `*`. */
  readonly name: string;
  /** Undefined: not known, because the row was changed outside the service. Then no attribute of what it covers is known. */
  readonly attributes: Attributes | undefined;
}

/** Entries of one source, indexed. */
export interface ResourceRegistry {
  readonly byName: ReadonlyMap<string, RegisteredResource>;
  /** The names, sorted by code units. */
  readonly names: readonly string[];
}

/** What policies see of the resources that a request covers. */
export interface ResourceFacts {
  attributes: Readonly<Record<string, unknown>>;
  /** Sorted names of attributes that differ among the resources and places that the request covers; they are not in `attributes`. */
  varies?: readonly string[];
}

export function createRegistry(entries: readonly RegisteredResource[]): ResourceRegistry {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return { byName, names: [...byName.keys()].sort() };
}

/** Stands for every attribute in `varies`; no attribute has this name. */
export const EVERY_ATTRIBUTE = '*';

/** The attributes of an entry as one object. */
export function attributesOfEntry(entry: {
  readonly class?: string | undefined;
  readonly owner?: string | undefined;
  readonly attributes?: Attributes | undefined;
}): Attributes {
  return {
    ...entry.attributes,
    ...(entry.class === undefined ? {} : { class: entry.class }),
    ...(entry.owner === undefined ? {} : { owner: entry.owner }),
  };
}

/** The names of entries that cover all of a request, most general first. */
function coveringNames(request: string): string[] {
  const segments = request.split('/');
  const named = isPattern(request) ? segments.length - 1 : segments.length;
  const patterns = Array.from({ length: Math.max(0, named - 1) }, (_, i) => `${segments.slice(0, i + 1).join('/')}/*`);
  // A pattern below one segment, such as `db/*`, is covered by itself only.
  return [...new Set([...patterns, request])];
}

/** The index of the first name that is not before a text. */
function firstAt(names: readonly string[], text: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entries that cover only a part of a pattern. */
function entriesInside({ byName, names }: ResourceRegistry, request: string): RegisteredResource[] {
  if (!isPattern(request)) return [];
  const stem = request.slice(0, -1);
  const inside: RegisteredResource[] = [];
  for (let i = firstAt(names, stem); i < names.length; i += 1) {
    const name = names[i] ?? '';
    if (!name.startsWith(stem)) break;
    const entry = byName.get(name);
    if (entry !== undefined && !covers(name, request)) inside.push(entry);
  }
  return inside;
}

interface Known {
  readonly attributes: Map<string, unknown>;
  readonly varies: Set<string>;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What the entries say about everything that one resource or pattern covers. */
function knownOf(request: string, registries: readonly ResourceRegistry[]): Known {
  const known: Known = { attributes: new Map(), varies: new Set() };
  for (const name of coveringNames(request))
    for (const { byName } of registries) {
      const entry = byName.get(name);
      if (entry === undefined) continue;
      if (entry.attributes === undefined) known.varies.add(EVERY_ATTRIBUTE);
      else for (const [attribute, value] of Object.entries(entry.attributes)) known.attributes.set(attribute, value);
    }
  for (const registry of registries)
    for (const entry of entriesInside(registry, request)) compare(known, entry.attributes);
  return known;
}

/** Marks the attributes that something else in the request has with another value. */
function compare({ attributes, varies }: Known, others: Attributes | undefined): void {
  if (others === undefined) varies.add(EVERY_ATTRIBUTE);
  for (const [name, value] of Object.entries(others ?? {})) if (!isSame(attributes.get(name), value)) varies.add(name);
}

/**
 * The fact `resource`: the attributes that hold for all that a request covers. The most specific entry decides for each attribute, at the
 * same name that of a later registry. An attribute that differs for a part of a requested pattern, or for a place that the request names,
 * is in `varies`. Undefined: no entry says anything.
 * @param places canonical, with the objects in them
 */
export function resourceFacts(
  request: string,
  places: readonly string[],
  registries: readonly ResourceRegistry[],
): ResourceFacts | undefined {
  const used = registries.filter(({ names }) => names.length > 0);
  if (used.length === 0) return undefined;
  const known = knownOf(request, used);
  for (const place of places) {
    const { attributes, varies } = knownOf(place, used);
    compare(known, Object.fromEntries(attributes));
    for (const name of varies) known.varies.add(name);
  }
  const varies = [...known.varies].sort();
  const attributes = Object.fromEntries([...known.attributes].filter(([name]) => !known.varies.has(name)));
  if (varies.length > 0) return { attributes, varies };
  return known.attributes.size === 0 ? undefined : { attributes };
}
