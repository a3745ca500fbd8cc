// The faults of the harness. Each begins, and gives the work that heals it.
import pg from 'pg';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { signal, waitForEnd } from '../../../shared/platform/embedded/processes.ts';
import type { NetworkTrouble } from '../../support/tcp-proxy.ts';
import { type Deployment, type KeptProcess, type Kind, type Part, runAsAdmin, signalPostgres } from './deployment.ts';
import { breakPolicies, mendPolicies, writeEdition } from './policies.ts';
import type { Randomness } from './randomness.ts';

export interface FaultScene {
  readonly deployment: Deployment;
  readonly random: Randomness;
  /** The number of the policy edition in the folder. */
  edition: number;
}

export interface Fault {
  readonly name: string;
  readonly on: readonly Kind[];
  /** How long it lasts until it is healed, in milliseconds. Absent: it needs no healing, and recovery is measured from the fault. */
  readonly lastsMs?: readonly [least: number, most: number];
  /** While it lasts, an ingress may leave requests without an answer. */
  readonly isSilent?: boolean;
  /** Why it cannot be tried on this deployment. */
  readonly whyNot?: (deployment: Deployment) => string | undefined;
  /** Whether recovery includes the time that healing takes, such as the start of a server. */
  readonly isHealedByStarting?: boolean;
  /** Resolves when the fault is there. @throws {Error} when another fault makes it impossible */
  begin(scene: FaultScene): Promise<() => Promise<void>>;
}

const ALL: readonly Kind[] = ['embedded', 'postgres', 'redis'];
const SCALED_OUT: readonly Kind[] = ['postgres', 'redis'];
const NAMES: Readonly<Record<Part, string>> = { ingress: 'ingress', workers: 'worker' };
const nothing = async (): Promise<void> => undefined;

const anyOf = ({ deployment, random }: FaultScene, part: Part): KeptProcess => random.pick(deployment.processes(part));

function processFaults(part: Part): Fault[] {
  const name = NAMES[part];
  return [
    {
      name: `${name} killed`,
      on: ALL,
      async begin(scene) {
        await anyOf(scene, part).end('SIGKILL');
        return nothing;
      },
    },
    {
      name: `${name} restarted`,
      on: ALL,
      async begin(scene) {
        await anyOf(scene, part).end('SIGTERM');
        return nothing;
      },
    },
    {
      name: `${name} frozen`,
      on: ALL,
      lastsMs: [1_000, 4_000],
      isSilent: part === 'ingress',
      async begin(scene) {
        const pid = anyOf(scene, part).pid();
        if (pid === undefined) return nothing;
        signal(pid, 'SIGSTOP');
        return async () => signal(pid, 'SIGCONT');
      },
    },
    {
      // Its supervisor must notice.
      name: `${name} hangs`,
      on: ['embedded'],
      isSilent: part === 'ingress',
      async begin(scene) {
        const pid = anyOf(scene, part).pid();
        if (pid !== undefined) signal(pid, 'SIGSTOP');
        return nothing;
      },
    },
    {
      name: `${name} with a wrong clock`,
      on: SCALED_OUT,
      lastsMs: [1_500, 4_000],
      async begin(scene) {
        const chosen = anyOf(scene, part);
        await chosen.replace?.(wrongClock(scene.random.pick([-HOUR_MS, HOUR_MS])));
        return async () => chosen.replace?.({});
      },
    },
  ];
}

const HOUR_MS = 3_600_000;
const SHIFTER = pathToFileURL(path.join(findRoot(), 'dist', 'test', 'support', 'shifted-clock.js')).href;
const wrongClock = (byMs: number) => ({ NODE_OPTIONS: `--import ${SHIFTER}`, TEST_CLOCK_SHIFT_MS: String(byMs) });

/** SIGTERM is PostgreSQL's smart shutdown, SIGINT the fast one. Processes of a killed server end when they notice. */
async function endPostgres(deployment: Deployment, name: 'SIGKILL' | 'SIGINT'): Promise<void> {
  const [server] = deployment.postgresPids();
  if (server === undefined) return;
  signal(server, name);
  await waitForEnd(server, 30_000);
}

const POSTGRES: Fault[] = [
  ...(['SIGKILL', 'SIGINT'] as const).map(
    (name): Fault => ({
      name: name === 'SIGKILL' ? 'PostgreSQL killed' : 'PostgreSQL restarted',
      on: ALL,
      // Embedded: its supervisor starts it again at once. Else it is away for a while.
      lastsMs: [0, 3_000],
      isHealedByStarting: true,
      async begin({ deployment }) {
        await endPostgres(deployment, name);
        return async () => deployment.startPostgres?.();
      },
    }),
  ),
  {
    name: 'session of PostgreSQL killed',
    on: ALL,
    async begin({ deployment, random }) {
      const [, ...others] = deployment.postgresPids();
      // The server ends all sessions and recovers, as after a crash.
      if (others.length > 0) signal(random.pick(others), 'SIGKILL');
      return nothing;
    },
  },
  {
    name: 'PostgreSQL frozen',
    on: ALL,
    lastsMs: [1_000, 5_000],
    async begin({ deployment }) {
      signalPostgres(deployment, 'SIGSTOP');
      return async () => signalPostgres(deployment, 'SIGCONT');
    },
  },
  {
    name: 'sessions of PostgreSQL ended',
    on: ALL,
    async begin({ deployment }) {
      await runAsAdmin(
        deployment,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
      return nothing;
    },
  },
  {
    name: 'table locked',
    on: ALL,
    lastsMs: [1_000, 4_000],
    begin: ({ deployment, random }) => lockTable(deployment, random.pick(TABLES)),
  },
  {
    name: 'disk full',
    on: ALL,
    lastsMs: [1_000, 4_000],
    whyNot: ({ disk }) => (disk === undefined ? 'only root on Linux can mount a small disk' : undefined),
    async begin({ deployment }) {
      deployment.disk?.fill();
      return async () => {
        deployment.disk?.free();
        // It may have ended when it could not write its log.
        await deployment.startPostgres?.();
      };
    },
  },
];

/** Tables that the hot paths write. */
const TABLES = [
  'decision',
  'intent',
  'outbox',
  'idempotency',
  'approval',
  'agent',
  'log',
  'trust_state',
  'change',
  'api_key',
];

async function lockTable(deployment: Deployment, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: deployment.adminUrl() });
  // Another fault may end this session, which also unlocks the table.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => client.end().catch(() => undefined);
}

const TROUBLES: readonly (readonly [string, NetworkTrouble])[] = [
  ['cut', { kind: 'refuse' }],
  ['slow', { kind: 'latency', latencyMs: 250 }],
  ['silent', { kind: 'stall' }],
];

const NETWORK: Fault[] = (['postgres', 'redis'] as const).flatMap((store) =>
  TROUBLES.map(
    ([what, trouble]): Fault => ({
      name: `connections to ${store === 'redis' ? 'Redis' : 'PostgreSQL'} ${what}`,
      on: store === 'redis' ? ['redis'] : SCALED_OUT,
      lastsMs: [1_000, 4_000],
      async begin({ deployment, random }) {
        const all = deployment.proxies(store);
        const hit = random.next() < 0.5 ? [random.pick(all)] : all;
        await Promise.all(hit.map((proxy) => proxy.set(trouble)));
        return async () => void (await Promise.all(hit.map((proxy) => proxy.set({ kind: 'none' }))));
      },
    }),
  ),
);

const REDIS: Fault[] = [
  {
    name: 'Redis killed',
    on: ['redis'],
    lastsMs: [0, 3_000],
    isHealedByStarting: true,
    async begin({ deployment }) {
      await deployment.redis?.stop?.();
      return async () => deployment.redis?.start?.();
    },
  },
  {
    name: 'Redis frozen',
    on: ['redis'],
    lastsMs: [1_000, 5_000],
    async begin({ deployment }) {
      deployment.redis?.hang?.();
      return async () => deployment.redis?.wake?.();
    },
  },
  {
    name: 'Redis emptied',
    on: ['redis'],
    async begin({ deployment }) {
      await deployment.redis?.empty();
      return nothing;
    },
  },
];

const WHOLE: Fault[] = [
  {
    name: 'all workers killed',
    on: SCALED_OUT,
    async begin({ deployment }) {
      await Promise.all(deployment.processes('workers').map((one) => one.end('SIGKILL')));
      return nothing;
    },
  },
  {
    name: 'whole service killed',
    on: ['embedded'],
    lastsMs: [0, 0],
    isHealedByStarting: true,
    async begin({ deployment }) {
      await deployment.killAll?.();
      return async () => deployment.startAll?.();
    },
  },
];

const POLICIES: Fault[] = [
  {
    name: 'policies edited',
    on: ALL,
    async begin(scene) {
      scene.edition += 1;
      writeEdition(scene.deployment.policyDir, scene.edition);
      return nothing;
    },
  },
  {
    name: 'policies broken',
    on: ALL,
    lastsMs: [1_000, 3_000],
    async begin({ deployment }) {
      breakPolicies(deployment.policyDir);
      return async () => mendPolicies(deployment.policyDir);
    },
  },
];

/** For comparison: how long the same work takes when nothing fails. */
const NONE: Fault = { name: 'no fault', on: ALL, begin: async () => nothing };

export const FAULTS: readonly Fault[] = [
  NONE,
  ...processFaults('ingress'),
  ...processFaults('workers'),
  ...POSTGRES,
  ...NETWORK,
  ...REDIS,
  ...WHOLE,
  ...POLICIES,
];
