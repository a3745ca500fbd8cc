// `custos keys create|list|revoke|rotate|generate`: API keys from the shell, directly on the database.
import { Option } from '@commander-js/extra-typings';
import { DEFAULT_OVERLAP, LIFETIME, OVERLAP, readDuration } from '../shared/domain/keys/durations.ts';
import { generateKey } from '../shared/domain/keys/format.ts';
import { DEFAULT_TIER, TIER_MAX } from '../shared/domain/keys/limits.ts';
import { loadKey } from '../shared/domain/keys/lookup.ts';
import { FIRST_SLUG } from '../shared/domain/keys/organisations.ts';
import { planKey } from '../shared/domain/keys/plan.ts';
import { createKey, type KeyRow, listKeys, revokeKey, rotateKey } from '../shared/domain/keys/store.ts';
import type { Database } from '../shared/platform/db/database.ts';
import { type Environment, SCOPES } from '../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin } from './admin.ts';
import { say, UsageError } from './exit.ts';
import { environmentOption, wholeNumber } from './options.ts';
import { printJson, printLine, printTable } from './output.ts';
import type { CommandBody } from './program.ts';

const PAGE = 200;
/** The options that validation errors point to. */
const OPTION_NAMES = {
  '/name': '--name',
  '/scopes': '--scope',
  '/agentIds': '--agent',
  '/keepsObligations': '--keeps',
  '/tags': '--tag',
  '/expiresIn': '--expires-in',
  '/tier': '--tier',
  '/overlap': '--overlap',
};
const KEY_ID_HELP = 'the eight characters after cst_<environment>_';

const organisationOption = () =>
  new Option('--org, --organisation <slug>', 'the organisation of the key').default(FIRST_SLUG);
const keyEnvironmentOption = () => environmentOption('the environment of the key').default('live' as const);

const createKeyCommand: CommandBody = {
  define: (command) =>
    command
      .requiredOption('--name <name>', 'the purpose of the key')
      .requiredOption('--scope <scope...>', `what it may do: ${SCOPES.join(', ')}`)
      .addOption(organisationOption())
      .addOption(keyEnvironmentOption())
      .option('--agent <agentId...>', 'bind it to these agents (default: all of the organisation)')
      .option('--keeps <obligation...>', 'types of obligations that its holder keeps, for AuthZEN (default: none)')
      .option('--tag <tag...>', 'a tag that policies can require, of the asking key or of approvers (default: none)')
      .option('--expires-in <duration>', `such as 90d; ${LIFETIME.min} to ${LIFETIME.max} (default: never)`)
      .option(
        '--tier <tier>',
        `rate limit tier, at most the organisation's (default: ${DEFAULT_TIER})`,
        wholeNumber(0, TIER_MAX),
      )
      .option('--json', 'print JSON')
      .action(({ scope: scopes, organisation: slug, environment, agent: agentIds, keeps, tag: tags, json, ...rest }) =>
        runAdmin(
          async ({ db, hasher, nowMs }) => {
            const organisation = await requireOrganisation(db, slug);
            const plan = planKey(
              { ...rest, scopes, agentIds, keepsObligations: keeps, tags },
              organisation.tier,
              nowMs,
            );
            const owner = { organisationId: organisation.id, environment };
            const spec = { ...owner, ...plan, createdAtMs: nowMs, createdBy: null };
            // In one transaction with its record: the audit reports a key that has none.
            const created = await db.transaction((sql) => createKey(sql, hasher, spec));
            printNew(created.key, created.row, json);
          },
          { optionNames: OPTION_NAMES },
        ),
      ),
};

const listKeysCommand: CommandBody = {
  define: (command) =>
    command
      .addOption(organisationOption())
      .addOption(keyEnvironmentOption())
      .option('--json', 'print JSON')
      .action(({ organisation, environment, json }) =>
        runAdmin(async ({ db, nowMs }) => {
          const rows = await allKeys(db, (await requireOrganisation(db, organisation)).id, environment);
          if (json) return printJson(rows.map(jsonOf));
          printTable(
            ['KEY', 'NAME', 'SCOPES', 'AGENTS', 'TAGS', 'TIER', 'STATE', 'LAST USED'],
            rows.map((row) => [
              row.keyId,
              row.name,
              row.scopes.join(','),
              row.agentIds === null ? 'all' : String(row.agentIds.length),
              row.tags.join(',') || '-',
              String(row.tier),
              stateOf(row, nowMs),
              row.lastUsedAt?.toISOString() ?? 'never',
            ]),
          );
        }),
      ),
};

const revokeKeyCommand: CommandBody = {
  define: (command) =>
    command
      .argument('<keyId>', KEY_ID_HELP)
      .option('--json', 'print JSON')
      .action((keyId, { json }) =>
        runAdmin(async ({ db, nowMs }) => {
          const owner = await requireKey(db, keyId);
          const { row } = await db.transaction((sql) => revokeKey(sql, owner, keyId, { by: null, nowMs }));
          if (json) return printJson(jsonOf(row));
          printLine(keyId);
          say(`${row.name} was revoked at ${row.revokedAt?.toISOString()}.`);
        }),
      ),
};

const rotateKeyCommand: CommandBody = {
  define: (command) =>
    command
      .argument('<keyId>', KEY_ID_HELP)
      .option(
        '--overlap <duration>',
        `how long the old key stays valid, ${OVERLAP.min} to ${OVERLAP.max}`,
        DEFAULT_OVERLAP,
      )
      .option('--json', 'print JSON')
      .action((keyId, { overlap, json }) =>
        runAdmin(
          async ({ db, hasher, nowMs }) => {
            const overlapMs = readDuration(overlap, OVERLAP, '/overlap');
            const owner = await requireKey(db, keyId);
            const { organisationTier } = owner;
            const rotated = await db.transaction((sql) =>
              rotateKey(sql, hasher, { owner, keyId, overlapMs, nowMs, createdBy: null, organisationTier }),
            );
            printNew(rotated.key, rotated.row, json);
            say(`The old key ${keyId} is valid until ${rotated.old.expiresAt?.toISOString()}.`);
          },
          { optionNames: OPTION_NAMES },
        ),
      ),
};

const generateKeyCommand: CommandBody = {
  define: (command) =>
    command.addOption(keyEnvironmentOption()).action(({ environment }) => printLine(generateKey(environment).key)),
};

async function requireKey(db: Database, keyId: string) {
  const key = (await loadKey(db, keyId))?.key;
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

/** Standard output gets only the key, so that a script can read it. */
function printNew(key: string, row: KeyRow, json: true | undefined): void {
  if (json) return printJson({ key, ...jsonOf(row) });
  printLine(key);
  say(`${row.name}: ${row.environment}, tier ${row.tier}, ${row.scopes.join(' ')}. The key is shown only once.`);
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

export const commands = {
  create: createKeyCommand,
  list: listKeysCommand,
  revoke: revokeKeyCommand,
  rotate: rotateKeyCommand,
  generate: generateKeyCommand,
};
