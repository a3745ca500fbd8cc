// Metrics of the connection pools of a process.
import { Gauge, type Registry } from 'prom-client';
import type { PoolUse } from './database.ts';

/** Adds gauges of these pools, by name. A pool that is not open has no series. */
export function watchPools(registry: Registry, pools: Readonly<Record<string, () => PoolUse | undefined>>): void {
  const ofEachPool = (set: (pool: string, use: PoolUse) => void): void => {
    for (const [pool, read] of Object.entries(pools)) {
      const use = read();
      if (use !== undefined) set(pool, use);
    }
  };
  const registers = [registry];
  new Gauge({
    name: 'custos_database_connections',
    help: 'Open connections of this process to PostgreSQL, by pool and state (in_use, idle)',
    labelNames: ['pool', 'state'] as const,
    registers,
    collect() {
      ofEachPool((pool, { inUse, idle }) => {
        this.set({ pool, state: 'in_use' }, inUse);
        this.set({ pool, state: 'idle' }, idle);
      });
    },
  });
  new Gauge({
    name: 'custos_database_connections_max',
    help: 'Connections that a pool of this process may open',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      ofEachPool((pool, { max }) => this.set({ pool }, max));
    },
  });
  new Gauge({
    name: 'custos_database_connection_waits',
    help: 'Statements and transactions of this process that wait for a connection of the pool now; absent where they take turns',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      ofEachPool((pool, { waiting }) => {
        if (waiting !== undefined) this.set({ pool }, waiting);
      });
    },
  });
}
