// Set-up for tests of the audit: a log with decisions and proofs, its auditor, and functions that damage and repair it.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Database } from '../../shared/platform/db/database.ts';
import { appendWaiting } from '../../shared/domain/ledger/append.ts';
import { type Auditor, createAuditor } from '../../shared/domain/ledger/audit.ts';
import { createChainHeads } from '../../shared/domain/ledger/chain-heads.ts';
import { type Checkpointer, createCheckpointer } from '../../shared/domain/ledger/checkpoints.ts';
import { findLog } from '../../shared/domain/ledger/export.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import type { Finding } from '../../shared/core/proof/audit-findings.ts';
import { rootFromLeafHashes } from '../../shared/core/proof/merkle.ts';
import { recordPrefix } from '../../shared/core/proof/record.ts';
import { asSuperuser } from '../support/database.ts';
import { temporaryFolder } from '../support/folders.ts';

export const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

export interface LogUnderTest {
  readonly db: Database;
  readonly organisationId: string;
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  readonly checkpointer: Checkpointer;
  readonly halts: { readonly origin: string; readonly reason: string }[];
  readonly reported: Finding[];
  /** Runs audits until the whole log has been audited, one subtree for each run. */
  readonly auditor: Auditor;
  /** Replaces the auditor by one that remembers nothing, as when its process is replaced. */
  restart(): void;
  /** Accepts records of entities `entity-0` to `entity-4` in turn. */
  fill(count: number, label?: string): Promise<void>;
  append(): Promise<void>;
  publish(): Promise<void>;
  /** The findings of the last audit of the newest log. */
  findings(options?: { full?: boolean; runs?: number }): Promise<Finding[]>;
  logId(): Promise<number>;
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Acts as a superuser who knows the code: triggers and foreign keys do not run. */
  tamper(text: string): Promise<void>;
}

export function logUnderTest(options: {
  db: Database;
  organisationId: string;
  slug: string;
  keeper?: CheckpointKeeper;
  key?: KeyObject;
  checkpointDir?: string;
}): LogUnderTest {
  const { db, organisationId, slug, key = newKey() } = options;
  const keeper = options.keeper ?? createCheckpointKeeper(options.checkpointDir ?? temporaryFolder('kept'));
  const halts: { origin: string; reason: string }[] = [];
  const reported: Finding[] = [];
  const nowMs = Date.now;
  const checkpointer = createCheckpointer({
    db,
    key,
    keeper,
    nowMs,
    onHalt: (origin, reason) => halts.push({ origin, reason }),
    onReplaced: () => {
      throw new Error('the logs have another key');
    },
  });
  const startAuditor = (): Auditor =>
    createAuditor({
      db,
      key,
      keeper,
      nowMs,
      monotonicMs: () => performance.now(),
      onFinding: (_, finding) => reported.push(finding),
      budgetMs: 0,
      // A run ends when its work is done, not after a second: tests of the time limit set their own.
      runMs: 60_000,
    });
  let auditor = startAuditor();
  const chainHeads = createChainHeads();
  const log: LogUnderTest = {
    db,
    organisationId,
    key,
    keeper,
    checkpointer,
    halts,
    reported,
    get auditor() {
      return auditor;
    },
    restart: () => {
      auditor = startAuditor();
    },
    async fill(count, label = 'fill') {
      const occurredAt = new Date().toISOString();
      const rows = Array.from({ length: count }, (_, i) => {
        const [proofId, entityId] = [`${label}-${i}`, `entity-${i % 5}`];
        const body = JSON.stringify({ i });
        const parts = {
          entityId,
          event: 'filled',
          occurredAt,
          body,
          environment: 'live',
          organisationSlug: slug,
          proofId,
        };
        return { proofId, entityId, record: Buffer.from(recordPrefix(parts)) };
      });
      await log.sql(
        `WITH made AS (
          INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
          SELECT $1, 'live', proof_id, entity_id, 'filled', $2, record FROM unnest($3::text[], $4::text[], $5::bytea[]) AS given (proof_id, entity_id, record)
        ) INSERT INTO log_inbox (organisation_id, environment, source, source_id)
        SELECT $1, 'live', 'record', proof_id FROM unnest($3::text[]) WITH ORDINALITY AS given (proof_id, n) ORDER BY n`,
        [
          organisationId,
          occurredAt,
          rows.map((r) => r.proofId),
          rows.map((r) => r.entityId),
          rows.map((r) => r.record),
        ],
      );
    },
    async append() {
      await appendWaiting({ db, nowMs, logHost: 'custos.local', chainHeads }, organisationId, 'live');
    },
    publish: () => checkpointer.publish(organisationId, 'live'),
    async findings({ full = false, runs = 1 } = {}) {
      const logId = await log.logId();
      let findings: readonly Finding[] = [];
      for (let i = 0; i < runs; i += 1)
        findings = (await auditor.run({ full })).find((audit) => audit.logId === logId)?.findings ?? [];
      return [...findings];
    },
    async logId() {
      const found = await findLog(db, organisationId, 'live');
      if (found === undefined) throw new Error('there is no log yet');
      return found.logId;
    },
    sql: (text, values = []) => db.query(text, values),
    tamper: (text) =>
      asSuperuser(db, async (sql) => {
        for (const statement of text.split(';').filter((part) => part.trim() !== '')) await sql.query(statement, []);
      }),
  };
  return log;
}

const TABLES = ['leaf', 'node', 'checkpoint', 'record', 'decision', 'audit'];

/** Saves the current rows of the log; the returned function restores them, and restarts the auditor. */
export async function saveRows(log: LogUnderTest): Promise<() => Promise<void>> {
  await log.tamper(
    [...TABLES, 'log']
      .map((table) => `DROP TABLE IF EXISTS saved_${table}; CREATE TABLE saved_${table} AS TABLE ${table}`)
      .join(';'),
  );
  const restore = TABLES.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`);
  const head =
    'UPDATE log SET size = s.size, frontier = s.frontier, halted_reason = s.halted_reason FROM saved_log s WHERE s.log_id = log.log_id';
  return async () => {
    await log.tamper([...restore, head].join(';'));
    log.restart();
  };
}

/** Stores the nodes of every level, as earlier versions did. */
export async function storeEveryNode(log: LogUnderTest): Promise<void> {
  const leaves = await log.sql('SELECT log_id, leaf_hash FROM leaf ORDER BY log_id, leaf_index');
  const hashes = leaves.map((row) => row['leaf_hash'] as Buffer);
  for (let level = 1; 2 ** level <= hashes.length; level += 1) {
    const width = 2 ** level;
    for (let i = 0; (i + 1) * width <= hashes.length; i += 1)
      await log.sql(
        'INSERT INTO node (log_id, level, node_index, hash) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [leaves[0]?.['log_id'], level, i, rootFromLeafHashes(hashes.slice(i * width, (i + 1) * width))],
      );
  }
}
