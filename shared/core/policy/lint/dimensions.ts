// Partitions the facts that conditions read into independent dimensions, each with finitely many representative values.
import { effectiveTrust, NO_EVIDENCE, recordedScoreOf } from '../../trust/score.ts';
import { AGENT_STATUSES, TIER_TABLE } from '../../../kernel/vocabulary.ts';
import { riskLevelOf } from '../combine.ts';
import type { Leaf } from '../normal-form.ts';
import { timeFactsOf } from '../time.ts';
import { fixedEntry, type VocabularyEntry } from '../vocabulary.ts';
import {
  contextValues,
  isOfItems,
  isOfWholes,
  itemLists,
  itemsOf,
  listValues,
  moneyValues,
  textValues,
  timeMarks,
  type Representatives,
} from './context-values.ts';
import { instantsAround, numbersAround, subsets, type NumberRange } from './values.ts';

/** Facts by full path; undefined for a missing fact. */
export type Assignment = ReadonlyMap<string, unknown>;

/** Facts that depend on each other, with their joint values. `exact`: no other value changes the result of any of the comparisons. */
export interface Dimension {
  readonly key: string;
  readonly values: readonly Assignment[];
  readonly exact: boolean;
}

/** The default time, 2026-03-04 (a Wednesday) at 10:30 UTC, where no condition reads it. */
export const USUAL_TIME_MS = Date.UTC(2026, 2, 4, 10, 30);

/** Of the block for documentation (RFC 5737). */
const USUAL_ADDRESS = '192.0.2.1';

const RANGES: Readonly<Record<string, NumberRange>> = {
  'intent.confidence': { min: 0, max: 1 },
  'intent.coverage': { min: 0, max: 1 },
  'trust.uncertainty': { min: 0, max: 1 },
};
const COUNT: NumberRange = { min: 0, integer: true };
const SCORE: NumberRange = { min: 0, max: 1_000, integer: true };

const HISTORY = /^history\.(last_60s|last_1h|last_24h)\.([A-Z]+)$/;
/** From shortest to longest: a decision counted in one window is counted in all later ones. */
const WINDOWS = ['last_60s', 'last_1h', 'last_24h'];

/** Facts of a call that depend on each other: without a call, all of them are missing. */
const OF_CALL = /^tool\.(?:present|server|name|known|changed)$/;

/** Names the dimension of a path: facts that derive from one instant, one score, one resource or one history belong together. */
export function groupOf(path: string): string {
  if (path.startsWith('trust.') && path !== 'trust.uncertainty') return 'trust';
  if (path.startsWith('intent.risk.')) return 'risk';
  if (path.startsWith('time.')) return 'time';
  if (OF_CALL.test(path)) return 'tool';
  // An unregistered agent has at most the score of no evidence.
  if (path === 'agent.registered' || path === 'agent.status') return 'trust';
  const [, , verdict] = HISTORY.exec(path) ?? [];
  if (verdict !== undefined) return `history ${verdict}`;
  if (path === 'environment' || path === 'key.environment') return 'environment';
  return /^intent\.(resource|domain|object|normalized|depth)$/.test(path) ? 'resource' : path;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const constantsOf = (leaves: readonly Leaf[], paths: readonly string[]): number[] =>
  leaves
    .filter((leaf) => paths.includes(leaf.path))
    .flatMap(itemsOf)
    .filter(isNumber);

export function assign(members: Readonly<Record<string, unknown>>): Assignment {
  return new Map(Object.entries(members));
}

function scoresAround(leaves: readonly Leaf[], paths: readonly string[]): number[] {
  const tiers = TIER_TABLE.map((tier) => tier.from);
  return numbersAround([...tiers, NO_EVIDENCE.score, ...constantsOf(leaves, paths)], SCORE);
}

const STATUSES = ['UNREGISTERED', ...AGENT_STATUSES] as const;
/** The largest number of values of one dimension; beyond it, only the first ones are analysed and `exact` is false. */
export const MAX_VALUES = 4_000;

function capped(key: string, values: readonly Assignment[], exact: boolean): Dimension {
  return { key, values: values.slice(0, MAX_VALUES), exact: exact && values.length <= MAX_VALUES };
}

type Status = (typeof STATUSES)[number];

const agentOf = (status: Status): Assignment =>
  assign({ 'agent.status': status, 'agent.registered': status !== 'UNREGISTERED' });
const isScoreOf = (status: Status, recorded: number): boolean =>
  recordedScoreOf(status !== 'UNREGISTERED', recorded) === recorded;

/** Recorded score, claimed score and registration determine all other trust facts. */
function trustDimension(leaves: readonly Leaf[]): Dimension {
  const isAgentAsked = leaves.some((leaf) => leaf.path.startsWith('agent.'));
  if (leaves.every((leaf) => leaf.path.startsWith('agent.'))) return capped('trust', STATUSES.map(agentOf), true);
  const scores = scoresAround(leaves, ['trust.score', 'trust.recorded.score', 'trust.claimed.score']);
  const isClaimAsked = leaves.some((leaf) => !/^trust\.(level|score)$/.test(leaf.path));
  const claims = isClaimAsked ? [undefined, ...scores] : [undefined];
  const kept = claims.slice(0, Math.max(2, Math.floor(MAX_VALUES / scores.length)));
  const trusts = scores.flatMap((recordedScore) =>
    kept.map((claimedScore) => effectiveTrust({ recordedScore, claimedScore, uncertainty: 0 })),
  );
  const values = trusts.flatMap((trust) => {
    const members = assign({
      'trust.level': trust.level,
      'trust.score': trust.score,
      'trust.recorded': trust.recorded,
      'trust.claimed': trust.claimed,
    });
    if (!isAgentAsked) return [members];
    return STATUSES.filter((status) => isScoreOf(status, trust.recorded.score)).map(
      (status) => new Map([...members, ...agentOf(status)]),
    );
  });
  return capped('trust', values, kept.length === claims.length);
}

/** The largest number of counts per window, by the number of windows read, so that there are about MAX_VALUES combinations. */
const MAX_COUNTS = [0, MAX_VALUES, 89, 28];

/** The counts of one verdict in each window that a condition reads. */
function historyDimension(key: string, leaves: readonly Leaf[]): Dimension {
  const [, verdict = ''] = key.split(' ');
  const asked = WINDOWS.map((window) => `history.${window}.${verdict}`).filter((path) =>
    leaves.some((leaf) => leaf.path === path),
  );
  const counts = numbersAround(leaves.flatMap(itemsOf).filter(isNumber), COUNT).sort((a, b) => a - b);
  const kept = counts.slice(0, MAX_COUNTS[asked.length]);
  let pasts: readonly (readonly number[])[] = [[]];
  for (const _ of asked)
    pasts = pasts.flatMap((past) => kept.filter((n) => n >= (past.at(-1) ?? 0)).map((n) => [...past, n]));
  const values = pasts.map((past) => new Map(asked.map((path, i) => [path, past[i]])));
  return capped(key, values, kept.length === counts.length);
}

const DATE = /^\d{4}-\d\d-\d\d$/;

function timeDimension(leaves: readonly Leaf[]): Dimension {
  const marks = timeMarks(leaves.filter((leaf) => leaf.path !== 'time.date'));
  const dates = leaves.filter((leaf) => leaf.path === 'time.date');
  const days = dates.flatMap(itemsOf).flatMap((date) => {
    const at = typeof date === 'string' && DATE.test(date) ? Date.parse(date) : Number.NaN;
    return Number.isNaN(at) ? [] : [at, at + 86_400_000];
  });
  const minutes = [
    ...marks.minutes,
    ...constantsOf(leaves, ['time.hour']).flatMap((hour) => [Math.floor(hour) * 60, Math.floor(hour) * 60 + 60]),
    ...constantsOf(leaves, ['time.minute_of_day']).flatMap((minute) => [Math.floor(minute), Math.floor(minute) + 1]),
  ];
  const weekdays = leaves.some((leaf) => leaf.path === 'time.weekday');
  const instants = instantsAround(
    { instants: [...marks.instants, ...days], minutes, weekdays: weekdays || marks.weekdays },
    USUAL_TIME_MS,
  );
  const exact = instants.exact && marks.exact && dates.every(isOfWholes);
  return capped(
    'time',
    instants.values.map((at) => assign({ time: timeFactsOf(at) })),
    exact,
  );
}

function placesValues(leaves: readonly Leaf[]): Representatives {
  const inside = [...new Set(leaves.flatMap(itemsOf))].filter((item) => typeof item === 'string');
  const places = inside.map((pattern) => pattern.replace(/\*$/, 'example').toLowerCase());
  const lists = subsets([...new Set(places)], 6);
  return { values: lists ?? [[], ...places.map((place) => [place])], exact: false };
}

/** A declared time: one that is present, and those that the comparisons tell apart. */
function timesAround(leaves: readonly Leaf[]): Representatives {
  const { values, exact } = contextValues(leaves);
  return { values: [...values, timeFactsOf(USUAL_TIME_MS).now], exact };
}

function valuesOf(path: string, entry: VocabularyEntry, leaves: readonly Leaf[]): Representatives {
  const ofItems = entry.type === 'unknown' ? [] : leaves.filter(isOfItems);
  if (ofItems.length === 0) return plainValuesOf(path, entry, leaves);
  const rest = plainValuesOf(
    path,
    entry,
    leaves.filter((leaf) => !isOfItems(leaf)),
  );
  return { values: [...rest.values, ...itemLists(ofItems).values], exact: false };
}

function plainValuesOf(path: string, entry: VocabularyEntry, leaves: readonly Leaf[]): Representatives {
  switch (entry.type) {
    case 'unknown':
      return contextValues(leaves);
    case 'address': {
      const { values, exact } = contextValues(leaves);
      return { values: [...values, USUAL_ADDRESS], exact };
    }
    case 'boolean':
      return { values: [false, true], exact: true };
    case 'number': {
      const range = entry.isDeclared === true ? undefined : (RANGES[path] ?? COUNT);
      return { values: numbersAround(leaves.flatMap(itemsOf).filter(isNumber), range), exact: true };
    }
    case 'string':
      return entry.values === undefined ? textValues(leaves) : { values: entry.values, exact: true };
    case 'strings':
      return listValues(leaves.filter((leaf) => leaf.operator.name !== 'isPresent'));
    case 'money':
      return moneyValues(leaves.filter((leaf) => leaf.operator.name !== 'isPresent'));
    case 'resources':
      return placesValues(leaves.filter((leaf) => leaf.operator.name !== 'isPresent'));
    case 'timestamp':
    case 'minutes':
    case 'resource':
      // Only declared times are independent of all other facts.
      if (entry.isDeclared === true) return timesAround(leaves);
      throw new Error(`${path} belongs to a group`);
    default:
      return entry.type satisfies never;
  }
}

/** No call, and calls of each kind that the comparisons can tell apart. */
function toolDimension(leaves: readonly Leaf[]): Dimension {
  const on = (path: string): Leaf[] => leaves.filter((leaf) => leaf.path === path);
  const [servers, names] = ['tool.server', 'tool.name'].map((path) => textValues(on(path)));
  const [known, changed] = ['tool.known', 'tool.changed'].map((path) => on(path).length > 0);
  const calls = (names?.values ?? []).flatMap((name) =>
    (servers?.values ?? []).flatMap((server) =>
      (known ? [true, false] : [true]).flatMap((isKnown) =>
        (changed ? [false, true] : [false]).map((isChanged) =>
          assign({
            'tool.present': true,
            'tool.server': server,
            'tool.name': name,
            'tool.known': isKnown,
            'tool.changed': isChanged,
          }),
        ),
      ),
    ),
  );
  const exact = servers?.exact === true && names?.exact === true;
  return capped('tool', [assign({ 'tool.present': false }), ...calls], exact);
}

/** Facts of parses that most of them lack. */
const OF_SOME_PARSES: ReadonlySet<string> = new Set(['intent.second_reading', 'intent.harmless']);

/** Whether a fact may be missing: facts of a tool call without a call, of some parses, and attributes that nobody has set. */
function isOptional(path: string, { isDeclared }: VocabularyEntry): boolean {
  return (
    isDeclared === true ||
    path.startsWith('tool.') ||
    path.startsWith('resource.attributes.') ||
    OF_SOME_PARSES.has(path)
  );
}

/** The tags of the key with which a value that only some keys may set counts. */
function settersOf({ onlyFrom }: VocabularyEntry, value: unknown): Readonly<Record<string, unknown>> {
  return onlyFrom === undefined || value === undefined ? {} : { 'key.tags': onlyFrom };
}

/** The dimension of one group of paths, except `resource`, which depends on the rule's target. */
export function dimensionOf(key: string, leaves: readonly Leaf[]): Dimension {
  switch (key) {
    case 'trust':
      return trustDimension(leaves);
    case 'risk': {
      const scores = numbersAround([400, 700, ...constantsOf(leaves, ['intent.risk.score'])], SCORE);
      const values = scores.map((score) =>
        assign({ 'intent.risk.score': score, 'intent.risk.level': riskLevelOf(score) }),
      );
      return { key, values, exact: true };
    }
    case 'time':
      return timeDimension(leaves);
    case 'tool':
      return toolDimension(leaves);
    default: {
      if (key.startsWith('history ')) return historyDimension(key, leaves);
      const entry = leaves[0]?.entry ?? fixedEntry(key);
      if (entry === undefined) throw new Error(`${key} is not in the vocabulary`);
      const { values, exact } = valuesOf(key, entry, leaves);
      const withMissing = isOptional(key, entry) ? [...new Set([...values, undefined])] : values;
      return capped(
        key,
        withMissing.map((value) => assign({ [key]: value, ...settersOf(entry, value) })),
        // Several items of a list are not analysed.
        exact && !key.includes('[]'),
      );
    }
  }
}
