// The order of strictness of readings, and the join of several: never milder than any of them.
import {
  ACTIONS,
  type Action,
  type Effect,
  EFFECTS,
  type Extent,
  EXTENTS,
  SECOND_READINGS,
  type SecondReading,
} from '../../../kernel/vocabulary.ts';
import type { Entities, Meaning, ParsedIntent } from '../types.ts';

/** The members of a reading that policies evaluate, without the name of the object. Without entities: they are too many to be kept, and count as missing. */
export type Judged = Omit<ParsedIntent, 'normalized' | 'domain' | 'object' | 'unread' | 'alternatives' | 'entities'> & {
  readonly entities?: Entities;
};
/** A reading with all its entities, as that of one text. */
export type JudgedWhole = Judged & { readonly entities: Entities };

/**
 * The strictness of action classes, by how much access they open or data they lose for good. `unknown` is the strictest, because
 * no ALLOW matches it. Effects have their own rank, so a deletion that is read as `revoke` stays destructive.
 */
const ACTION_RANK: Readonly<Record<Action, number>> = {
  read: 0,
  create: 1,
  update: 2,
  execute: 3,
  send: 4,
  delete: 5,
  revoke: 6,
  grant: 7,
  transfer: 8,
  unknown: 9,
};

export const actionRank = (action: Action): number => ACTION_RANK[action];
export const effectRank = (effect: Effect): number => EFFECTS.indexOf(effect);
const extentRank = (extent: Extent): number => EXTENTS.indexOf(extent);

/** Action classes, mildest first. */
export const ACTIONS_BY_STRICTNESS: readonly Action[] = ACTIONS.toSorted((a, b) => actionRank(a) - actionRank(b));

/** The stricter of two actions, effects or extents. */
export const stricterAction = (a: Action, b: Action): Action => (actionRank(a) >= actionRank(b) ? a : b);
export const stricterEffect = (a: Effect, b: Effect): Effect => (effectRank(a) >= effectRank(b) ? a : b);
const widerExtent = (a: Extent, b: Extent): Extent => (extentRank(a) >= extentRank(b) ? a : b);

/** Sorted, each value once. */
const union = <T extends string>(a: readonly T[], b: readonly T[]): T[] => [...new Set([...a, ...b])].sort();

/** The verb of the stricter action. For equal actions a finer verb wins over the class, then the later one in the alphabet. */
function leadOf(a: Meaning, b: Meaning): Pick<Meaning, 'verb' | 'action'> {
  const order =
    actionRank(a.action) - actionRank(b.action) ||
    Number(a.verb !== a.action) - Number(b.verb !== b.action) ||
    (a.verb > b.verb ? 1 : -1);
  const { verb, action } = order >= 0 ? a : b;
  return { verb, action };
}

/** The strictest of two meanings, member by member. */
const joinMeanings = (a: Meaning, b: Meaning): Meaning => ({
  ...leadOf(a, b),
  effect: stricterEffect(a.effect, b.effect),
  extent: widerExtent(a.extent, b.extent),
});

/** No class, effect or extent contains a space. */
export const meaningText = ({ action, effect, extent, verb }: Meaning): string =>
  `${action} ${effect} ${extent} ${verb}`;

const byText = (meanings: readonly Meaning[]): Map<string, Meaning> =>
  new Map(meanings.map((meaning) => [meaningText(meaning), meaning]));

const sorted = (meanings: ReadonlyMap<string, Meaning>): Meaning[] =>
  [...meanings].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, meaning]) => meaning);

/** The member `meanings` of a reading: sorted, without duplicates, and absent when there is only one. */
export function meaningsMember(meanings: readonly Meaning[]): { meanings?: Meaning[] } {
  const each = byText(meanings.map(({ action, verb, effect, extent }) => ({ action, verb, effect, extent })));
  return each.size > 1 ? { meanings: sorted(each) } : {};
}

/** All meanings of a reading; at least one. */
export const meaningsOf = (reading: Meaning & Pick<ParsedIntent, 'meanings'>): readonly Meaning[] =>
  reading.meanings ?? [reading];

/**
 * The meanings and the joins of all their subsets: an intent is evaluated for each. More meanings only add to them, and the
 * strictest of all is among them.
 */
export function joinsOf(meanings: readonly Meaning[]): Meaning[] {
  const joins = byText(meanings);
  // Entries added during the iteration of a map are iterated as well.
  for (const joined of joins.values()) {
    for (const meaning of meanings) {
      const both = joinMeanings(joined, meaning);
      joins.set(meaningText(both), both);
    }
  }
  return sorted(joins);
}

/** The member `entities` of a join: one that is not known whole makes the join not known whole. */
function entitiesMember({ entities: a }: Judged, { entities: b }: Judged): Pick<Judged, 'entities'> {
  return a === undefined || b === undefined ? {} : { entities: joinEntities(a, b) };
}

function joinEntities(a: Entities, b: Entities): Entities {
  const money = new Map([...a.money, ...b.money].map((sum) => [`${sum.currency} ${sum.amount}`, sum]));
  return {
    emails: union(a.emails, b.emails),
    urls: union(a.urls, b.urls),
    hosts: union(a.hosts, b.hosts),
    money: [...money].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum),
    paths: union(a.paths, b.paths),
    identifiers: union(a.identifiers, b.identifiers),
  };
}

type MaybeRead = Pick<Judged, 'second_reading'>;

/** The member `second_reading` of a join: that of a text that was not read again is the mildest. */
export function secondReadingOf(readings: readonly MaybeRead[]): { second_reading?: SecondReading } {
  const strictestOne = SECOND_READINGS.findLast((value) => readings.some((one) => one.second_reading === value));
  return strictestOne === undefined ? {} : { second_reading: strictestOne };
}

/** The member `harmless` of a join: all of them are. */
export const harmlessMember = (readings: readonly Pick<Judged, 'harmless'>[]): Pick<Judged, 'harmless'> =>
  readings.length > 0 && readings.every(({ harmless }) => harmless === true) ? { harmless: true } : {};

/**
 * The strictest of two readings, member by member: the stricter action, effect, extent and second reading, the lower confidence and coverage, and all
 * meanings, traits, data classes, flags, places and entities of both. Idempotent, commutative and associative.
 */
export function strictest(a: JudgedWhole, b: JudgedWhole): JudgedWhole;
export function strictest(a: Judged, b: Judged): Judged;
export function strictest(a: Judged, b: Judged): Judged {
  return {
    ...joinMeanings(a, b),
    ...meaningsMember([...meaningsOf(a), ...meaningsOf(b)]),
    traits: union(a.traits, b.traits),
    confidence: Math.min(a.confidence, b.confidence),
    coverage: Math.min(a.coverage, b.coverage),
    ...entitiesMember(a, b),
    data_classes: union(a.data_classes, b.data_classes),
    flags: union(a.flags, b.flags),
    places: union(a.places, b.places),
    ...secondReadingOf([a, b]),
    ...harmlessMember([a, b]),
  };
}
