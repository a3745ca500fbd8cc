// Replays the stored decisions of a range with a draft: reads them page by page, evaluates them, and builds a report. Read-only.
import { createHash } from 'node:crypto';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { createPause } from '../../platform/process/slices.ts';
import { lowestId } from '../../kernel/ids.ts';
import { createDifference, REPORT_LIMITS } from '../../core/policy/difference.ts';
import type { DifferenceReport } from '../../core/policy/difference-types.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { PolicySet } from '../../core/policy/load.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { ENVIRONMENTS, type Environment } from '../../kernel/vocabulary.ts';
import { createDraftReplayer } from './draft-replayer.ts';
import type { StoredForReplay } from './replay.ts';
import type { ReplayReport } from './reports.ts';

/** Which decisions are replayed. Undefined: all of them. */
export interface ReplayRange {
  readonly organisationId?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly agentId?: string | undefined;
  /** Inclusive; milliseconds since 1970. */
  readonly fromMs?: number | undefined;
  /** Exclusive. Decisions that are being stored at this time may be missing. */
  readonly toMs: number;
  /** Limit of the number, oldest first in each organisation and environment. */
  readonly limit?: number | undefined;
}

// One index look-up for each. With EXISTS the planner might choose a join.
const SPANS = `SELECT id AS organisation_id, one.environment FROM organisation CROSS JOIN unnest(array['${ENVIRONMENTS.join("','")}']) AS one (environment)
    CROSS JOIN LATERAL (
      SELECT FROM decision WHERE organisation_id = id AND decision.environment = one.environment AND decision_id > $3 AND decision_id < $4
      ORDER BY decision_id LIMIT 1
    ) AS has_some
    WHERE ($1::text IS NULL OR id = $1) AND ($2::text IS NULL OR one.environment = $2) ORDER BY slug, one.environment`;
// Ids begin with the millisecond of evaluated_at, so they have its order, and there is an index of them, also per agent.
const OF_SPAN =
  'FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id > $3 AND decision_id < $4';
const OF_AGENT = `${OF_SPAN} AND agent_id = $6`;
const pageOf = (rows: string): Statement =>
  `SELECT decision_id, record, facts, facts_salt AS salt ${rows} ORDER BY decision_id LIMIT $5`;
const countOf = (rows: string): Statement =>
  `SELECT count(*)::int AS n, max(decision_id) AS last_id FROM (SELECT decision_id ${rows} ORDER BY decision_id LIMIT $5) AS counted`;
const PAGE = { all: pageOf(OF_SPAN), ofAgent: pageOf(OF_AGENT) };
const COUNT = { all: countOf(OF_SPAN), ofAgent: countOf(OF_AGENT) };
const SLUG = 'SELECT slug FROM organisation WHERE id = $1';
const STORED_SET = 'SELECT canonical FROM policy_set_text WHERE digest = $1';

interface Span {
  readonly organisation_id: string;
  readonly environment: string;
}

interface PageRow extends StoredForReplay {
  readonly decision_id: string;
}

const PAGE_SIZE = 200;
/** Decisions counted by one statement: about fifty milliseconds. */
const COUNT_SIZE = 20_000;
/** Limit of listed sets. */
const MAX_SETS = 20;

const firstId = ({ fromMs }: ReplayRange): string => (fromMs === undefined ? '' : lowestId('dec', fromMs));
const endId = ({ toMs }: ReplayRange): string => lowestId('dec', toMs);

function spansOf(sql: Sql, range: ReplayRange): Promise<Span[]> {
  return sql.query<Span>(SPANS, [
    range.organisationId ?? null,
    range.environment ?? null,
    firstId(range),
    endId(range),
  ]);
}

/** At most `size` rows of a span, oldest first, with ids after `afterId`. */
function ofRange<Row extends object>(
  sql: Sql,
  statements: { readonly all: Statement; readonly ofAgent: Statement },
  range: ReplayRange,
  at: Span & { readonly afterId: string; readonly size: number },
): Promise<Row[]> {
  const values = [at.organisation_id, at.environment, at.afterId, endId(range), at.size];
  return range.agentId === undefined
    ? sql.query<Row>(statements.all, values)
    : sql.query<Row>(statements.ofAgent, [...values, range.agentId]);
}

/**
 * Counts the decisions of a range up to `most`, in short statements.
 * @param onCounted called after each statement
 */
export async function countDecisions(
  sql: Sql,
  range: ReplayRange,
  most = Number.MAX_SAFE_INTEGER,
  onCounted?: () => void | Promise<void>,
): Promise<number> {
  const limit = Math.min(most, range.limit ?? most);
  let total = 0;
  for (const span of await spansOf(sql, range)) {
    let afterId = firstId(range);
    while (total < limit) {
      const size = Math.min(COUNT_SIZE, limit - total);
      const at = { ...span, afterId, size };
      const [row] = await ofRange<{ n: number; last_id: string | null }>(sql, COUNT, range, at);
      total += row?.n ?? 0;
      await onCounted?.();
      if (row === undefined || row.n < size || row.last_id === null) break;
      afterId = row.last_id;
    }
  }
  return total;
}

export interface ReplayDeps {
  readonly db: Sql;
  readonly set: PolicySet<Lexicon>;
  readonly range: ReplayRange;
  /** Called after each page with the number of replayed decisions. An error that it throws ends the replay. */
  readonly onProgress?: ((replayed: number) => void | Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Replays a range. Deterministic: equal decisions, range and draft give the same report.
 * @throws {ApiError} E6002 while PostgreSQL is away, the signal's reason when it is aborted
 */
export async function replayRange(deps: ReplayDeps): Promise<ReplayReport> {
  const { db, set, range, onProgress, signal } = deps;
  const replayer = await createDraftReplayer(db, set);
  const difference = createDifference(REPORT_LIMITS);
  const sets = new Map<string, number>();
  // A tool call is read again, which may take a hundred times as long as another decision.
  const pause = createPause();
  let replayed = 0;

  const replayPage = async (rows: readonly PageRow[]): Promise<void> => {
    for (const row of rows) {
      const outcome = await replayer.replay(row);
      if (outcome.kind === 'compared') difference.add(outcome.compared);
      else if (outcome.kind === 'standing') difference.addStanding();
      else difference.addNotEvaluable(outcome.why);
      if (outcome.policyDigest !== undefined) sets.set(outcome.policyDigest, (sets.get(outcome.policyDigest) ?? 0) + 1);
      replayed += 1;
      await pause();
    }
  };

  const limit = range.limit ?? Number.POSITIVE_INFINITY;
  for (const span of await spansOf(db, range)) {
    let afterId = firstId(range);
    while (replayed < limit) {
      signal?.throwIfAborted();
      const size = Math.min(PAGE_SIZE, limit - replayed);
      const page = await ofRange<PageRow>(db, PAGE, range, { ...span, afterId, size });
      await replayPage(page);
      if (page.length > 0) await onProgress?.(replayed);
      if (page.length < size) break;
      afterId = page.at(-1)?.decision_id ?? afterId;
    }
  }

  const report = difference.report();
  const listed = await describeSets(db, set, sets);
  return {
    draft: { digest: set.digest, policies: set.policies.length },
    range: await describeRange(db, range),
    ...report,
    sets: listed,
    notes: notesOf(report, listed),
  };
}

async function describeRange(db: Sql, range: ReplayRange): Promise<ReplayReport['range']> {
  const { organisationId, environment = null, agentId = null, fromMs, toMs, limit = null } = range;
  const [row] = organisationId === undefined ? [] : await db.query<{ slug: string }>(SLUG, [organisationId]);
  return {
    from: fromMs === undefined ? null : new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    organisation: row?.slug ?? null,
    environment,
    agentId,
    limit,
  };
}

async function describeSets(
  db: Sql,
  draft: PolicySet,
  counts: ReadonlyMap<string, number>,
): Promise<ReplayReport['sets']> {
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const own = lexiconDigest(draft.canonical);
  const described: ReplayReport['sets'][number][] = [];
  for (const [digest, decisions] of sorted.slice(0, MAX_SETS)) {
    const [row] = digest === draft.digest ? [] : await db.query<{ canonical: Buffer }>(STORED_SET, [digest]);
    const text = digest === draft.digest ? draft.canonical : row?.canonical.toString('utf8');
    const lexicon = text === undefined ? 'unknown' : lexiconDigest(text) === own ? 'same' : 'other';
    described.push({ digest, decisions, lexicon });
  }
  return described;
}

function lexiconDigest(canonical: string): string {
  // The canonical text of a set, which is an object (shared/core/policy/load.ts).
  const document = JSON.parse(canonical) as {
    readonly lexicon: unknown;
    readonly installation?: { readonly lexicon: unknown };
  };
  const { lexicon } = document.installation ?? document;
  return createHash('sha256').update(canonicalize(lexicon)).digest('hex');
}

function notesOf({ decisions }: DifferenceReport, sets: ReplayReport['sets']): string[] {
  const notes: string[] = [];
  const others = sets.filter(({ lexicon }) => lexicon !== 'same').reduce((sum, one) => sum + one.decisions, 0);
  if (others > 0)
    notes.push(
      `${others} decisions were made with another lexicon than the draft's. They are replayed with the reading that was recorded (action, object, effect, data classes): what another lexicon would have read is not shown.`,
    );
  const { factsErased, damaged, notReproduced } = decisions.notEvaluable;
  if (factsErased > 0) notes.push(`The facts of ${factsErased} decisions were erased by retention.`);
  if (damaged + notReproduced > 0)
    notes.push(
      `${damaged + notReproduced} decisions are not what was recorded, or do not follow from it: "custos decision verify --all" names them.`,
    );
  return notes;
}
