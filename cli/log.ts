// `custos log list|export|fork|resume|rotate-key`: the logs of this installation, for its operator.
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { logProblems, readLogStates } from '../shared/domain/ledger/log-states.ts';
import { exportLog, findLog } from '../shared/domain/ledger/export.ts';
import { forkLog } from '../shared/domain/ledger/fork.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from '../shared/domain/ledger/kept.ts';
import { acceptLostLog, resumeLog } from '../shared/domain/ledger/resume.ts';
import { rotateLogKey } from '../shared/domain/ledger/rotate-key.ts';
import { quoted } from '../shared/core/proof/encoding.ts';
import { keyIdOf, loadPrivateKey } from '../shared/core/proof/keys.ts';
import { compareSecretFingerprint, SIGNING_KEY } from '../shared/platform/db/fingerprints.ts';
import { keepSigningKey, signingKeyOf } from '../shared/platform/embedded/secrets.ts';
import { operatorName, requireOrganisation, runAdmin } from './admin.ts';
import { loadConfig } from './context.ts';
import { say, UsageError } from './exit.ts';
import { readFile } from './input.ts';
import { environmentOption, wholeNumber } from './options.ts';
import { counted, printJson, printLine, printTable, rangesText } from './output.ts';
import type { CommandBody } from './program.ts';

const MAX_REASON_LENGTH = 500;
const ORGANISATION = '--org, --organisation <slug>';
const logEnvironmentOption = () => environmentOption('the environment of the log');

const listLogsCommand: CommandBody = {
  define: (command) =>
    command.option('--json', 'print JSON').action(({ json }) =>
      runAdmin(async ({ db }) => {
        const states = await readLogStates(db);
        if (json) return printJson(states);
        printTable(
          ['ORGANISATION', 'ENVIRONMENT', 'GENERATION', 'SIZE', 'AUDITED', 'AUDIT', 'SIGNS'],
          states.map(({ organisation, environment, generation, size, haltedReason, audit }) => [
            organisation,
            environment,
            String(generation),
            String(size),
            String(audit?.size ?? 0),
            audit === undefined ? 'not yet' : auditText(audit.open.length, audit.findings.length),
            haltedReason === undefined ? 'yes' : 'halted',
          ]),
        );
        for (const problem of await logProblems(db)) say(`custos: ${problem}`);
      }),
    ),
};

function auditText(openFindings: number, allFindings: number): string {
  if (allFindings === 0) return 'ok';
  return openFindings === 0 ? `${allFindings} accepted` : counted(openFindings, 'difference');
}

const exportLogCommand: CommandBody = {
  define: (command) =>
    command
      .requiredOption(ORGANISATION, 'the organisation of the log')
      .addOption(logEnvironmentOption().makeOptionMandatory())
      .option(
        '--generation <n>',
        'of a log that was forked: which one, from 1 (default: the newest)',
        wholeNumber(1, 999_999_999),
      )
      .action(({ organisation, environment, generation }) =>
        runAdmin(async ({ db }) => {
          const { id } = await requireOrganisation(db, organisation);
          const found = await findLog(db, id, environment, generation);
          if (found === undefined || found.origin === null) throw new UsageError('There is no such log yet.');
          const { origin } = found;
          const dropped: { first: number; last: number }[] = [];
          const onDropped = (index: number): void => {
            const range = dropped.at(-1);
            if (range?.last === index - 1) range.last = index;
            else dropped.push({ first: index, last: index });
          };
          for await (const line of exportLog(db, { ...found, origin }, onDropped))
            if (!process.stdout.write(line)) await once(process.stdout, 'drain');
          say(`Exported ${found.size} leaves of ${origin}.`);
          if (dropped.length > 0)
            say(`Retention has dropped the records of ${rangesText(dropped)}; their hashes are exported.`);
        }),
      ),
};

const forkLogCommand: CommandBody = {
  define: (command) =>
    command
      .requiredOption(ORGANISATION, 'the organisation of the log')
      .addOption(logEnvironmentOption().makeOptionMandatory())
      .action(({ organisation, environment }) =>
        runAdmin(async ({ db, nowMs }) => {
          const { id } = await requireOrganisation(db, organisation);
          const { origin, old, accepted } = await forkLog(
            { db, keeper: keeperOf(), nowMs: () => nowMs },
            id,
            environment,
          );
          for (const { kind, sentence } of accepted) say(`Accepted: ${kind}: ${sentence}`);
          printLine(origin);
          say(
            `Created ${origin}. ${old.origin} is unchanged: ${old.size} leaves, ${old.signedSize ?? 'none'} of them signed. Its receipts stay valid. Inform everybody who follows it.`,
          );
        }),
      ),
};

const resumeLogCommand: CommandBody = {
  define: (command) =>
    command
      .option(ORGANISATION, 'the organisation of the log')
      .addOption(logEnvironmentOption())
      .option(
        '--lost <origin>',
        'instead: accept that this log is missing from the database, although its checkpoint is kept',
      )
      .requiredOption('--reason <text>', 'why it is right to continue; it is recorded')
      .action(({ organisation, environment, lost, reason }) =>
        runAdmin(async ({ db, nowMs }) => {
          const acceptance = { by: operatorName(), reason };
          const clock = { nowMs: () => nowMs };
          if (reason.trim() === '' || reason.length > MAX_REASON_LENGTH)
            throw new UsageError(`--reason must have 1 to ${MAX_REASON_LENGTH} characters.`);
          if (lost !== undefined) {
            if (organisation !== undefined || environment !== undefined)
              throw new UsageError('--lost excludes --organisation and --environment.');
            await acceptLostLog({ db, ...clock }, lost, acceptance);
            return say(`Accepted that ${lost} is missing. Its kept checkpoint is unchanged.`);
          }
          if (organisation === undefined || environment === undefined)
            throw new UsageError('Name the log with --organisation and --environment, or a missing one with --lost.');
          const { id: organisationId } = await requireOrganisation(db, organisation);
          const owner = { organisationId, environment };
          const { origin, accepted } = await resumeLog({ db, keeper: keeperOf(), ...clock }, owner, acceptance);
          for (const { kind, sentence } of accepted) say(`Accepted: ${kind}: ${sentence}`);
          say(`${origin} signs again.`);
        }),
      ),
};

const rotateLogKeyCommand: CommandBody = {
  notes: `For the embedded database without CUSTOS_SIGNING_KEY_FILE the key is copied into the data folder, so that the next start uses it. Run it again to
finish a rotation that was interrupted.`,
  define: (command) =>
    command
      .requiredOption('--to <file>', 'the new Ed25519 private key (PKCS 8, PEM): openssl genpkey -algorithm ed25519')
      .action(async ({ to }) => {
        const key = privateKeyOf(to);
        const keyId = keyIdOf(key);
        const { databaseUrl, signingKeyFile, dataDir } = loadConfig();
        const isInFolder = databaseUrl === undefined && signingKeyFile === undefined;
        await runAdmin(async ({ db, nowMs }) => {
          const isInterrupted =
            isInFolder &&
            !isKeyOf(signingKeyOf(dataDir), keyId) &&
            (await compareSecretFingerprint(db, SIGNING_KEY, keyId)) === 'same';
          if (!isInterrupted) await rotateLogKey(db, key, { by: operatorName(), nowMs });
          // Before the database of this command stops: the next start must not find the old key.
          if (isInFolder) keepSigningKey(dataDir, key.export({ type: 'pkcs8', format: 'pem' }).toString());
        });
        printLine(keyId);
        const next = isInFolder
          ? `It is in ${signingKeyOf(dataDir)}: start the service as before.`
          : `Start the workers with CUSTOS_SIGNING_KEY_FILE=${path.resolve(to)}.`;
        say(
          `The logs' key is ${keyId} from now on. ${next} The old key stays published; its file is no longer needed.`,
        );
      }),
};

/** Whether a file has this key; false when it can't be read. */
function isKeyOf(file: string, keyId: string): boolean {
  try {
    return keyIdOf(loadPrivateKey(readFileSync(file, 'utf8'))) === keyId;
  } catch {
    return false;
  }
}

function keeperOf(): CheckpointKeeper {
  const config = loadConfig();
  return createCheckpointKeeper(config.checkpointDir ?? path.join(config.dataDir, 'checkpoints'));
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

export const commands = {
  list: listLogsCommand,
  export: exportLogCommand,
  fork: forkLogCommand,
  resume: resumeLogCommand,
  'rotate-key': rotateLogKeyCommand,
};
