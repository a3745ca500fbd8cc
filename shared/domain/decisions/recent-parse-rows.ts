// Parses as rows of the table recent_parse: one row joins the parses of an agent, a name and five minutes.
import { createHash } from 'node:crypto';
import { columnMap, numeric, text, textArray } from '../../platform/db/columns.ts';
import {
  ACTIONS_BY_STRICTNESS,
  actionRank,
  effectRank,
  harmlessMember,
  type Judged,
  meaningsMember,
  meaningsOf,
  meaningText,
  secondReadingOf,
  strictest,
} from '../../core/intent/assess/strictness.ts';
import type { Entities, Meaning, Money } from '../../core/intent/types.ts';
import {
  ACTIONS,
  DATA_CLASSES,
  EFFECTS,
  EXTENTS,
  INTENT_FLAGS,
  SECOND_READINGS,
  TRAITS,
} from '../../kernel/vocabulary.ts';
import type { Owner } from '../../kernel/owner.ts';

/** A string and the agent that parsed it, or that enforces it. */
export interface ParsedString extends Owner {
  readonly agentId: string;
  readonly normalized: string;
}

/** Entities that a row keeps, fewer than this, and their bytes. Traits and flags, by which most policies decide, have no limit. */
const MAX_ENTITIES = 200;
const MAX_ENTITY_BYTES = 40_000;
/** In place of entities that are more than a row keeps: some of them must not be taken for all. */
const TOO_MANY = '*';
/** Longest name, in bytes of UTF-8, that is stored itself. An index entry of PostgreSQL has at most 2,704 bytes. */
const MAX_NAME_BYTES = 1_000;

const SEPARATOR = ':';
/** The mark of a parse that was not read a second time. */
const NOT_READ_AGAIN = 'none';
/** Marks of parses of texts that are surely harmless, and of others. A row may have both, and one of an earlier version has none. */
const HARMLESS = 'harmless';
const NOT_HARMLESS = 'open';
const tagged = (tag: string, values: readonly string[]): string[] => values.map((value) => tag + SEPARATOR + value);

function marksOf(judged: Judged): string[] {
  const { traits, data_classes, flags, places } = judged;
  return [
    ...tagged('t', traits),
    ...tagged('c', data_classes),
    ...tagged('f', flags),
    ...tagged('p', places),
    ...tagged('s', [judged.second_reading ?? NOT_READ_AGAIN]),
    ...tagged('h', [judged.harmless === true ? HARMLESS : NOT_HARMLESS]),
    // Also for a single meaning, because a row joins many parses and its columns keep only the strictest.
    ...tagged('m', meaningsOf(judged).map(meaningText)),
  ];
}

const ENTITY_LISTS = ['emails', 'urls', 'hosts', 'paths', 'identifiers'] as const;

function entityTexts(entities: Entities | undefined): string[] {
  if (entities === undefined) return [TOO_MANY];
  const texts = [
    ...ENTITY_LISTS.flatMap((kind) => tagged(kind, entities[kind])),
    ...entities.money.map((sum) => `money${SEPARATOR}${sum.currency} ${sum.amount}`),
  ];
  const isTooMany = texts.length >= MAX_ENTITIES || Buffer.byteLength(texts.join('')) > MAX_ENTITY_BYTES;
  return isTooMany ? [TOO_MANY] : texts;
}

/** A parse with all names under which it is found (namesOfParse). */
export interface NamedParse extends Owner {
  readonly agentId: string;
  readonly names: readonly string[];
  readonly reading: Judged;
}

/** The columns of a row that describe its parses. */
export interface RecentRow {
  /** Rank, as are effect and extent. */
  action: number;
  verb: string;
  effect: number;
  extent: number;
  confidence: number;
  coverage: number;
  marks: string[];
  entities: string[];
}

/** The columns of one reading; judgedOf reads them again. */
export const rowOf = (reading: Judged): RecentRow => ({
  action: actionRank(reading.action),
  verb: reading.verb,
  effect: effectRank(reading.effect),
  extent: EXTENTS.indexOf(reading.extent),
  confidence: reading.confidence,
  coverage: reading.coverage,
  marks: marksOf(reading),
  entities: entityTexts(reading.entities),
});

type RecentParse = ParsedString & { readonly reading: Judged };

/** The name itself, or a digest of one that is too long for the index. */
export const nameKey = (name: string): string =>
  Buffer.byteLength(name) <= MAX_NAME_BYTES ? name : `sha256:${createHash('sha256').update(name).digest('hex')}`;

// Only the last part can contain a line feed.
const keyOf = ({ organisationId, environment, agentId, normalized }: ParsedString): string =>
  `${organisationId}\n${environment}\n${agentId}\n${normalized}`;

/** One row for each agent and name: the strictest of their parses. */
function joined(parses: readonly NamedParse[]): (ParsedString & RecentRow)[] {
  const byName = new Map<string, RecentParse>();
  for (const { organisationId, environment, agentId, names, reading } of parses) {
    for (const name of names) {
      const one: RecentParse = { organisationId, environment, agentId, normalized: nameKey(name), reading };
      const key = keyOf(one);
      const known = byName.get(key);
      byName.set(key, known === undefined ? one : { ...one, reading: strictest(known.reading, reading) });
    }
  }
  return Array.from(byName.values(), ({ organisationId, environment, agentId, normalized, reading }) => ({
    organisationId,
    environment,
    agentId,
    normalized,
    ...rowOf(reading),
  }));
}

const RECENT = columnMap<ParsedString & RecentRow>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  agent_id: text((r) => r.agentId),
  normalized: text((r) => r.normalized),
  action: numeric('smallint', (r) => r.action),
  verb: text((r) => r.verb),
  effect: numeric('smallint', (r) => r.effect),
  extent: numeric('smallint', (r) => r.extent),
  confidence: numeric('float8', (r) => r.confidence),
  coverage: numeric('float8', (r) => r.coverage),
  marks: textArray((r) => r.marks),
  entities: textArray((r) => r.entities),
});

/**
 * Joins parses into the rows of their strings, five minutes each. Sorted, so that two processes that join the same strings
 * never wait for each other in a circle.
 * @param first number of the first parameter of recentValues
 */
export const joinParses = (
  first: number,
): string => `${RECENT.insertInto('recent_parse AS r', `(${RECENT.rows(first)}) AS given`, { bucket: `date_bin('5 minutes', now(), 'epoch')`, last_at: 'now()' })}
    ORDER BY organisation_id, environment, agent_id, normalized
    ON CONFLICT (organisation_id, environment, agent_id, normalized, bucket) DO UPDATE SET
      last_at = greatest(r.last_at, excluded.last_at),
      verb = CASE WHEN (excluded.action, excluded.verb COLLATE "C") > (r.action, r.verb COLLATE "C") THEN excluded.verb ELSE r.verb END,
      action = greatest(r.action, excluded.action), effect = greatest(r.effect, excluded.effect), extent = greatest(r.extent, excluded.extent),
      confidence = least(r.confidence, excluded.confidence), coverage = least(r.coverage, excluded.coverage),
      marks = ARRAY(SELECT DISTINCT unnest(r.marks || excluded.marks)),
      entities = (SELECT CASE WHEN bool_or(each = '${TOO_MANY}') OR count(*) >= ${MAX_ENTITIES} OR sum(octet_length(each)) > ${MAX_ENTITY_BYTES} THEN '{${TOO_MANY}}' ELSE coalesce(array_agg(each), '{}') END
        FROM (SELECT DISTINCT unnest(r.entities || excluded.entities) AS each) AS all_of_them)`;

/** The parameters of joinParses. */
export const recentValues = (parses: readonly NamedParse[]): unknown[] => RECENT.values(joined(parses));

/** The values of a closed list with a tag. Values of another version that this one does not know are left out. */
function valuesOf<T extends string>(texts: readonly string[], tag: string, known: readonly T[]): T[] {
  return known.filter((value) => texts.includes(tag + SEPARATOR + value));
}

const textsOf = (texts: readonly string[], tag: string): string[] => {
  const prefix = tag + SEPARATOR;
  return texts.flatMap((text) => (text.startsWith(prefix) ? [text.slice(prefix.length)] : [])).sort();
};

function moneyOf(texts: readonly string[]): Money[] {
  return textsOf(texts, 'money').map((text) => {
    const space = text.indexOf(' ');
    return { amount: Number(text.slice(space + 1)), currency: text.slice(0, space) };
  });
}

/** Parses the text of meaningText. Values that this version does not know count as the strictest. */
function meaningOf(text: string): Meaning {
  const [action = '', effect = '', extent = '', ...verb] = text.split(' ');
  return {
    action: ACTIONS.find((known) => known === action) ?? 'unknown',
    effect: EFFECTS.find((known) => known === effect) ?? 'destructive',
    extent: EXTENTS.find((known) => known === extent) ?? 'all',
    verb: verb.join(' '),
  };
}

/** Whether a parse in the row was not read a second time; rows of earlier versions have no such mark at all. */
export const lacksSecondReading = ({ marks }: Pick<RecentRow, 'marks'>): boolean => {
  const read = textsOf(marks, 's');
  return read.length === 0 || read.includes(NOT_READ_AGAIN);
};

/** The member `entities` of a row's reading. A row of an earlier version with so many may have been cut. */
function entitiesMember(texts: readonly string[]): Pick<Judged, 'entities'> {
  if (texts.length >= MAX_ENTITIES || texts.includes(TOO_MANY)) return {};
  const [emails = [], urls = [], hosts = [], paths = [], identifiers = []] = ENTITY_LISTS.map((kind) =>
    textsOf(texts, kind),
  );
  return { entities: { emails, urls, hosts, money: moneyOf(texts), paths, identifiers } };
}

/** The joined reading of a row. */
export function judgedOf({ action, verb, effect, extent, confidence, coverage, marks, entities }: RecentRow): Judged {
  return {
    verb,
    // Ranks of another version that this one does not know count as the strictest.
    action: ACTIONS_BY_STRICTNESS[action] ?? 'unknown',
    effect: EFFECTS[effect] ?? 'destructive',
    extent: EXTENTS[extent] ?? 'all',
    ...meaningsMember(textsOf(marks, 'm').map(meaningOf)),
    confidence,
    coverage,
    traits: valuesOf(marks, 't', TRAITS),
    data_classes: valuesOf(marks, 'c', DATA_CLASSES),
    flags: valuesOf(marks, 'f', INTENT_FLAGS),
    places: textsOf(marks, 'p'),
    ...secondReadingOf(valuesOf(marks, 's', SECOND_READINGS).map((second_reading) => ({ second_reading }))),
    ...harmlessMember(textsOf(marks, 'h').map((text) => (text === HARMLESS ? { harmless: true } : {}))),
    ...entitiesMember(entities),
  };
}
