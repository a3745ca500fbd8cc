// The audit of authority: keeps in memory the authority that a log's records give to keys, agents, sessions, halts and approvals, and
// compares it with their rows repeatedly. Rows can be edited in the database; the memory of this process cannot.
import type { Owner, OwnerColumns } from '../../kernel/owner.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { forgetOver, type Ledger, ledgerOf, noSubjects, ONLY, type Subjects, takeRecord } from './authority.ts';
import { forbidScans } from './audit-rows.ts';
import { approvedWithoutRow, compareAuthority } from './authority-compare.ts';
import {
  ONE_MOMENT,
  readApprovalStates,
  readAuthorityRows,
  readLogged,
  readLogs,
  readWaiting,
  readWaitingDecisions,
} from './authority-rows.ts';
import { writeServiceRecord } from './service-record.ts';

export interface AuthorityAuditDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

export interface AuthorityAudit {
  /**
   * Compares one organisation and environment, if its comparison is due.
   * @returns undefined when it is not due, or when not all records are read yet; the next call continues
   */
  compare(owner: Owner, options?: { readonly now?: boolean }): Promise<Finding[] | undefined>;
}

/** A comparison may use a twentieth of one core: the more rows, the longer the wait until the next one, up to the limit. */
const SHARE = 20;
const MAX_WAIT_MS = 30_000;
/** Time limit for reading records in one call, because a process that has just started reads all of them. */
const READ_MS = 500;
/** The longest lifetime of an approval (CUSTOS_APPROVAL_TTL), and an hour for differences of clocks. */
const APPROVAL_MS = 7 * 86_400_000 + 3_600_000;

/** The state of one organisation and environment. */
interface Known {
  logged: Subjects;
  /** The next leaf of each of its logs. */
  readonly next: Map<number, number>;
  /** Findings of records whose bytes are not those that were hashed. Such records give no authority. */
  broken: Finding[];
  dueMs: number;
}

// Activations lock the row of the installation's set, also those of one organisation.
const HOLD_POLICY = 'SELECT FROM policy_state FOR SHARE';
const IN_FORCE =
  'SELECT coalesce(own.active_digest, state.active_digest) AS active_digest FROM policy_state AS state LEFT JOIN organisation_policy AS own ON own.organisation_id = $1';

export function createAuthorityAudit({ db, nowMs, monotonicMs }: AuthorityAuditDeps): AuthorityAudit {
  const owners = new Map<string, Known>();

  /** Reads the records since the last call. @returns false when the time limit came first */
  const readOn = async (sql: Sql, owner: OwnerColumns, known: Known, all: boolean): Promise<boolean> => {
    const startedMs = monotonicMs();
    const logs = await readLogs(sql, owner);
    // A log that has shrunk is a different log, which the audit of logs reports. Start from the beginning.
    if (logs.some(({ logId, size }) => size < (known.next.get(logId) ?? 0))) {
      known.logged = noSubjects();
      known.next.clear();
      known.broken = [];
    }
    const ledger = ledgerOf(known.logged, noSubjects());
    for (const { logId, size } of logs) {
      for (let isLast = (known.next.get(logId) ?? 0) >= size; !isLast; ) {
        const page = await readLogged(sql, logId, known.next.get(logId) ?? 0);
        for (const { index, proofId, record } of page.leaves) {
          if (record !== undefined) takeRecord(known.logged, ledger, record);
          else known.broken.push(brokenFinding(index, proofId));
        }
        isLast = page.isLast;
        known.next.set(logId, isLast ? size : (page.leaves.at(-1)?.index ?? size) + 1);
        if (!isLast && !all && monotonicMs() - startedMs > READ_MS) return false;
      }
    }
    return true;
  };

  const compareRows = async (
    sql: Sql,
    owner: OwnerColumns,
    known: Known,
  ): Promise<{ findings: Finding[]; ledger: Ledger }> => {
    const waitingSubjects = noSubjects();
    const ledger = ledgerOf(known.logged, waitingSubjects);
    for (const record of await readWaiting(sql, owner)) takeRecord(waitingSubjects, ledger, record);
    const rows = await readAuthorityRows(sql, owner);
    const unlogged = rows.openApprovals.filter((row) => !row.is_logged).map((row) => row.decision_id);
    const waiting = await readWaitingDecisions(sql, owner, unlogged);
    const closed = await readApprovalStates(sql, owner, approvedWithoutRow(rows, ledger));
    const findings = compareAuthority(rows, ledger, { waiting, closed, nowMs: nowMs() });
    return { findings, ledger };
  };

  return {
    async compare({ organisationId, environment }, { now = false } = {}) {
      const owner: OwnerColumns = [organisationId, environment];
      const id = owner.join('\n');
      const known = owners.get(id) ?? { logged: noSubjects(), next: new Map<number, number>(), broken: [], dueMs: 0 };
      owners.set(id, known);
      const startedMs = monotonicMs();
      if (!now && startedMs < known.dueMs) return undefined;
      const compared = await db.transaction(async (sql) => {
        await sql.query(ONE_MOMENT, []);
        await forbidScans(sql);
        if (!(await readOn(sql, owner, known, now))) return undefined;
        forgetOver(known.logged, nowMs(), APPROVAL_MS);
        return compareRows(sql, owner, known);
      });
      if (compared === undefined) return undefined;
      if (compared.ledger.get('policy', ONLY) === undefined) await recordPolicyInForce(organisationId, environment);
      const endedMs = monotonicMs();
      known.dueMs = endedMs + Math.min(MAX_WAIT_MS, SHARE * (endedMs - startedMs));
      return [...known.broken, ...compared.findings];
    },
  };

  /**
   * Records the policy set in force for a log that was created after the last activation and has no record of it. Activations wait
   * for the lock, so that their records come later.
   */
  async function recordPolicyInForce(organisationId: string, environment: Environment): Promise<void> {
    await db.transaction(async (sql) => {
      await sql.query(HOLD_POLICY, []);
      const [state] = await sql.query<{ active_digest: string | null }>(IN_FORCE, [organisationId]);
      const digest = state?.active_digest ?? null;
      if (digest === null) return;
      const waiting = noSubjects();
      const owner: OwnerColumns = [organisationId, environment];
      for (const record of await readWaiting(sql, owner)) takeRecord(waiting, ledgerOf(waiting, noSubjects()), record);
      if (waiting.policy.has(ONLY)) return;
      const body = { change: 'in_force', digest };
      await writeServiceRecord(sql, { organisationId, environment, event: 'custos.policy_set', body }, nowMs());
    });
  }
}

function brokenFinding(index: number, proofId: string): Finding {
  const sentence = `Leaf ${index} (proof ${quoted(proofId)}): the bytes of its record, which gives or takes authority, are not those that were hashed.`;
  return { kind: 'record-altered', leafIndex: index, proofId, sentence };
}
