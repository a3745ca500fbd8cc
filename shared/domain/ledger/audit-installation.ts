// Findings that belong to no log of the database: signed logs that are missing, and altered texts of policy sets.
import type { Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { peekIfCheckpoint } from '../../core/proof/checkpoint.ts';
import { readAccepted, writeAccepted } from './audit-accepted.ts';
import { openFindings } from './audit-state.ts';
import type { CheckpointKeeper } from './kept.ts';
import { readForgedPromiseKeys } from './published-keys.ts';

const ORIGINS = 'SELECT origin FROM log WHERE origin IS NOT NULL';
const TAKE = 'SELECT findings, accepted FROM audit_installation FOR UPDATE SKIP LOCKED';
const KEEP = `INSERT INTO audit_installation (findings, audited_at) VALUES ($1, $2) ON CONFLICT (only_row) DO UPDATE SET findings = $1, audited_at = $2`;
const READ = 'SELECT findings, accepted FROM audit_installation';
const ACCEPT = 'UPDATE audit_installation SET accepted = $1';

interface Row {
  findings: string;
  accepted: string;
}

// Written by keepInstallation alone.
const parsed = (sql: Sql, { findings, accepted }: Row) => ({
  findings: JSON.parse(findings) as Finding[],
  accepted: readAccepted(sql, 'installation', accepted),
});

/** Finds logs with kept checkpoints that are missing from the database. */
export async function findLostLogs(sql: Sql, keeper: CheckpointKeeper): Promise<Finding[]> {
  const kept = await keeper.origins();
  // Read after the kept ones, because a log is created before its first checkpoint.
  const known = new Set((await sql.query<{ origin: string }>(ORIGINS, [])).map(({ origin }) => origin));
  const findings: Finding[] = [];
  for (const origin of kept.filter((one) => !known.has(one))) {
    const size = peekIfCheckpoint((await keeper.read(origin)) ?? '')?.size;
    const what = size === undefined ? 'a checkpoint' : `a checkpoint of ${size} leaves`;
    const sentence = `The log ${origin} is not in the database, and ${what} of it is kept outside: it was deleted, or the database is another one.`;
    findings.push({ kind: 'log-vanished', leafIndex: null, proofId: null, sentence });
  }
  return findings;
}

/** Finds keys for promises that the service did not write. */
export async function findForgedPromiseKeys(sql: Sql): Promise<Finding[]> {
  return (await readForgedPromiseKeys(sql)).map((keyId) => ({
    kind: 'log-key-forged',
    leafIndex: null,
    proofId: null,
    sentence: `The key ${quoted(keyId)} for promises is not as the service published it.`,
  }));
}

// In each run: the set in force, those with findings, and one more in turn.
const SETS = `SELECT digest, encode(sha256(canonical), 'hex') = digest AS is_right, is_turn FROM (
      SELECT active_digest AS digest, false AS is_turn FROM policy_state
      UNION ALL SELECT active_digest, false FROM organisation_policy WHERE active_digest IS NOT NULL
      UNION ALL SELECT unnest($2::text[]), false
      UNION ALL (SELECT digest, true FROM policy_set WHERE digest > $1 ORDER BY digest LIMIT 1)
    ) AS asked JOIN policy_set_text USING (digest)`;

export interface AlteredSets {
  /** Digests whose texts were checked. */
  readonly seen: readonly string[];
  readonly findings: readonly Finding[];
  /** The digest after which the next run continues; '' at the end of a cycle. */
  readonly next: string;
}

const aboutSet = (digest: string): string =>
  `The stored text of the policy set ${digest} has another digest: it was changed.`;

const ABOUT_SET = /^The stored text of the policy set ([0-9a-f]{64}) /;

export async function findAlteredSets(sql: Sql, after: string): Promise<AlteredSets> {
  const known = (await installationState(sql)).findings.flatMap(({ sentence }) => ABOUT_SET.exec(sentence)?.[1] ?? []);
  const rows = await sql.query<{ digest: string; is_right: boolean; is_turn: boolean }>(SETS, [after, known]);
  const wrong = new Set(rows.filter((row) => !row.is_right).map((row) => row.digest));
  return {
    // A set with a finding that no longer exists counts as checked.
    seen: [...known, ...rows.map((row) => row.digest)],
    findings: [...wrong].map((digest) => ({
      kind: 'policy-text-altered',
      leafIndex: null,
      proofId: null,
      sentence: aboutSet(digest),
    })),
    next: rows.find((row) => row.is_turn)?.digest ?? '',
  };
}

/** Stores the findings. @returns the new ones, or undefined while another worker stores them */
export async function keepInstallation(
  sql: Sql,
  { found, sets }: { readonly found: readonly Finding[]; readonly sets: AlteredSets },
  nowMs: number,
): Promise<Finding[] | undefined> {
  const [row] = await sql.query<Row>(TAKE, []);
  if (row === undefined && (await sql.query<Row>(READ, [])).length > 0) return undefined;
  const before = row === undefined ? [] : parsed(sql, row).findings;
  const seen = new Set(sets.seen.map(aboutSet));
  const lasting = before.filter(({ kind, sentence }) => kind === 'policy-text-altered' && !seen.has(sentence));
  const findings = [...found, ...sets.findings, ...lasting];
  await sql.query(KEEP, [JSON.stringify(findings), new Date(nowMs)]);
  return findings.filter(({ sentence }) => !before.some((one) => one.sentence === sentence));
}

/** Findings of the installation that are not accepted. */
export async function installationFindings(sql: Sql): Promise<Finding[]> {
  const { findings, accepted } = await installationState(sql);
  return openFindings(findings, accepted);
}

async function installationState(sql: Sql): Promise<ReturnType<typeof parsed>> {
  const [row] = await sql.query<Row>(READ, []);
  return row === undefined ? { findings: [], accepted: [] } : parsed(sql, row);
}

/** Accepts the findings of one origin. @returns the accepted findings */
export async function acceptLost(sql: Sql, origin: string): Promise<Finding[]> {
  const { findings, accepted } = await installationState(sql);
  const taken = openFindings(findings, accepted).filter(({ sentence }) =>
    sentence.startsWith(`The log ${origin} is not `),
  );
  const sentences = [...accepted, ...taken.map(({ sentence }) => sentence)];
  await sql.query(ACCEPT, [writeAccepted(sql, 'installation', sentences)]);
  return taken;
}
