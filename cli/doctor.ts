// `custos doctor`: diagnoses an installation check by check, with advice. It changes nothing and starts nothing.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import { ConfigError } from '../shared/platform/config/config.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { ConnectError } from '../shared/platform/db/connect-error.ts';
import { openDatabase } from '../shared/platform/db/database.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { redisOfInstallation } from '../shared/platform/queues/installation.ts';
import { createQueues } from '../shared/platform/queues/queues.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { ADDRESS_FILE } from '../shared/platform/embedded/embedded.ts';
import { holderOf } from '../shared/platform/embedded/lock.ts';
import { loadConfig } from './context.ts';
import { EXIT, exitWith } from './exit.ts';
import { counted, isColoured, printJson, printLine } from './output.ts';
import type { CommandBody } from './program.ts';
import { type Diagnosis, examine, ok, problem, skipped, type Verdict } from './doctor/check.ts';
import {
  checkClock,
  checkConnections,
  checkDurability,
  checkMigrations,
  checkRole,
  checkVersion,
} from './doctor/database.ts';
import { checkSecondReader } from './doctor/second-reader.ts';
import { checkDataFolder, checkFolders, checkKeyFiles, checkNode, checkTls } from './doctor/machine.ts';
import {
  checkAdminKeys,
  checkLogs,
  checkPolicies,
  checkPolicyChanges,
  checkProcesses,
  checkRedis,
  checkRows,
  checkSecrets,
  checkSetsInForce,
  checkWaitingKeys,
  checkWork,
  folderDigest,
  peppersOf,
} from './doctor/service.ts';

/** A machine in trouble answers late, and the person at the shell can wait. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

export const doctorCommand: CommandBody = {
  exitCodes: {
    [EXIT.ok]: 'No check found a problem. There may be warnings, such as that the service is not started.',
    [EXIT.failed]: 'At least one check found a problem, such as that no worker is alive while ingress is.',
  },
  define: (command) =>
    command.option('--json', 'print JSON').action(
      exitWith(async ({ json }) => {
        const checks = await diagnose();
        const isHealthy = checks.every(({ verdict }) => verdict !== 'problem');
        if (json) printJson({ ok: isHealthy, checks });
        else print(checks);
        return isHealthy ? EXIT.ok : EXIT.failed;
      }),
    ),
};

async function diagnose(): Promise<Diagnosis[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = '"custos config" lists every setting';
    return [...checkNode(process.versions.node), ...error.problems.map((text) => problem('settings', text, advice))];
  }
  return [
    ...(await examine({
      node: () => checkNode(process.versions.node),
      settings: () => [ok('settings', 'every CUSTOS_* variable is known and valid')],
      folders: () => checkFolders(config),
      'data folder': () => checkDataFolder(config),
      'key files': () => checkKeyFiles(config),
      certificate: () => checkTls(config, Date.now()),
      redis: () => checkRedis(config),
      'second reader': () => checkSecondReader(config),
    })),
    ...(await diagnoseDatabase(config).catch((error: unknown) => {
      const described = describeFileError(error, config.dataDir);
      if (!(described instanceof SetupError)) throw error;
      return [problem('database', described.message, 'run this command as the user of the service')];
    })),
  ];
}

/** The address of the database, when it is running. */
function databaseUrlOf(config: Config): string | undefined {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const file = path.join(config.dataDir, ADDRESS_FILE);
  return holderOf(config.dataDir) !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

async function diagnoseDatabase(config: Config): Promise<Diagnosis[]> {
  const url = databaseUrlOf(config);
  if (url === undefined) {
    const folder = await folderDigest(config.policyDir);
    return [
      ...(typeof folder === 'string' ? [ok('policy folder', `is valid, digest ${folder.slice(0, 12)}`)] : folder),
      skipped(
        'database',
        'the service is not running here, so its database was not checked; start it, or set DATABASE_URL',
      ),
    ];
  }
  const { pepper } = peppersOf(config);
  let db: Awaited<ReturnType<typeof openDatabase>>;
  try {
    db = await openDatabase({
      url,
      ...(pepper === undefined ? {} : { seals: createSeals({ pepper }) }),
      applicationName: 'custos-doctor',
      poolSize: 1,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      onError: () => undefined,
    });
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    // It ends with a full stop, and no advice does.
    return [problem('database', `does not answer: ${error.reason}`, error.advice.replace(/\.$/, ''))];
  }
  try {
    const server = await examine({
      'database version': () => checkVersion(db),
      durability: () => checkDurability(db),
      connections: () => checkConnections(db),
      clock: () => checkClock(db, Date.now),
      'database role': () => checkRole(db),
      migrations: () => checkMigrations(db),
    });
    // The other checks query tables of this version.
    if (server.some(({ check, verdict }) => check === 'migrations' && verdict === 'problem')) return server;
    const service = await examine({
      secrets: () => checkSecrets(db, config),
      'previous pepper': () => checkWaitingKeys(db, config),
      'sealed rows': async () => (pepper === undefined ? [] : checkRows(db, pepper)),
      'admin key': () => checkAdminKeys(db),
      policies: () => checkPolicies(db, config),
      'set in force': () => checkSetsInForce(db),
      'policy changes': () => checkPolicyChanges(db, config, Date.now()),
      work: async () => {
        const queues = createQueues({
          databaseUrl: url,
          redis: await redisOfInstallation(db, config.redisUrl),
          connections: 1,
          onError: () => undefined,
        });
        try {
          return await checkWork(db, queues);
        } finally {
          await queues.close();
        }
      },
      processes: () => checkProcesses(db),
      logs: () => checkLogs(db),
    });
    return [...server, ...service];
  } finally {
    await db.close();
  }
}

const MARKS: Readonly<Record<Verdict, [string, Parameters<typeof styleText>[0]]>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  problem: ['PROBLEM', 'red'],
  skipped: ['skipped', 'gray'],
};

function print(found: readonly Diagnosis[]): void {
  const colour = isColoured(process.stdout);
  const width = Math.max(...found.map(({ check }) => check.length));
  for (const { check, verdict, detail, advice } of found) {
    const [word, style] = MARKS[verdict];
    const mark = word.padEnd(8);
    printLine(`${colour ? styleText(style, mark) : mark} ${check.padEnd(width)}  ${detail}`);
    if (advice !== undefined && verdict !== 'ok') printLine(`${' '.repeat(9 + width)}  → ${advice}`);
  }
  const count = (verdict: Verdict): number => found.filter((diagnosis) => diagnosis.verdict === verdict).length;
  const [problems, warnings] = [counted(count('problem'), 'problem'), counted(count('warning'), 'warning')];
  printLine(`\n${problems}, ${warnings}, ${counted(count('ok'), 'check')} ok`);
}
