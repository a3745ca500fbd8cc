// What an agent's parses of the last 15 minutes said of a string: a string that is enforced is taken with the strictest of them.
//
// A parse is durable, here too, before it is answered, and each enforcement asks Postgres before it is evaluated: a parse
// that was answered before the enforcement was sent counts, whichever process made it. No cache stands between, so there
// is no time in which one is missed. Concurrent enforcements share one question.
import { columnMap, numeric, optionalText, text, textArray } from '../../platform/db/columns.ts';
import type { Database, Statement } from '../../platform/db/database.ts';
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
import {
  ACTIONS,
  DATA_CLASSES,
  EFFECTS,
  type Environment,
  EXTENTS,
  INTENT_FLAGS,
  TRAITS,
} from '../../kernel/vocabulary.ts';
import { createReading, type IntentReading } from './readings.ts';

/** Of one agent: whose parses of which string. */
export interface ParsedString {
  readonly organisationId: string;
  readonly environment: Environment;
  readonly agentId: string;
  readonly normalized: string;
}

/** Entities of a row: of many different texts for one string, so many are kept. What judges them by traits and flags misses none. */
const MAX_ENTITIES = 200;
/** Longest string that is joined: longer ones are no names of anything, and would not fit into an index. */
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
    // Of a single meaning, too: a row joins many, and its columns keep only the strictest.
    ...tagged('m', meaningsOf(judged).map(meaningText)),
  ];
}

const ENTITY_LISTS = ['emails', 'urls', 'hosts', 'paths', 'identifiers'] as const;

const entityTexts = (entities: Entities): string[] => [
  ...ENTITY_LISTS.flatMap((kind) => tagged(kind, entities[kind])),
  ...entities.money.map((sum) => `money${SEPARATOR}${sum.currency} ${sum.amount}`),
];

/** Parses of one string of one agent are one row. */
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

// No part but the last can hold a line feed.
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

/** Parses count for so long. */
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

/** The values with a tag that belong to a closed list; what an older version wrote and this one does not know is left out. */
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

/** What meaningText wrote; what this version does not know counts as the strictest. */
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
    // Ranks that this version does not know count as the strictest.
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

/** Whose reading is asked for. */
export interface Asker extends Omit<ParsedString, 'normalized'> {
  /**
   * When what is asked about began: the approval that is to be used was opened, or the intent was submitted. What counted
   * then counts until it ends, or an approval could not be used once the 15 minutes are over. Default: now.
   */
  readonly begunAtMs?: number | undefined;
}

/** One look-up. */
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
const FIND: Statement = {
  name: 'recent-parses-find',
  text: `SELECT asked.organisation_id || E'\\n' || asked.environment || E'\\n' || asked.agent_id || E'\\n' || coalesce(asked.begun, '') || E'\\n' || asked.normalized AS key, r.*
    FROM (${ASKED.rows()}) AS asked
    CROSS JOIN LATERAL (SELECT least(now(), asked.begun::timestamptz) - interval '15 minutes' AS since OFFSET 0) AS counting
    CROSS JOIN LATERAL (SELECT action, verb, effect, extent, confidence, marks, entities FROM recent_parse
      WHERE organisation_id = asked.organisation_id AND environment = asked.environment AND agent_id = asked.agent_id AND normalized = asked.normalized
        AND bucket > counting.since - interval '6 minutes' AND last_at > counting.since OFFSET 0) r`,
};

// No part but the last can hold a line feed.
const keyOfAsked = (asked: AskedString): string =>
  `${asked.organisationId}\n${asked.environment}\n${asked.agentId}\n${begunText(asked) ?? ''}\n${asked.normalized}`;

export interface RecentParses {
  /**
   * The reading of a string with the strictest of what this agent's parses of it said in the last 15 minutes (or since 15 minutes before `begunAtMs`), and of the
   * parse that is named. The string's own reading when there are none. @throws {ApiError} E6002
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

/** The reading of a string joined with what was said of it: the name and the resource stay its own. */
function withParses(own: IntentReading, parses: readonly Judged[]): IntentReading {
  // A join has the judged members alone.
  const judged = parses.reduce<Judged>(strictest, own.unassessed);
  return createReading({ ...own.unassessed, ...judged, parsed: true }, own.names);
}

export function createRecentParses({ db }: { db: Database }): RecentParses {
  // Nothing is committed: the group is what makes concurrent questions one, whose members each pick their rows.
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
  // What was joined last with each reading: an agent that asks the same again gets the same facts, whose texts are made.
  const last = new WeakMap<IntentReading, { readonly key: string; readonly reading: IntentReading }>();

  const find = async (asked: AskedString): Promise<Judged[]> => {
    const rows = (await questions.add(asked)).get(keyOfAsked(asked)) ?? [];
    // One question may hold the same string twice.
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
