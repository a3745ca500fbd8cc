// A deployment as `npm start` runs it: a supervisor, its embedded PostgreSQL, ingress and workers.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandOf, isAlive, signal, waitForEnd } from '../../../shared/platform/embedded/processes.ts';
import { runningAddresses } from '../../../shared/platform/embedded/embedded.ts';
import { freePort } from '../../../shared/platform/embedded/server.ts';
import { fastRoot, temporaryDataDir } from '../../support/folders.ts';
import { startCustos, type TestCustos, untilGone } from '../../support/process.ts';
import { queryOnce } from '../../support/database.ts';
import { type Deployment, type KeptProcess, newAdminKey, type Part, QUIET, withChildren } from './deployment.ts';
import { makePolicyFolder } from './policies.ts';
import { MAX_WAL, mountSmallDisk } from './small-disk.ts';

const ENDS_WITHIN_MS = 30_000;
const STARTS_WITHIN_MS = 60_000;
const RESTART_DELAY_MS = 500;
/** In the command lines of the processes. */
const PROGRAMS: Readonly<Record<Part, string>> = { ingress: 'ingress/main.', workers: 'workers/main.' };
const NO_SPACE = /disk is full|No space left/;

/** As a process manager does: a start that ends because the disk is full is tried again. */
async function startAgain(start: () => Promise<TestCustos>): Promise<TestCustos> {
  const deadline = performance.now() + STARTS_WITHIN_MS;
  for (;;)
    try {
      return await start();
    } catch (error) {
      if (!NO_SPACE.test(String(error)) || performance.now() > deadline) throw error;
      await delay(RESTART_DELAY_MS);
    }
}

/** @param onSmallDisk its data is on a disk that can be filled, where this process may mount one */
export async function startEmbeddedDeployment({ onSmallDisk }: { onSmallDisk: boolean }): Promise<Deployment> {
  const disk = onSmallDisk ? mountSmallDisk() : undefined;
  const dataDir = disk === undefined ? temporaryDataDir(fastRoot()) : path.join(disk.folder, 'custos');
  const policyDir = makePolicyFolder();
  const adminKey = newAdminKey();
  const port = String(await freePort());
  const start = () =>
    startCustos({
      ...QUIET,
      PORT: port,
      CUSTOS_DATA_DIR: dataDir,
      CUSTOS_POLICY_DIR: policyDir,
      CUSTOS_BOOTSTRAP_KEY: adminKey,
    });
  let custos = await start();
  const adminUrl = (): string => runningAddresses(dataDir).adminUrl;
  if (disk !== undefined) {
    await queryOnce(adminUrl(), `ALTER SYSTEM SET max_wal_size = '${MAX_WAL}'`);
    await queryOnce(adminUrl(), 'SELECT pg_reload_conf()');
  }
  const runs = (pid: number, program: string): boolean => commandOf(pid).includes(program);
  const kept = (part: Part, index: number): KeptProcess => {
    const pid = (): number | undefined => custos.processIds().filter((id) => runs(id, PROGRAMS[part]))[index];
    return {
      pid,
      async end(name) {
        const id = pid();
        if (id === undefined) return;
        signal(id, name);
        await waitForEnd(id, ENDS_WITHIN_MS);
      },
    };
  };
  return {
    kind: 'embedded',
    adminKey,
    policyDir,
    addresses: [custos.address],
    processes: (part) =>
      custos
        .processIds()
        .filter((id) => runs(id, PROGRAMS[part]))
        .map((_, i) => kept(part, i)),
    postgresPids() {
      const server = custos.processIds().find((id) => runs(id, 'bin/postgres -D'));
      return server === undefined ? [] : withChildren(server);
    },
    redis: undefined,
    proxies: () => [],
    disk,
    async killAll() {
      const all = custos.processIds();
      // The supervisor first: it must not replace the others.
      for (const id of all) signal(id, 'SIGKILL');
      await custos.ended;
      await untilGone(all.filter(isAlive));
    },
    async startAll() {
      custos = await startAgain(start);
    },
    adminUrl,
    commandEnv: () => ({ CUSTOS_DATA_DIR: dataDir, CUSTOS_PEPPER: QUIET['CUSTOS_PEPPER'] }),
    checkpointDir: path.join(dataDir, 'checkpoints'),
    async close() {
      await custos.stop();
      disk?.close();
    },
  };
}
