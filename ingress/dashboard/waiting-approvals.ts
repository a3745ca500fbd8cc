// The waiting approvals as the page of approvals shows them: what was asked, and what is known about the agent that asked.
import { demandsView } from '../../shared/api/approval-view.ts';
import type { IntentBody } from '../../shared/api/intent.ts';
import { answerOfRecord } from '../../shared/core/decision/record.ts';
import { dayOf } from '../../shared/core/trust/beta.ts';
import { NOTHING_RECORDED } from '../../shared/core/trust/recorded.ts';
import { levelOf } from '../../shared/core/trust/score.ts';
import { readStatuses } from '../../shared/domain/agents/agents.ts';
import { sameHandsAs } from '../../shared/domain/approvals/hands.ts';
import { boundOf, type StoredApproval } from '../../shared/domain/approvals/store.ts';
import { isApprover, readProgress, votesOf } from '../../shared/domain/approvals/votes.ts';
import {
  type ExpiryPlace,
  readEarlier,
  readGroups,
  readMembers,
  readNewest,
  readWaiting,
  type WaitingApproval as WaitingRow,
  type WaitingGroup,
} from '../../shared/domain/approvals/waiting.ts';
import { mayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { loadTrust } from '../../shared/domain/trust/state.ts';
import { type Owner, ownerColumns, ownerOf } from '../../shared/kernel/owner.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type {
  AgentGlance,
  ApprovalGroup,
  EarlierDecision,
  WaitingApproval,
  WordsRead,
} from './client/wire/approvals.ts';

export interface WaitingDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
}

export interface WaitingPage {
  readonly agentIds: readonly string[] | undefined;
  readonly after: ExpiryPlace | undefined;
  readonly limit: number;
}

export interface WaitingReader {
  /** Groups with their first members, soonest expiry first. A fixed number of queries for any number of groups. */
  groups(key: AuthenticatedKey, page: WaitingPage): Promise<ReadGroups>;
  /** The members of one group. */
  members(key: AuthenticatedKey, group: string, page: WaitingPage): Promise<ReadMembers>;
  /** The words of the request of one approval, pending or not. Undefined: the key may see no such approval, or it is not genuine. */
  words(key: AuthenticatedKey, approvalId: string): Promise<WordsRead | undefined>;
}

export interface ReadGroups {
  readonly groups: readonly WaitingGroup[];
  /** As in WaitingGroups. */
  readonly newest: string | null;
  /** Undefined: none of its first members is pending and genuine any more. */
  readonly show: (group: WaitingGroup) => ApprovalGroup | undefined;
}

export interface ReadMembers {
  readonly places: readonly ExpiryPlace[];
  readonly items: readonly WaitingApproval[];
}

/** Members of a group that the list shows at first. */
const FIRST_MEMBERS = 3;
const VERDICTS_SHOWN = 12;

const VERDICTS = `SELECT one.agent_id, part.verdict FROM unnest($3::text[]) AS one (agent_id) CROSS JOIN LATERAL (
      SELECT d.verdict, d.decision_id FROM decision d WHERE d.organisation_id = $1 AND d.environment = $2 AND d.agent_id = one.agent_id
      ORDER BY d.decision_id DESC LIMIT ${VERDICTS_SHOWN}) AS part ORDER BY part.decision_id DESC`;
const AGENT_NAMES =
  'SELECT agent_id AS id, name FROM agent WHERE organisation_id = $1 AND environment = $2 AND agent_id = ANY ($3)';
const KEY_NAMES = 'SELECT key_id AS id, name FROM api_key WHERE organisation_id = $1 AND key_id = ANY ($2)';

type Names = ReadonlyMap<string, string>;

async function namesOf(db: Database, statement: typeof KEY_NAMES | typeof AGENT_NAMES, values: unknown[]) {
  const rows = await db.query<{ id: string; name: string }>(statement, values);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function createWaitingReader({ db, nowMs, trustDailyCap }: WaitingDeps): WaitingReader {
  const filterOf = (key: AuthenticatedKey, { agentIds }: WaitingPage) => ({
    ...ownerOf(key),
    agentIds,
    nowMs: nowMs(),
  });

  /** The approvals with these ids; those that are not pending any more, or not genuine, are left out. */
  const readItems = async (key: AuthenticatedKey, ids: readonly string[]): Promise<Map<string, WaitingApproval>> => {
    const rows = [...(await readWaiting(db, key, ids)).values()].filter(({ state }) => state === 'pending');
    const askers = rows.map((row) => row.key_id);
    const [same, progressOf, names] = await Promise.all([
      sameHandsAs(db, key.keyId, askers),
      readProgress(db, rows, nowMs()),
      namesOf(db, KEY_NAMES, [key.organisationId, askers]),
    ]);
    const itemOf = (row: WaitingRow): WaitingApproval => {
      const mayDecide = !same.has(row.key_id);
      const hasApproved = votesOf(row).some(({ by }) => by === key.keyId);
      const mayApprove = mayDecide && !hasApproved && isApprover(row, key);
      return { ...shownItem(row, names), mayDecide, mayApprove, hasApproved, approvers: demandsView(progressOf(row)) };
    };
    return new Map(rows.map((row) => [row.approval_id, itemOf(row)]));
  };

  const readAgents = async (owner: Owner, agentIds: readonly string[]): Promise<AgentGlance[]> => {
    const at = nowMs();
    const values = [...ownerColumns(owner), agentIds];
    const keys = agentIds.map((agentId) => ({ ...owner, agentId }));
    const [trusts, statuses, names, verdicts] = await Promise.all([
      loadTrust(db, keys, at, trustDailyCap),
      readStatuses(db, owner, agentIds),
      namesOf(db, AGENT_NAMES, values),
      db.query<{ agent_id: string; verdict: Verdict }>(VERDICTS, values),
    ]);
    return agentIds.map((agentId, i) => {
      const { score } = (trusts[i] ?? NOTHING_RECORDED).on(dayOf(at));
      return {
        agentId,
        name: names.get(agentId) ?? null,
        status: statuses.get(agentId) ?? null,
        trust: { score, level: levelOf(score) },
        verdicts: verdicts.filter((row) => row.agent_id === agentId).map(({ verdict }) => verdict),
      };
    });
  };

  return {
    async groups(key, page) {
      const { after, limit } = page;
      const filter = filterOf(key, page);
      // Read first: what arrives in between is new to the reader, even when the groups have it already.
      const newest = await readNewest(db, filter);
      const groups = await readGroups(db, filter, { after, limit, members: FIRST_MEMBERS });
      const [items, earlier] = await Promise.all([
        readItems(
          key,
          groups.flatMap(({ approvalIds }) => approvalIds),
        ),
        readEarlier(
          db,
          key,
          groups.map(({ id }) => id),
        ),
      ]);
      const deciders = [...earlier.values()].flat().flatMap(({ decided_by: by }) => (by === null ? [] : [by]));
      const agentIds = [...new Set([...items.values()].map(({ agentId }) => agentId))];
      const [agents, names] = await Promise.all([
        readAgents(ownerOf(key), agentIds),
        namesOf(db, KEY_NAMES, [key.organisationId, deciders]),
      ]);
      return {
        groups,
        newest,
        show({ id, count, approvalIds }) {
          const shown = approvalIds.flatMap((each) => items.get(each) ?? []);
          const agent = agents.find(({ agentId }) => agentId === shown[0]?.agentId);
          return agent && { id, count, agent, items: shown, earlier: summaryOf(earlier.get(id), names) };
        },
      };
    },
    async members(key, group, page) {
      const { after, limit } = page;
      const places = await readMembers(db, filterOf(key, page), { group, after, limit });
      const items = await readItems(
        key,
        places.map(({ id }) => id),
      );
      return { places, items: places.flatMap(({ id }) => items.get(id) ?? []) };
    },
    async words(key, approvalId) {
      const row = (await readWaiting(db, key, [approvalId])).get(approvalId);
      return row === undefined || !mayName(key, row.agent_id) ? undefined : wordsRead(row);
    },
  };
}

type Deciders = 'mayDecide' | 'mayApprove' | 'hasApproved' | 'approvers';

function wordsRead(row: WaitingRow): WordsRead {
  return {
    // Text that this service wrote.
    text: row.raw_intent === null ? null : (JSON.parse(row.raw_intent) as string),
    reading: readingOf(row),
    secondReader: secondReaderOf(row),
  };
}

/** Parses of earlier versions have neither coverage nor unread. */
function readingOf({ parse }: WaitingRow): WaitingApproval['reading'] {
  if (parse === null) return null;
  // Text that this service wrote.
  const { coverage, unread } = JSON.parse(parse) as Partial<IntentBody>;
  return coverage === undefined ? null : { coverage, unread: unread ?? [] };
}

function secondReaderOf({ parse }: WaitingRow): WaitingApproval['secondReader'] {
  if (parse === null) return null;
  // Text that this service wrote.
  const { second_reading: outcome, second_reading_raised, second_reading_why } = JSON.parse(parse) as IntentBody;
  if (outcome === undefined) return null;
  return { outcome, raised: second_reading_raised ?? [], why: second_reading_why ?? null };
}

function shownItem(row: WaitingRow, names: Names): Omit<WaitingApproval, Deciders> {
  // Text that this service wrote.
  const decision = JSON.parse(answerOfRecord(row.record)) as WaitingApproval['decision'];
  const { decision_id, intent, tool, reasons, trust } = decision;
  const { bound, masked } = boundOf(row);
  // The members of the bound statement are facts.
  const facts = bound as {
    readonly tool?: WaitingApproval['call'];
    readonly context?: WaitingApproval['context'];
  } | null;
  return {
    approvalId: row.approval_id,
    agentId: row.agent_id,
    keyId: row.key_id,
    keyName: names.get(row.key_id) ?? null,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decision: { decision_id, intent, reasons, trust, ...(tool === undefined ? {} : { tool }) },
    ...wordsRead(row),
    call: facts?.tool ?? null,
    masked,
    context: facts?.context ?? null,
    isLarge: row.is_large,
  };
}

/** @param rows newest first */
function summaryOf(rows: readonly StoredApproval[] = [], names: Names): ApprovalGroup['earlier'] {
  const decided = rows.flatMap(({ state, decided_by: by, decided_at: at, reason }): EarlierDecision[] =>
    by === null || at === null || reason === null
      ? []
      : [
          {
            state: state === 'rejected' ? 'rejected' : 'approved',
            by,
            byName: names.get(by) ?? null,
            reason,
            at: at.toISOString(),
          },
        ],
  );
  const [last = null] = [...decided].sort((a, b) => (a.at < b.at ? 1 : -1));
  const approved = decided.filter(({ state }) => state === 'approved').length;
  return { approved, rejected: decided.length - approved, expired: rows.length - decided.length, last };
}
