// A service for tests of commands and documents: ingress in this process, a worker process, and a folder with the admin key.
// It has everything that `custos start` gives to its callers, for half the processor time.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './folders.ts';
import { startWorker, TEST_PEPPER, type TestEnv } from './process.ts';
import { type Service, startService } from './service.ts';

export interface ServiceWithFolder {
  readonly service: Service;
  /** Base address, such as http://127.0.0.1:41234. */
  readonly address: string;
  /** Has the admin key in the file `bootstrap-key`. */
  readonly dataDir: string;
  /** For commands: names the folder, the address and the database. */
  readonly env: TestEnv;
  close(): Promise<void>;
}

export async function startServiceWithFolder(): Promise<ServiceWithFolder> {
  const service = await startService();
  const worker = await startWorker(service.databaseUrl);
  const dataDir = temporaryFolder('data');
  writeFileSync(path.join(dataDir, 'bootstrap-key'), `${service.adminKey}\n`);
  const address = service.ingress.address;
  let closing: Promise<void> | undefined;
  return {
    service,
    address,
    dataDir,
    env: {
      CUSTOS_DATA_DIR: dataDir,
      CUSTOS_URL: address,
      DATABASE_URL: service.databaseUrl,
      CUSTOS_PEPPER: TEST_PEPPER,
    },
    close() {
      closing ??= worker.stop().then(() => service.close());
      return closing;
    },
  };
}
