// Keeps a process of the service running, as a supervisor does: whenever it ends, it is started again on the same port.
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../shared/platform/embedded/server.ts';
import type { TestEnv, TestService } from '../../support/process.ts';
import type { KeptProcess } from './deployment.ts';

/** A failed start, such as one while the database is away, is repeated after this time. */
const PAUSE_MS = 200;

export interface Keeper extends KeptProcess {
  readonly address: string;
  stop(): Promise<void>;
}

/** @param start starts the process with these settings, and resolves when it is ready */
export async function keepRunning(
  start: (env: TestEnv) => Promise<TestService>,
  portVariable: 'PORT' | 'CUSTOS_WORKERS_PORT',
): Promise<Keeper> {
  const port = String(await freePort());
  let extra: TestEnv = {};
  let isStopping = false;
  const startOnce = (): Promise<TestService> => start({ [portVariable]: port, ...extra });
  const first = await startOnce();
  let current: TestService | undefined = first;

  const keep = async (): Promise<void> => {
    for (let running: TestService | undefined = first; !isStopping; ) {
      if (running === undefined) {
        running = await startOnce().catch(() => undefined);
        current = running;
        if (running === undefined) await delay(PAUSE_MS);
        else if (isStopping) await running.stop();
        continue;
      }
      await running.ended;
      current = undefined;
      running = undefined;
    }
  };
  const keeping = keep();

  const end: KeptProcess['end'] = async (name) => {
    await (name === 'SIGKILL' ? current?.kill() : current?.stop());
  };
  return {
    address: first.address,
    pid: () => current?.pid,
    end,
    async replace(env) {
      extra = env;
      await end('SIGKILL');
    },
    async stop() {
      isStopping = true;
      await current?.stop();
      await keeping;
    },
  };
}
