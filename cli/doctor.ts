// `custos doctor`: what is wrong with a set-up, check by check, with what to do about it. Changes nothing and starts nothing.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ConfigError } from '../shared/platform/config/config.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { openDatabase } from '../shared/platform/db/database.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { ADDRESS_FILE } from '../shared/platform/embedded/embedded.ts';
import { holderOf } from '../shared/platform/embedded/lock.ts';
import { loadConfig } from './context.ts';
import { EXIT } from './frame.ts';
import { counted, isColoured, printJson } from './output.ts';
import { type Diagnosis, examine, ok, problem, reasonOf, skipped, type Verdict } from './doctor/check.ts';
import {
  checkClock,
  checkConnections,
  checkDurability,
  checkMigrations,
  checkRole,
  checkVersion,
} from './doctor/database.ts';
import { checkFolders, checkKeyFiles, checkNode } from './doctor/machine.ts';
import {
  checkAdminKeys,
  checkLogs,
  checkPolicies,
  checkRedis,
  checkRows,
  checkSecrets,
  checkWaitingKeys,
  checkWork,
  checkWorkers,
  folderDigest,
  peppersOf,
} from './doctor/service.ts';

/** A machine in trouble answers late; a person waits for it. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'say what is wrong with a set-up: versions, settings, disk, database, clock, Redis, policies, keys, work that waits. Exit code 1 when something is',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await diagnose();
      if (json === true) printJson({ ok: found.every(({ verdict }) => verdict !== 'problem'), checks: found });
      else print(found);
      process.exitCode = found.some(({ verdict }) => verdict === 'problem') ? EXIT.failed : EXIT.ok;
    });
}

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
      'key files': () => checkKeyFiles(config),
      redis: () => checkRedis(config),
    })),
    ...(await diagnoseDatabase(config)),
  ];
}

/** Where the database is, when it can be asked without starting it. */
function addressOf(config: Config): string | undefined {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const file = path.join(config.dataDir, ADDRESS_FILE);
  return holderOf(config.dataDir) !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

async function diagnoseDatabase(config: Config): Promise<Diagnosis[]> {
  const url = addressOf(config);
  if (url === undefined) {
    const folder = await folderDigest(config.policyDir);
    return [
      ...(typeof folder === 'string' ? [ok('policy folder', `is valid, digest ${folder.slice(0, 12)}`)] : folder),
      skipped(
        'database',
        'the service does not run here, so its database was not asked; start it, or set DATABASE_URL',
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
    const { cause = error } = error as Error;
    const reason = reasonOf(cause);
    // An address may hold a password: only the driver's words are shown.
    return [problem('database', `does not answer: ${reason}`, 'start PostgreSQL, or see DATABASE_URL')];
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
    // Tables of another version can't be asked.
    if (server.some(({ check, verdict }) => check === 'migrations' && verdict === 'problem')) return server;
    const service = await examine({
      secrets: () => checkSecrets(db, config),
      'previous pepper': () => checkWaitingKeys(db, config),
      'sealed rows': async () => (pepper === undefined ? [] : checkRows(db, pepper)),
      'admin key': () => checkAdminKeys(db),
      policies: () => checkPolicies(db, config),
      work: () => checkWork(db),
      workers: () => checkWorkers(db),
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
    process.stdout.write(`${colour ? styleText(style, mark) : mark} ${check.padEnd(width)}  ${detail}\n`);
    if (advice !== undefined && verdict !== 'ok') process.stdout.write(`${' '.repeat(9 + width)}  → ${advice}\n`);
  }
  const count = (verdict: Verdict): number => found.filter((diagnosis) => diagnosis.verdict === verdict).length;
  const [problems, warnings] = [counted(count('problem'), 'problem'), counted(count('warning'), 'warning')];
  process.stdout.write(`\n${problems}, ${warnings}, ${counted(count('ok'), 'check')} ok\n`);
}
