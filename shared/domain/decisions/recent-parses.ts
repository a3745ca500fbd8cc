// Joins an enforced string with the agent's parses of it in the last 15 minutes, so that the strictest reading counts.
//
// A parse is durable before it is answered, and each enforcement queries PostgreSQL before it is evaluated, without a cache. So every
// parse that was answered before the enforcement was sent counts, from any process. Concurrent enforcements share one query.
import { columnMap, numeric, optionalText, text, textArray } from '../../platform/db/columns.ts';
import type { Database } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import {
  ACTIONS_BY_STRICTNESS,
  actionRank,
  type Judged,
  meaningsMember,
  meaningsOf,
  meaningText,
  strictest,
} from '../../core/intent/assess/strictness.ts';
import type { Entities, Meaning, Money } from '../../core/intent/types.ts';
import { ACTIONS, DATA_CLASSES, EFFECTS, EXTENTS, INTENT_FLAGS, TRAITS } from '../../kernel/vocabulary.ts';
import type { Owner } from '../../kernel/owner.ts';
import { createReading, type IntentReading } from './readings.ts';

/** A string and the agent that parsed it. */
export interface ParsedString extends Owner {
  readonly agentId: string;
  readonly normalized: string;
}

/** Limit of the entities in a row. Traits and flags, by which most policies decide, have no limit. */
const MAX_ENTITIES = 200;
/** Longest string that is joined. Longer ones name nothing and do not fit into an index. */
const MAX_NORMALIZED = 1_000;

const SEPARATOR = ':';
const tagged = (tag: string, values: readonly string[]): string[] => values.map((value) => tag + SEPARATOR + value);

function marksOf(judged: Judged): string[] {
  const { traits, data_classes, flags, places } = judged;
  return [
    ...tagged('t', traits),
    ...tagged('c', data_classes),
    ...tagged('f', flags),
    ...tagged('p', places),
    // Also for a single meaning, because a row joins many parses and its columns keep only the strictest.
    ...tagged('m', meaningsOf(judged).map(meaningText)),
  ];
}

const ENTITY_LISTS = ['emails', 'urls', 'hosts', 'paths', 'identifiers'] as const;

const entityTexts = (entities: Entities): string[] => [
  ...ENTITY_LISTS.flatMap((kind) => tagged(kind, entities[kind])),
  ...entities.money.map((sum) => `money${SEPARATOR}${sum.currency} ${sum.amount}`),
];

/** Joins the parses of the same string and agent. */
function joined(parses: readonly (ParsedString & { reading: Judged })[]): (ParsedString & { reading: Judged })[] {
  const byString = new Map<string, ParsedString & { reading: Judged }>();
  for (const parse of parses) {
    if (parse.normalized.length > MAX_NORMALIZED) continue;
    const key = keyOf(parse);
    const known = byString.get(key);
    byString.set(key, known === undefined ? parse : { ...parse, reading: strictest(known.reading, parse.reading) });
  }
  return [...byString.values()];
}

// Only the last part can contain a line feed.
const keyOf = ({ organisationId, environment, agentId, normalized }: ParsedString): string =>
  `${organisationId}\n${environment}\n${agentId}\n${normalized}`;

const RECENT = columnMap<ParsedString & { reading: Judged }>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  agent_id: text((r) => r.agentId),
  normalized: text((r) => r.normalized),
  action: numeric('smallint', (r) => actionRank(r.reading.action)),
  verb: text((r) => r.reading.verb),
  effect: numeric('smallint', (r) => EFFECTS.indexOf(r.reading.effect)),
  extent: numeric('smallint', (r) => EXTENTS.indexOf(r.reading.extent)),
  confidence: numeric('float8', (r) => r.reading.confidence),
  marks: textArray((r) => marksOf(r.reading)),
  entities: textArray((r) => entityTexts(r.reading.entities)),
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
      confidence = least(r.confidence, excluded.confidence),
      marks = ARRAY(SELECT DISTINCT unnest(r.marks || excluded.marks)),
      entities = (ARRAY(SELECT DISTINCT unnest(r.entities || excluded.entities)))[1:${MAX_ENTITIES}]`;

/** The parameters of joinParses. */
export const recentValues = (parses: readonly (ParsedString & { reading: Judged })[]): unknown[] =>
  RECENT.values(joined(parses));

/** How long parses count. */
export const PARSE_COUNTS_MS = 15 * 60_000;

interface FoundRow {
  key: string;
  action: number;
  verb: string;
  effect: number;
  extent: number;
  confidence: number;
  marks: string[];
  entities: string[];
}

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
    return { currency: text.slice(0, space), amount: Number(text.slice(space + 1)) };
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

function judgedOf({ action, verb, effect, extent, confidence, marks, entities }: FoundRow): Judged {
  const [emails = [], urls = [], hosts = [], paths = [], identifiers = []] = ENTITY_LISTS.map((kind) =>
    textsOf(entities, kind),
  );
  return {
    verb,
    // Ranks of another version that this one does not know count as the strictest.
    action: ACTIONS_BY_STRICTNESS[action] ?? 'unknown',
    effect: EFFECTS[effect] ?? 'destructive',
    extent: EXTENTS[extent] ?? 'all',
    ...meaningsMember(textsOf(marks, 'm').map(meaningOf)),
    confidence,
    traits: valuesOf(marks, 't', TRAITS),
    data_classes: valuesOf(marks, 'c', DATA_CLASSES),
    flags: valuesOf(marks, 'f', INTENT_FLAGS),
    places: textsOf(marks, 'p'),
    entities: { emails, urls, hosts, money: moneyOf(entities), paths, identifiers },
  };
}

/** The agent whose parses count. */
export interface Asker extends Omit<ParsedString, 'normalized'> {
  /**
   * When the approval to be used was opened, or the intent was submitted. Parses that counted then still count, because otherwise an
   * approval could not be used after 15 minutes. Default: now.
   */
  readonly begunAtMs?: number | undefined;
}

/** One query. */
type AskedString = ParsedString & Pick<Asker, 'begunAtMs'>;

const begunText = ({ begunAtMs }: AskedString): string | undefined =>
  begunAtMs === undefined ? undefined : new Date(begunAtMs).toISOString();

const ASKED = columnMap<AskedString>({
  organisation_id: text((a) => a.organisationId),
  environment: text((a) => a.environment),
  agent_id: text((a) => a.agentId),
  normalized: text((a) => a.normalized),
  begun: optionalText(begunText),
});

/**
 * A row ends its time with its last parse, and begins it up to five minutes earlier. The time asked for never makes the
 * 15 minutes shorter: with it, at least as many parses count.
 */
const FIND = `SELECT asked.organisation_id || E'\\n' || asked.environment || E'\\n' || asked.agent_id || E'\\n' || coalesce(asked.begun, '') || E'\\n' || asked.normalized AS key, r.*
    FROM (${ASKED.rows()}) AS asked
    CROSS JOIN LATERAL (SELECT least(now(), asked.begun::timestamptz) - interval '15 minutes' AS since OFFSET 0) AS counting
    CROSS JOIN LATERAL (SELECT action, verb, effect, extent, confidence, marks, entities FROM recent_parse
      WHERE organisation_id = asked.organisation_id AND environment = asked.environment AND agent_id = asked.agent_id AND normalized = asked.normalized
        AND bucket > counting.since - interval '6 minutes' AND last_at > counting.since OFFSET 0) r`;

// No part but the last can hold a line feed.
const keyOfAsked = (asked: AskedString): string =>
  `${asked.organisationId}\n${asked.environment}\n${asked.agentId}\n${begunText(asked) ?? ''}\n${asked.normalized}`;

export interface RecentParses {
  /**
   * Joins the reading of a string with the agent's parses of it in the last 15 minutes (or since 15 minutes before `begunAtMs`) and
   * with the named parse. Without any, the string's own reading. @throws {ApiError} E6002
   */
  strictestOf(asker: Asker, own: IntentReading, named?: IntentReading): Promise<IntentReading>;
}

function byKey(rows: readonly FoundRow[]): ReadonlyMap<string, readonly FoundRow[]> {
  const found = new Map<string, FoundRow[]>();
  for (const row of rows) {
    const known = found.get(row.key);
    if (known === undefined) found.set(row.key, [row]);
    else known.push(row);
  }
  return found;
}

const MAX_ROWS = 1_000;
const MAX_WAITING = 20_000;

/** The reading of a string joined with parses of it. The name and the resource stay its own. */
function withParses(own: IntentReading, parses: readonly Judged[]): IntentReading {
  // A join has the judged members alone.
  const judged = parses.reduce<Judged>(strictest, own.unassessed);
  return createReading({ ...own.unassessed, ...judged, parsed: true }, own.names);
}

export function createRecentParses({ db }: { db: Database }): RecentParses {
  // Used for coalescing, not for commits: concurrent questions become one query, and each picks its rows.
  const questions = createGroupCommit<AskedString, ReadonlyMap<string, readonly FoundRow[]>>({
    db,
    statement: FIND,
    columns: ASKED.values,
    // The rows of FIND.
    result: (rows) => byKey(rows as readonly FoundRow[]),
    sizeOf: ({ normalized }) => normalized.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  // The last join of each reading, so that a repeated question reuses its facts and their texts.
  const last = new WeakMap<IntentReading, { readonly key: string; readonly reading: IntentReading }>();

  const find = async (asked: AskedString): Promise<Judged[]> => {
    const rows = (await questions.add(asked)).get(keyOfAsked(asked)) ?? [];
    // One query may contain the same string twice.
    return [...new Map(rows.map((row) => [JSON.stringify(row), judgedOf(row)])).values()];
  };

  return {
    async strictestOf(asker, own, named) {
      const names = own.names.filter((name) => name.length <= MAX_NORMALIZED);
      const found = await Promise.all(names.map((normalized) => find({ ...asker, normalized })));
      const parses = [...found.flat(), ...(named === undefined ? [] : [named.unassessed])];
      if (parses.length === 0) return own;
      const key = JSON.stringify(parses);
      const known = last.get(own);
      if (known?.key === key) return known.reading;
      const reading = withParses(own, parses);
      last.set(own, { key, reading });
      return reading;
    },
  };
}
