// `custos log list|export|fork|resume|rotate-key`: the logs of this installation, for its operator.
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type { Command } from 'commander';
import type { Database } from '../shared/platform/db/database.ts';
import { logProblems, readLogStates } from '../shared/domain/ledger/audit.ts';
import { DamagedLogError, exportLog, findLog } from '../shared/domain/ledger/export.ts';
import { ForkError, forkLog } from '../shared/domain/ledger/fork.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from '../shared/domain/ledger/kept.ts';
import { acceptLostLog, ResumeError, resumeLog } from '../shared/domain/ledger/resume.ts';
import { RotationError, rotateLogKey } from '../shared/domain/ledger/rotate-key.ts';
import { quoted } from '../shared/core/proof/encoding.ts';
import { loadPrivateKey } from '../shared/core/proof/keys.ts';
import { type Environment, ENVIRONMENTS } from '../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin, userName } from './admin.ts';
import { loadConfig } from './context.ts';
import { CommandError, say, UsageError } from './frame.ts';
import { printJson, printTable } from './output.ts';
import { readFile } from './trusted-keys.ts';

interface LogOptions {
  readonly organisation: string;
  readonly environment: string;
}

export function registerLog(program: Command): void {
  const log = program.command('log').description('list, export and mend the logs of this installation');

  log
    .command('list')
    .description('list every log with its size, what the audit says, and whether it is halted')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) => runAdmin(({ db }) => list(db, options.json === true)));

  log
    .command('export')
    .description(
      'write a log to standard output: keys, every record, every checkpoint; "custos audit" checks it offline',
    )
    .requiredOption('--org, --organisation <slug>', 'whose log')
    .requiredOption('--environment <environment>', 'live, test or dev')
    .option('--generation <n>', 'of a log that was opened anew: which one (default: the newest)')
    .action((options: LogOptions & { readonly generation?: string }) =>
      runAdmin(async ({ db }) => {
        const { id } = await requireOrganisation(db, options.organisation);
        const generation = options.generation === undefined ? undefined : numberOf(options.generation);
        const found = await findLog(db, id, environmentOf(options.environment), generation);
        const origin = found?.origin;
        if (found === undefined || origin === null || origin === undefined)
          throw new UsageError('There is no such log yet.');
        await explained(async () => {
          for await (const line of exportLog(db, { ...found, origin }))
            if (!process.stdout.write(line)) await once(process.stdout, 'drain');
        });
        say(`Exported ${found.size} leaves of ${origin}.`);
      }),
    );

  log
    .command('fork')
    .description('open a halted log anew: a new origin, whose first leaf names what was signed of the old one')
    .requiredOption('--org, --organisation <slug>', 'whose log')
    .requiredOption('--environment <environment>', 'live, test or dev')
    .action((options: LogOptions) =>
      runAdmin(async ({ db, nowMs }) => {
        const { id } = await requireOrganisation(db, options.organisation);
        const fork = await explained(() =>
          forkLog({ db, keeper: keeperOf(), nowMs: () => nowMs }, id, environmentOf(options.environment)),
        );
        process.stdout.write(`${fork.origin}\n`);
        say(
          `Opened ${fork.origin}. ${fork.old.origin} stays as it is: ${fork.old.size} leaves, ${fork.old.signedSize ?? 'none'} of them signed. Its receipts stay valid; tell those who follow it.`,
        );
      }),
    );

  log
    .command('resume')
    .description(
      'accept what the audit found of a halted log, so that it signs again; who, why and what becomes a leaf of it',
    )
    .option('--org, --organisation <slug>', 'whose log')
    .option('--environment <environment>', 'live, test or dev')
    .option('--lost <origin>', 'instead: accept that this log, whose checkpoint is kept, is not in the database')
    .requiredOption('--reason <text>', 'why it is right to go on; it is recorded')
    .action((options: Partial<LogOptions> & { readonly lost?: string; readonly reason: string }) =>
      runAdmin(({ db, nowMs }) => resume(db, () => nowMs, options)),
    );

  log
    .command('rotate-key')
    .description('make another key the one that signs checkpoints; stop the workers first')
    .requiredOption('--to <file>', 'the new Ed25519 private key (PKCS 8, PEM): openssl genpkey -algorithm ed25519')
    .action(({ to }: { readonly to: string }) =>
      runAdmin(async ({ db }) => {
        const key = privateKeyOf(to);
        const keyId = await explained(() => rotateLogKey(db, key));
        process.stdout.write(`${keyId}\n`);
        say(
          `The logs' key is ${keyId} from now on. Start the workers with CUSTOS_SIGNING_KEY_FILE=${path.resolve(to)}. The old key stays published; its file is no longer needed.`,
        );
      }),
    );
}

async function resume(
  db: Database,
  nowMs: () => number,
  {
    organisation,
    environment,
    lost,
    reason,
  }: Partial<LogOptions> & { readonly lost?: string; readonly reason: string },
): Promise<void> {
  const word = { by: `cli:${userName()}`, reason };
  if (reason.trim() === '' || reason.length > 500) throw new UsageError('--reason must have 1 to 500 characters.');
  if (lost !== undefined) {
    if (organisation !== undefined || environment !== undefined)
      throw new UsageError('--lost goes without --organisation and --environment.');
    await explained(() => acceptLostLog({ db, nowMs }, lost, word));
    return say(`Accepted that ${lost} is gone. Its kept checkpoint stays where it is.`);
  }
  if (organisation === undefined || environment === undefined)
    throw new UsageError('Name the log with --organisation and --environment, or one that is gone with --lost.');
  const { id } = await requireOrganisation(db, organisation);
  const owner = { organisationId: id, environment: environmentOf(environment) };
  const { origin, accepted } = await explained(() => resumeLog({ db, keeper: keeperOf(), nowMs }, owner, word));
  for (const { kind, sentence } of accepted) say(`Accepted: ${kind}: ${sentence}`);
  say(`${origin} signs again.`);
}

function keeperOf(): CheckpointKeeper {
  const config = loadConfig();
  return createCheckpointKeeper(config.checkpointDir ?? path.join(config.dataDir, 'checkpoints'));
}

async function list(db: Parameters<typeof readLogStates>[0], isJson: boolean): Promise<void> {
  const states = await readLogStates(db);
  if (isJson) return printJson(states);
  printTable(
    ['ORGANISATION', 'ENVIRONMENT', 'GENERATION', 'SIZE', 'AUDITED', 'AUDIT', 'SIGNS'],
    states.map(({ organisation, environment, generation, size, haltedReason, audit }) => [
      organisation,
      environment,
      String(generation),
      String(size),
      String(audit?.size ?? 0),
      audit === undefined ? 'not yet' : audited(audit.open.length, audit.findings.length),
      haltedReason === undefined ? 'yes' : 'halted',
    ]),
  );
  for (const problem of await logProblems(db)) say(`custos: ${problem}`);
}

function audited(open: number, all: number): string {
  if (all === 0) return 'ok';
  return open === 0 ? `${all} accepted` : `${open} differences`;
}

/** Refusals that a person can act on, as such. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof ForkError ||
      error instanceof ResumeError ||
      error instanceof RotationError ||
      error instanceof DamagedLogError;
    throw isExpected ? new CommandError(error.message) : error;
  }
}

/** @throws {UsageError} when the file can't be read or holds no Ed25519 key */
function privateKeyOf(file: string): KeyObject {
  const pem = readFile(file).toString('utf8');
  try {
    return loadPrivateKey(pem);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${quoted(file)} can't be used: ${error.message}.`);
    throw error;
  }
}

function environmentOf(text: string): Environment {
  const environment = ENVIRONMENTS.find((one) => one === text);
  if (environment === undefined) throw new UsageError(`--environment must be ${ENVIRONMENTS.join(', ')}.`);
  return environment;
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--generation must be a number from 1 on.');
  return Number(text);
}
