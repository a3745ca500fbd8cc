// `custos keys create|list|revoke|rotate|generate`: API keys from the shell, on the database itself.
import { type Command, Option } from 'commander';
import { DEFAULT_OVERLAP, LIFETIME, OVERLAP, readDuration } from '../shared/domain/keys/durations.ts';
import { generateKey } from '../shared/domain/keys/format.ts';
import { DEFAULT_TIER } from '../shared/domain/keys/limits.ts';
import { loadKey } from '../shared/domain/keys/lookup.ts';
import { FIRST_SLUG } from '../shared/domain/keys/organisations.ts';
import { planKey } from '../shared/domain/keys/plan.ts';
import { createKey, type KeyRow, listKeys, revokeKey, rotateKey } from '../shared/domain/keys/store.ts';
import type { Database } from '../shared/platform/db/database.ts';
import { ENVIRONMENTS, type Environment, SCOPES } from '../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin } from './admin.ts';
import { say, UsageError } from './frame.ts';
import { printJson, printTable } from './output.ts';

const PAGE = 200;
/** The options that refusals point to. */
const OPTIONS = {
  '/name': '--name',
  '/scopes': '--scope',
  '/agentIds': '--agent',
  '/expiresIn': '--expires-in',
  '/tier': '--tier',
  '/overlap': '--overlap',
};

interface Json {
  readonly json?: boolean;
}

interface Place extends Json {
  readonly organisation: string;
  readonly environment: Environment;
}

interface CreateOptions extends Place {
  readonly name: string;
  readonly scope: string[];
  readonly agent?: string[];
  readonly expiresIn?: string;
  readonly tier?: string;
}

const environmentOption = () =>
  new Option('--environment <environment>', 'whose records it sees').choices(ENVIRONMENTS).default('live');

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('make, list, revoke and rotate API keys');

  keys
    .command('create')
    .description('make an API key; it is printed once')
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--scope <scope...>', `what it may do: ${SCOPES.join(', ')}`)
    .option('--org, --organisation <slug>', 'the organisation it belongs to', FIRST_SLUG)
    .addOption(environmentOption())
    .option('--agent <agentId...>', 'bind it to these agents (default: all of the organisation)')
    .option('--expires-in <duration>', `such as 90d; ${LIFETIME.min} to ${LIFETIME.max} (default: never)`)
    .option('--tier <tier>', `rate limit tier, at most the organisation's (default: ${DEFAULT_TIER})`)
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      runAdmin(async ({ db, hasher, nowMs }) => {
        const organisation = await requireOrganisation(db, options.organisation);
        const plan = planKey(
          {
            name: options.name,
            scopes: options.scope,
            agentIds: options.agent,
            expiresIn: options.expiresIn,
            tier:
              options.tier === undefined ? undefined : /^\d+$/.test(options.tier) ? Number(options.tier) : Number.NaN,
          },
          organisation.tier,
          nowMs,
        );
        const owner = { organisationId: organisation.id, environment: options.environment };
        const spec = { ...owner, ...plan, createdAtMs: nowMs, createdBy: null };
        // With its record: a key without one is a finding of the audit.
        const made = await db.transaction((sql) => createKey(sql, hasher, spec));
        printNew(made.key, made.row, options);
      }, OPTIONS),
    );

  keys
    .command('list')
    .description('list the keys of an organisation and environment, newest first')
    .option('--org, --organisation <slug>', 'the organisation', FIRST_SLUG)
    .addOption(environmentOption())
    .option('--json', 'print JSON')
    .action((options: Place) =>
      runAdmin(async ({ db, nowMs }) => {
        const rows = await allKeys(db, (await requireOrganisation(db, options.organisation)).id, options.environment);
        if (options.json) return printJson(rows.map(jsonOf));
        printTable(
          ['KEY', 'NAME', 'SCOPES', 'AGENTS', 'TIER', 'STATE', 'LAST USED'],
          rows.map((row) => [
            row.keyId,
            row.name,
            row.scopes.join(','),
            row.agentIds === null ? 'all' : String(row.agentIds.length),
            String(row.tier),
            stateOf(row, nowMs),
            row.lastUsedAt?.toISOString() ?? 'never',
          ]),
        );
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key, in every process within a second')
    .argument('<keyId>', 'the eight characters after cst_<environment>_')
    .option('--json', 'print JSON')
    .action((keyId: string, options: Json) =>
      runAdmin(async ({ db, nowMs }) => {
        const owner = await requireKey(db, keyId);
        const row = await db.transaction((sql) => revokeKey(sql, owner, keyId, { by: null, nowMs }));
        if (options.json) return printJson(jsonOf(row));
        process.stdout.write(`${keyId}\n`);
        say(`${row.name} is revoked since ${row.revokedAt?.toISOString()}.`);
      }),
    );

  keys
    .command('rotate')
    .description('replace a key by a new one with the same name, scopes, agents, tier and lifetime')
    .argument('<keyId>', 'the eight characters after cst_<environment>_')
    .option(
      '--overlap <duration>',
      `how long the old key stays valid, ${OVERLAP.min} to ${OVERLAP.max}`,
      DEFAULT_OVERLAP,
    )
    .option('--json', 'print JSON')
    .action((keyId: string, options: Json & { readonly overlap: string }) =>
      runAdmin(async ({ db, hasher, nowMs }) => {
        const overlapMs = readDuration(options.overlap, OVERLAP, '/overlap');
        const owner = await requireKey(db, keyId);
        const made = await db.transaction((sql) =>
          rotateKey(sql, hasher, {
            owner,
            keyId,
            overlapMs,
            nowMs,
            createdBy: null,
            organisationTier: owner.organisationTier,
          }),
        );
        printNew(made.key, made.row, options);
        say(`The old key ${keyId} is valid until ${made.old.expiresAt?.toISOString()}.`);
      }, OPTIONS),
    );

  keys
    .command('generate')
    .description('print a new key without storing it, for CUSTOS_BOOTSTRAP_KEY')
    .addOption(environmentOption())
    .action((options: { readonly environment: Environment }) => {
      process.stdout.write(`${generateKey(options.environment).key}\n`);
    });
}

async function requireKey(db: Database, keyId: string) {
  const key = await loadKey(db, keyId);
  if (key === undefined) throw new UsageError(`There is no key ${keyId}. "custos keys list" shows the ids.`);
  return key;
}

async function allKeys(db: Database, organisationId: string, environment: Environment): Promise<KeyRow[]> {
  const all: KeyRow[] = [];
  for (;;) {
    const page = await listKeys(db, { organisationId, environment }, all.at(-1)?.seq ?? null, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** The key alone on standard output, so that a script can take it. */
function printNew(key: string, row: KeyRow, options: Json): void {
  if (options.json) return printJson({ key, ...jsonOf(row) });
  process.stdout.write(`${key}\n`);
  say(`${row.name}: ${row.environment}, tier ${row.tier}, ${row.scopes.join(' ')}. The key is shown this once.`);
}

function stateOf(row: KeyRow, nowMs: number): string {
  if (row.revokedAt !== null) return 'revoked';
  if (row.expiresAt === null) return 'valid';
  return row.expiresAt.getTime() <= nowMs ? 'expired' : `valid until ${row.expiresAt.toISOString()}`;
}

function jsonOf(row: KeyRow) {
  const { seq: _, ...rest } = row;
  return rest;
}
