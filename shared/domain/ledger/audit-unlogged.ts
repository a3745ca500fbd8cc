// The audit of what should be in the log: each decision and record must have a leaf, or wait in the inbox. The audit of a log starts from
// its leaves, and does not see a record whose inbox row was deleted before it was appended.
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { lowestId, proofIdOfDecision } from '../../kernel/ids.ts';
import type { OwnerColumns } from '../../kernel/owner.ts';
import type { Database, Statement } from '../../platform/db/database.ts';
import { leafOf, proofOf } from '../../platform/db/leaf-sql.ts';
import { forbidScans } from './audit-rows.ts';
import { ONE_MOMENT } from './authority-rows.ts';
import { waitingIds } from './inbox.ts';

/** Rows in one transaction. */
const PAGE = 500;
/** While more rows wait in the inbox of the log, it is not searched; the next run continues. */
const MOST_WAITING = 5_000;
/** Younger decisions are usually still in the inbox. A decision commits within 20 seconds of its time (decision-store.ts). */
const SETTLED_MS = 60_000;
/** A process that has just started looks at the decisions of this time first. */
const FRESH_MS = 3_600_000;

const isLogged = (proofId: string): string =>
  `EXISTS (SELECT FROM ${leafOf('$1', '$2', proofId)} AS logged) AS is_logged`;
const ofDecisions = (
  condition: string,
): string => `SELECT source.decision_id AS id, ${isLogged(proofOf('source'))} FROM (
      SELECT decision_id FROM decision WHERE organisation_id = $1 AND environment = $2 AND ${condition} ORDER BY organisation_id, environment, decision_id LIMIT ${PAGE}
    ) AS source ORDER BY source.decision_id`;
const ofRecords = (condition: string): string => `SELECT source.proof_id AS id, ${isLogged('source.proof_id')} FROM (
      SELECT proof_id FROM record WHERE organisation_id = $1 AND environment = $2 AND ${condition} ORDER BY organisation_id, environment, proof_id LIMIT ${PAGE}
    ) AS source ORDER BY source.proof_id`;
const NEXT = {
  decision: ofDecisions('decision_id > $3 AND decision_id < $4'),
  record: ofRecords('proof_id > $3'),
};
const AGAIN = {
  decision: ofDecisions('decision_id = ANY ($3::text[])'),
  record: ofRecords('proof_id = ANY ($3::text[])'),
};
// One row at least, which says how many wait.
const WAITING = `WITH waiting AS MATERIALIZED (
      SELECT * FROM log_inbox WHERE organisation_id = $1 AND environment = $2 ORDER BY organisation_id, environment, seq LIMIT ${MOST_WAITING + 1}
    ), found AS (SELECT id FROM waiting CROSS JOIN unnest(${waitingIds('waiting')}) AS id WHERE waiting.source = $3 AND id = ANY ($4::text[]))
    SELECT (SELECT count(*) FROM waiting)::int AS waiting, ARRAY(SELECT id FROM found) AS ids`;

type Source = 'decision' | 'record';

/** How far the rows were compared: ids, after which the next run continues. */
export interface UnloggedTurn {
  /** Of new decisions; absent in a process that has just started. */
  readonly newId?: string;
  /** Of old decisions in turn, and of records; '' at the start of a cycle. */
  readonly oldId: string;
  readonly recordId: string;
}

export interface UnloggedAudited {
  readonly turn: UnloggedTurn;
  /** By source and id, such as `decision dec_...`; undefined: no finding. */
  readonly compared: ReadonlyMap<string, Finding | undefined>;
}

/**
 * Compares new decisions, then at least a page of old ones and of records. Only rows with a finding, now or before, are in the result.
 * @param options.again rows with a finding so far, as in the result
 */
export async function auditUnlogged(
  db: Database,
  owner: OwnerColumns,
  before: UnloggedTurn,
  options: { readonly again: readonly string[]; readonly nowMs: number; readonly isTimeLeft: () => boolean },
): Promise<UnloggedAudited> {
  const compared = new Map<string, Finding | undefined>();
  /** @returns the ids of the rows; undefined: the inbox is too long to tell */
  const compare = (source: Source, statement: Statement, given: readonly unknown[]): Promise<string[] | undefined> =>
    db.transaction(async (sql) => {
      await sql.query(ONE_MOMENT, []);
      await forbidScans(sql);
      const rows = await sql.query<{ id: string; is_logged: boolean }>(statement, [...owner, ...given]);
      let missing = rows.filter((row) => !row.is_logged).map(({ id }) => id);
      if (missing.length > 0) {
        const [inbox] = await sql.query<{ waiting: number; ids: string[] }>(WAITING, [...owner, source, missing]);
        if (inbox === undefined || inbox.waiting > MOST_WAITING) return undefined;
        const waiting = new Set(inbox.ids);
        missing = missing.filter((id) => !waiting.has(id));
      }
      for (const id of missing) compared.set(`${source} ${id}`, findingOf(source, id));
      return rows.map(({ id }) => id);
    });
  /** The next page. @returns the id to go on after; '' when there is no other page, undefined when it must be tried again */
  const page = async (source: Source, after: string, bound: readonly string[]): Promise<string | undefined> => {
    const ids = await compare(source, NEXT[source], [after, ...bound]);
    return ids && (ids.length < PAGE ? '' : (ids.at(-1) ?? ''));
  };

  for (const source of ['decision', 'record'] as const) {
    const again = options.again.filter((one) => one.startsWith(`${source} `));
    for (const one of again) compared.set(one, undefined);
    const ids = again.map((one) => one.slice(source.length + 1));
    if (ids.length > 0 && (await compare(source, AGAIN[source], [ids])) === undefined)
      for (const one of again) compared.delete(one);
  }
  const settledId = lowestId('dec', options.nowMs - SETTLED_MS);
  const firstNewId = before.newId ?? lowestId('dec', options.nowMs - FRESH_MS);
  let newId = firstNewId;
  for (let isFirst = true; newId < settledId && (isFirst || options.isTimeLeft()); isFirst = false) {
    const next = await page('decision', newId, [settledId]);
    if (next === undefined) break;
    // Ids are compared as greater than the last one, and none equals the lowest of its millisecond.
    newId = next === '' ? settledId : next;
  }
  let { oldId, recordId } = before;
  for (let isFirst = true; isFirst || options.isTimeLeft(); isFirst = false) {
    const [nextOld, nextRecord] = [await page('decision', oldId, [firstNewId]), await page('record', recordId, [])];
    oldId = nextOld ?? oldId;
    recordId = nextRecord ?? recordId;
    if (!nextOld && !nextRecord) break;
  }
  return { turn: { newId, oldId, recordId }, compared };
}

function findingOf(source: Source, id: string): Finding {
  const proofId = source === 'decision' ? proofIdOfDecision(id) : id;
  const sentence = `The ${source} with the proof ${quoted(proofId)} is not in the log and does not wait for it: what queued it was deleted.`;
  return { kind: 'record-unlogged', leafIndex: null, proofId, sentence };
}
