// Settings of addresses, processes and the data folder.
import path from 'node:path';
import { folderToKeep, integer, processCount, readHost, shareFrom } from '../forms.ts';
import type { Setting } from '../setting.ts';

export const PROCESS_SETTINGS = {
  host: {
    name: 'HOST',
    unit: 'address',
    fallback: '127.0.0.1',
    description: 'address that ingress listens on; any but a loopback address needs TLS or a proxy in front',
    read: readHost,
  },
  port: {
    name: 'PORT',
    unit: 'TCP port',
    fallback: '3000',
    description: 'port that ingress listens on; 0 chooses a free port and prints it',
    read: integer(0, 65_535),
  },
  ingressCount: {
    name: 'CUSTOS_INGRESS',
    unit: 'auto or 1 to 16',
    fallback: 'auto',
    description:
      'ingress processes that "custos start" runs for one port; auto: one for each core but one, at least 1, at most 8',
    read: processCount(16),
  },
  ingressPort: {
    name: 'CUSTOS_INGRESS_PORT',
    unit: 'TCP port',
    description:
      'first of the ports on which several ingress processes answer by themselves, for their metrics; 0 chooses free ports. Absent: 3101 and the following ones, or free ports in place of those in use',
    read: integer(0, 65_535),
  },
  workersCount: {
    name: 'CUSTOS_WORKERS',
    unit: 'auto or 1 to 8',
    fallback: 'auto',
    description: 'worker processes that "custos start" runs; auto: one, with eight cores or more two',
    read: processCount(8),
  },
  backlogShare: {
    name: 'CUSTOS_BACKLOG_SHARE',
    unit: 'share, 0.01 to 1',
    fallback: '0.2',
    description:
      'share of their full speed to which workers slow down at most, with a backlog of submitted intents, while enforcement takes longer than usual; 1: they never slow down',
    read: shareFrom(0.01),
  },
  dataDir: {
    name: 'CUSTOS_DATA_DIR',
    unit: 'folder',
    fallback: '.custos',
    description:
      'folder of the embedded database and its secrets; the default is in the folder in which the command is started, or in the checkout',
    locate: ({ home }) => path.join(home, '.custos'),
    read: folderToKeep,
  },
} as const satisfies Record<string, Setting>;
