// Pepper rotation: all sealed rows are sealed under the new pepper in one transaction.
import { DatabaseClient } from '../client.ts';
import { isSubmissionGenuine, SUBMISSION, type SubmissionRow, submissionSeal } from './submissions.ts';
import { SetupError } from '../../embedded/account.ts';
import { isRecent } from '../elapsed.ts';
import { compareFingerprints, PEPPER, pepperFingerprint } from '../fingerprints.ts';
import { ADVISORY_LOCKS } from '../locks.ts';
import { AUDIT_PROGRESS, type AuditProgressRow, isProgressSeal, progressSeal } from './audit-progress.ts';
import {
  BUDGET_CHARGE,
  BUDGET_USE,
  type BudgetChargeRow,
  type BudgetUseRow,
  chargeSeal,
  isChargeGenuine,
  isUseGenuine,
  useSeal,
} from './budgets.ts';
import { isUnset, type RefusedRow, sealedBatches } from './check.ts';
import { type DropRow, dropSeal, isDropSeal } from './retention-drop.ts';
import { sealedColumns } from './rows.ts';
import { PLACE, putSeals, writeSeals } from './seal-existing.ts';
import { createSeals, rowId, type Seals } from './seals.ts';
import { SEALED_TABLE_NAMES } from './tables.ts';

export interface Peppers {
  /** The pepper in force. */
  readonly previous: string | undefined;
  readonly next: string;
}

export interface Rotated {
  /** False: the new pepper was already in force, and nothing changed. */
  readonly changed: boolean;
  readonly sealed: number;
  /** Rows that were not genuine before. They keep their seals and stay refused. */
  readonly refused: readonly RefusedRow[];
}

/** Processes write a heartbeat every second; a slow one gets a margin. */
const ALIVE_WITHIN_SECONDS = 5;

type Row = Record<string, unknown>;
type Run = <R extends object = Row>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/**
 * Seals all rows under the new pepper and puts it in force. Each old seal is checked first. The tables are locked
 * meanwhile, and no process of the service may be running.
 * @param ownerUrl address for the role that owns the tables
 * @throws {SetupError} when it is not possible, with what to do; then nothing is changed
 */
export async function rotatePepper(ownerUrl: string, peppers: Peppers): Promise<Rotated> {
  const client = new DatabaseClient({ connectionString: ownerUrl, application_name: 'custos-pepper' });
  await client.connect();
  const run: Run = async <R extends object>(text: string, values: readonly unknown[] = []) =>
    // The author of a statement knows the shape of its rows; PostgreSQL can't tell TypeScript.
    (await client.query(text, [...values])).rows as R[];
  try {
    await run('BEGIN');
    const rotated = await rotateIn(run, peppers);
    await run('COMMIT');
    return rotated;
  } catch (error) {
    if ((error as { code?: unknown }).code === '42501')
      throw new SetupError(
        'Only the owner of the tables can seal all of them again: give its address in CUSTOS_MIGRATION_DATABASE_URL.',
        { cause: error },
      );
    if ((error as { code?: unknown }).code === '55P03')
      throw new SetupError('Something else works on the database: stop everything that uses it, and run this again.', {
        cause: error,
      });
    throw error;
  } finally {
    // Closing the connection rolls back what was not committed.
    await client.end();
  }
}

async function rotateIn(run: Run, { previous, next }: Peppers): Promise<Rotated> {
  await run("SET LOCAL lock_timeout = '20s'");
  await run('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration]);
  const [kept] = await run<{ fingerprint: string }>(
    'SELECT fingerprint FROM secret_fingerprint WHERE name = $1 FOR UPDATE',
    [PEPPER],
  );
  if (compareFingerprints(kept?.fingerprint, PEPPER, next) === 'same')
    return { changed: false, sealed: 0, refused: [] };
  if (kept === undefined)
    throw new SetupError('No process of the service has used this database yet: there is no pepper to rotate.');
  if (previous === undefined || compareFingerprints(kept.fingerprint, PEPPER, previous) !== 'same')
    throw new SetupError(
      'CUSTOS_PEPPER_PREVIOUS must be the pepper that this database was set up with, and CUSTOS_PEPPER the new one.',
    );
  await run(`LOCK TABLE ${SEALED_TABLE_NAMES.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  await refuseWhileAlive(run);
  const seals = { old: createSeals({ pepper: previous }), new: createSeals({ pepper: next }) };
  const fingerprints = { old: pepperFingerprint(previous), new: pepperFingerprint(next) };
  const refused: RefusedRow[] = [];
  let sealed = 0;
  for (const table of SEALED_TABLE_NAMES) {
    // The triggers would announce every row, or refuse the new seal.
    await run(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    for await (const rows of sealedBatches(run, table, `${sealedColumns(table, 't')}, t.ctid::text AS ${PLACE}`)) {
      const good: Row[] = [];
      for (const row of rows) {
        if (isUnset(table, row)) continue;
        if (seals.old.isGenuine(table, row)) good.push(table === 'api_key' ? underPepper(row, fingerprints) : row);
        else refused.push({ table, id: rowId(table, row), missing: false });
      }
      await writeSeals(run, table, good, seals.new, table === 'api_key' ? ', secret_pepper = given.secret_pepper' : '');
      sealed += good.length;
    }
    await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  await encryptAnew(run, seals);
  await sealTextsAnew(run, seals);
  await run('UPDATE secret_fingerprint SET fingerprint = $2 WHERE name = $1', [PEPPER, fingerprints.new]);
  // A process that was suspended drops its caches, compares the pepper, and ends.
  await run("INSERT INTO change (kind, subject) VALUES ('pepper', '')");
  await run("SELECT pg_notify('custos_change', '')");
  return { changed: true, sealed, refused };
}

/** Signing keys of webhooks; one that can't be decrypted stays as it is, unusable. */
async function encryptAnew(run: Run, seals: { readonly old: Seals; readonly new: Seals }): Promise<void> {
  const rows = await run<{ endpoint_id: string; signing_keys: string }>(
    'SELECT endpoint_id, signing_keys FROM webhook_endpoint FOR UPDATE',
  );
  for (const { endpoint_id: id, signing_keys: text } of rows) {
    const keys = JSON.parse(text) as { encrypted: string }[];
    const next = keys.map((key) => {
      const secret = seals.old.decryptText('webhook-key', id, key.encrypted);
      return secret === undefined ? key : { ...key, encrypted: seals.new.encryptText('webhook-key', id, secret) };
    });
    await run('UPDATE webhook_endpoint SET signing_keys = $2 WHERE endpoint_id = $1', [id, JSON.stringify(next)]);
  }
}

/** Charges of a day may be millions. */
const SEALED_AT_ONCE = 10_000;

/** Rows whose seal covers a text. One that is not genuine keeps its seal, and stays refused; an audit with such a state begins anew. */
async function sealTextsAnew(
  run: Run,
  { old, new: next }: { readonly old: Seals; readonly new: Seals },
): Promise<void> {
  await sealColumnAnew<DropRow>(run, {
    table: 'retention_drop',
    column: 'seal',
    columns: 'what, before_id, seal',
    sealOf: (row) => (isDropSeal(old, row) ? dropSeal(next, row.what, row.before_id) : undefined),
  });
  await sealColumnAnew<AuditProgressRow & { readonly progress_seal: Buffer }>(run, {
    table: 'audit',
    column: 'progress_seal',
    columns: AUDIT_PROGRESS,
    sealOf: (row) => (isProgressSeal(old, row) ? progressSeal(next, row) : undefined),
  });
  await sealColumnAnew<BudgetUseRow & { readonly count_seal: Buffer }>(run, {
    table: 'budget_use',
    column: 'count_seal',
    columns: BUDGET_USE,
    sealOf: (row) => (isUseGenuine(old, row) ? useSeal(next, row) : undefined),
  });
  await sealColumnAnew<BudgetChargeRow & { readonly charge_seal: Buffer }>(run, {
    table: 'budget_charge',
    column: 'charge_seal',
    columns: BUDGET_CHARGE,
    sealOf: (row) => (isChargeGenuine(old, row) ? chargeSeal(next, row) : undefined),
  });
  // Intents that wait; the seals of others are read no more.
  await sealColumnAnew<SubmissionRow & { readonly submission_seal: Buffer }>(run, {
    table: 'intent',
    column: 'submission_seal',
    columns: SUBMISSION,
    condition: "u.status NOT IN ('decided', 'failed')",
    sealOf: (row) => (isSubmissionGenuine(old, row) ? submissionSeal(next, row) : undefined),
  });
}

interface ResealedColumn<R> {
  readonly table: string;
  readonly column: string;
  /** Of `u`, as a SELECT list. */
  readonly columns: string;
  /** Of `u`; absent: all rows with a seal. */
  readonly condition?: string;
  /** Undefined: the row keeps its seal. */
  readonly sealOf: (row: R) => Buffer | undefined;
}

async function sealColumnAnew<R extends object>(
  run: Run,
  { table, column, columns, condition = 'true', sealOf }: ResealedColumn<R>,
): Promise<void> {
  await run(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await run(
    `DECLARE sealed NO SCROLL CURSOR FOR SELECT ${columns}, u.ctid::text AS place FROM ${table} u WHERE u.${column} IS NOT NULL AND ${condition}`,
  );
  for (;;) {
    const rows = await run<R & { readonly place: string }>(`FETCH ${SEALED_AT_ONCE} FROM sealed`);
    if (rows.length === 0) break;
    const given = rows.flatMap((row) => {
      const seal = sealOf(row);
      return seal === undefined ? [] : [{ place: row.place, seal }];
    });
    if (given.length === 0) continue;
    await putSeals(run, { table, column }, given);
  }
  await run('CLOSE sealed');
  await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

async function refuseWhileAlive(run: Run): Promise<void> {
  const alive = await run<{ role: string; host: string; pid: number }>(
    `SELECT role, host, pid FROM process_heartbeat WHERE ${isRecent('seen_at', `interval '${ALIVE_WITHIN_SECONDS} seconds'`, 'clock_timestamp()')} ORDER BY role, host, pid`,
  );
  if (alive.length === 0) return;
  const named = alive.map(({ role, host, pid }) => `${role} (process ${pid} on ${host})`).join(', ');
  throw new SetupError(
    `These processes are alive, or were until ${ALIVE_WITHIN_SECONDS} seconds ago: ${named}. Stop them, run this again, and start them with the new pepper.`,
  );
}

/** The hash of a key's secret is still under its old pepper. The row names that pepper, unless it is the one in force. */
function underPepper(row: Row, { old, new: next }: { readonly old: string; readonly new: string }): Row {
  const under = row['secret_pepper'] ?? old;
  return { ...row, secret_pepper: under === next ? null : under };
}
