// Creates the first organisation and its admin key at the first start, in whichever process comes first.
import { OperatorError } from '../../kernel/operator-error.ts';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Database, EntitySql } from '../../platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../platform/db/locks.ts';
import { makeFolder } from '../../platform/files/folders.ts';
import { generateKey, formatKey, type NewKey, parseKey } from './format.ts';
import { TIER_MAX } from './limits.ts';
import { loadKey } from './lookup.ts';
import { createOrganisation, FIRST_SLUG, type Organisation, operatorOrganisation } from './organisations.ts';
import { createSecretCheck, rehashKey, type SecretCheck } from './previous-pepper.ts';
import { createSecretHasher, type SecretHasher } from './secrets.ts';
import { insertKey } from './store.ts';

/** In the data folder, mode 0600. */
export const BOOTSTRAP_FILE = 'bootstrap-key';
const KEY_NAME = 'bootstrap';

const LOCK = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.bootstrap})`;
const ANY_KEY = "SELECT 1 AS one FROM api_key WHERE organisation_id = $1 AND environment = 'live' LIMIT 1";

/** The process cannot start; the message says why and what to do. */
export class BootstrapError extends OperatorError {}

export interface BootstrapOptions {
  readonly db: Database;
  readonly pepper: string;
  readonly pepperPrevious?: string | undefined;
  /** CUSTOS_BOOTSTRAP_KEY. */
  readonly bootstrapKey?: string | undefined;
  /** Where a generated key is kept. Without it the printed key is the only copy. */
  readonly dataDir?: string | undefined;
  readonly clock: { nowMs(): number };
}

export interface Bootstrap {
  readonly organisation: Organisation;
  /** The key to print, once. Set only if this call generated it, or found the one of a start that crashed. */
  readonly generatedKey: string | undefined;
  /** Its file; undefined if it is not kept. */
  readonly file: string | undefined;
}

/**
 * Makes sure that the operator's organisation and an admin key of it exist. CUSTOS_BOOTSTRAP_KEY is set by the owner of
 * the service, so that key is added if it does not exist. A revoked one stays revoked.
 * @throws {BootstrapError} when CUSTOS_BOOTSTRAP_KEY or the file cannot be used
 * @throws {ApiError} E6002
 */
export function ensureBootstrap(options: BootstrapOptions): Promise<Bootstrap> {
  const given = options.bootstrapKey === undefined ? undefined : liveKey(options.bootstrapKey, 'CUSTOS_BOOTSTRAP_KEY');
  const hasher = createSecretHasher(options.pepper);
  const secrets: Secrets = { hasher, ...createSecretCheck(hasher, options.pepperPrevious) };
  const file = options.dataDir === undefined ? undefined : path.join(options.dataDir, BOOTSTRAP_FILE);
  return options.db.transaction(async (sql) => {
    await sql.query(LOCK, []);
    const nowMs = options.clock.nowMs();
    const organisation =
      (await operatorOrganisation(sql)) ??
      (await createOrganisation(sql, { slug: FIRST_SLUG, name: 'Default', tier: TIER_MAX, isOperator: true }, nowMs));
    const noNewKey: Bootstrap = { organisation, generatedKey: undefined, file: undefined };
    if (given !== undefined) {
      await ensureKey(sql, secrets, given, organisation, nowMs);
      return noNewKey;
    }
    const existing = await sql.query(ANY_KEY, [organisation.id]);
    if (existing.length > 0) return noNewKey;
    // The file is complete before the row commits. A start that was killed between the two left the file, and its key is
    // used; one that was killed earlier left nothing.
    const made = file === undefined ? generateKey('live') : keptKey(file);
    await ensureKey(sql, secrets, made, organisation, nowMs);
    return { organisation, generatedKey: made.key, file };
  });
}

interface Secrets extends SecretCheck {
  readonly hasher: SecretHasher;
}

async function ensureKey(
  sql: EntitySql,
  { hasher, check }: Secrets,
  made: NewKey,
  owner: Organisation,
  nowMs: number,
): Promise<void> {
  const row = await insertKey(sql, hasher, made, {
    organisationId: owner.id,
    environment: 'live',
    name: KEY_NAME,
    scopes: ['admin:*'],
    agentIds: null,
    tier: owner.tier,
    createdAtMs: nowMs,
    createdBy: null,
    expiresAtMs: null,
  });
  if (row !== undefined) return;
  const stored = await loadKey(sql, made.keyId);
  if (stored === undefined)
    throw new BootstrapError(
      `The key ${made.keyId} of CUSTOS_BOOTSTRAP_KEY is in the database, but its row has no valid seal. "custos keys generate" prints a new one; see "Rows that are refused" in docs/guides/run-in-production.md.`,
    );
  const { matches, again } = check(made.secret, stored);
  if (!matches && stored.secretPepper !== null)
    throw new BootstrapError(
      `The key ${made.keyId} of CUSTOS_BOOTSTRAP_KEY is stored under an earlier pepper. Set CUSTOS_PEPPER_PREVIOUS to it; then the key is stored again. Otherwise "custos keys generate" prints a new one.`,
    );
  if (again !== undefined) await rehashKey(sql, made.keyId, again);
  if (!matches || stored.key.organisationId !== owner.id)
    throw new BootstrapError(
      `CUSTOS_BOOTSTRAP_KEY has the id ${made.keyId}, which belongs to another key already. "custos keys generate" prints a new one.`,
    );
}

function liveKey(text: string, where: string): NewKey {
  const parts = parseKey(text);
  if (parts === undefined)
    throw new BootstrapError(
      `${where} does not hold an API key: its form or its checksum is wrong. "custos keys generate" prints one.`,
    );
  if (parts.environment !== 'live')
    throw new BootstrapError(`${where} must hold a live key (cst_live_...), not a ${parts.environment} one.`);
  return { ...parts, key: formatKey(parts) };
}

/** The key in the file; generated if there is none. */
function keptKey(file: string): NewKey {
  if (existsSync(file)) {
    chmodSync(file, 0o600);
    return liveKey(readFileSync(file, 'utf8').trim(), file);
  }
  const made = generateKey('live');
  makeFolder(path.dirname(file), 0o700);
  // Renamed into place, so that it is complete or absent after a crash. The pid keeps processes from sharing the
  // temporary file.
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, `${made.key}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, file);
  return made;
}
