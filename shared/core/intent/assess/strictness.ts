// Which of two readings is stricter, and the strictest of several: a join that is never milder than what it is made of.
import { ACTIONS, type Action, type Effect, EFFECTS, type Extent, EXTENTS } from '../../../kernel/vocabulary.ts';
import type { Entities, Meaning, ParsedIntent } from '../types.ts';

/** What a reading says that a policy may judge, apart from the name of the thing itself. */
export type Judged = Pick<
  ParsedIntent,
  | 'verb'
  | 'action'
  | 'effect'
  | 'traits'
  | 'extent'
  | 'meanings'
  | 'confidence'
  | 'entities'
  | 'data_classes'
  | 'flags'
  | 'places'
>;

/**
 * How strict an action class is: by what it may open or lose for good. `unknown` is the strictest, because no ALLOW matches
 * it. An effect is ranked on its own, so a deletion that is read as `revoke` stays destructive.
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

/** Action classes, the mildest first. */
export const ACTIONS_BY_STRICTNESS: readonly Action[] = ACTIONS.toSorted((a, b) => actionRank(a) - actionRank(b));

/** The stricter of two actions, effects or extents. */
export const stricterAction = (a: Action, b: Action): Action => (actionRank(a) >= actionRank(b) ? a : b);
export const stricterEffect = (a: Effect, b: Effect): Effect => (effectRank(a) >= effectRank(b) ? a : b);
const widerExtent = (a: Extent, b: Extent): Extent => (extentRank(a) >= extentRank(b) ? a : b);

/** Sorted, each value once. */
const union = <T extends string>(a: readonly T[], b: readonly T[]): T[] => [...new Set([...a, ...b])].sort();

/** The verb of the stricter action. A finer verb says more than the class; any two others: the later in the alphabet. */
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

/** No class, effect or extent holds a space. */
export const meaningText = ({ action, effect, extent, verb }: Meaning): string =>
  `${action} ${effect} ${extent} ${verb}`;

const byText = (meanings: readonly Meaning[]): Map<string, Meaning> =>
  new Map(meanings.map((meaning) => [meaningText(meaning), meaning]));

const sorted = (meanings: ReadonlyMap<string, Meaning>): Meaning[] =>
  [...meanings].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, meaning]) => meaning);

/** Meanings as a reading has them: sorted, each once, and none when there is only one. */
export function meaningsMember(meanings: readonly Meaning[]): { meanings?: Meaning[] } {
  const each = byText(meanings.map(({ action, verb, effect, extent }) => ({ action, verb, effect, extent })));
  return each.size > 1 ? { meanings: sorted(each) } : {};
}

/** All that a reading may mean; never empty. */
export const meaningsOf = (reading: Meaning & Pick<ParsedIntent, 'meanings'>): readonly Meaning[] =>
  reading.meanings ?? [reading];

/**
 * Meanings and the strictest of any of them: all that an intent is judged as. With more meanings they only become more,
 * and the strictest of all is one of them.
 */
export function joinsOf(meanings: readonly Meaning[]): Meaning[] {
  const joins = byText(meanings);
  // What is added while a map is walked through is walked through as well.
  for (const joined of joins.values()) {
    for (const meaning of meanings) {
      const both = joinMeanings(joined, meaning);
      joins.set(meaningText(both), both);
    }
  }
  return sorted(joins);
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

/**
 * The strictest of two readings, member by member: the stricter action, effect and extent, the lower confidence, and all
 * meanings, traits, data classes, flags, places and entities of both. Idempotent, commutative and associative.
 */
export function strictest(a: Judged, b: Judged): Judged {
  return {
    ...joinMeanings(a, b),
    ...meaningsMember([...meaningsOf(a), ...meaningsOf(b)]),
    traits: union(a.traits, b.traits),
    confidence: Math.min(a.confidence, b.confidence),
    entities: joinEntities(a.entities, b.entities),
    data_classes: union(a.data_classes, b.data_classes),
    flags: union(a.flags, b.flags),
    places: union(a.places, b.places),
  };
}

/** Members of a reading by which it may be milder than another one. */
export type MilderMember = Exclude<keyof Judged, 'verb'>;

const lacks = (a: readonly string[], b: readonly string[]): boolean => b.some((value) => !a.includes(value));

/**
 * In which members `a` is milder than `b`: its action, effect or extent comes earlier in the order of strictness, its
 * confidence is higher, or it lacks a meaning, trait, data class, flag, place or entity that `b` has. Empty: `a` is at least as
 * strict. The verb has no order: a finer word for the same class is neither stricter nor milder.
 */
export function milderIn(a: Judged, b: Judged): MilderMember[] {
  const entities = (Object.keys(b.entities) as (keyof Entities)[]).some((kind) =>
    lacks(
      a.entities[kind].map((one) => JSON.stringify(one)),
      b.entities[kind].map((one) => JSON.stringify(one)),
    ),
  );
  const checks: readonly [MilderMember, boolean][] = [
    ['action', actionRank(a.action) < actionRank(b.action)],
    ['effect', effectRank(a.effect) < effectRank(b.effect)],
    ['extent', extentRank(a.extent) < extentRank(b.extent)],
    ['meanings', lacks(joinsOf(meaningsOf(a)).map(meaningText), meaningsOf(b).map(meaningText))],
    ['confidence', a.confidence > b.confidence],
    ['traits', lacks(a.traits, b.traits)],
    ['data_classes', lacks(a.data_classes, b.data_classes)],
    ['flags', lacks(a.flags, b.flags)],
    ['places', lacks(a.places, b.places)],
    ['entities', entities],
  ];
  return checks.flatMap(([member, milder]) => (milder ? [member] : []));
}
