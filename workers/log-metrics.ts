// Metrics of the logs: how large they are, how far they are audited, and whether the audit agrees.
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../shared/platform/db/database.ts';
import { type LogState, readLogStates } from '../shared/domain/ledger/log-states.ts';

/** Adds the gauges, read at each scrape. They are absent while the database is away. */
export function watchLogs(registry: Registry, db: Database): void {
  // One query for all gauges of a scrape.
  let pending: Promise<LogState[]> | undefined;
  const states = (): Promise<LogState[]> => {
    pending ??= readLogStates(db)
      .catch(() => [])
      .finally(() => (pending = undefined));
    return pending;
  };
  const gauge = (
    name: string,
    help: string,
    valueOf: (state: LogState, earlier: number | undefined) => number | undefined,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: ['organisation', 'environment'] as const,
      registers: [registry],
      async collect() {
        const values = new Map<string, number>();
        const read = await states();
        this.reset();
        for (const state of read) {
          const { organisation, environment } = state;
          // Generations are in order, so the newest one, which still grows, sets the final value.
          const value = valueOf(state, values.get(`${organisation}/${environment}`));
          if (value === undefined) continue;
          values.set(`${organisation}/${environment}`, value);
          this.set({ organisation, environment }, value);
        }
      },
    });
  };
  gauge('custos_log_size', 'Leaves of the log', ({ size }) => size);
  gauge('custos_log_audited_size', 'Leaves of the log that the auditor has checked', ({ audit }) => audit?.size ?? 0);
  gauge(
    'custos_log_halted',
    '1 when the log is halted, because it differs from what was signed before',
    ({ haltedReason }) => (haltedReason === undefined ? 0 : 1),
  );
  gauge(
    'custos_audit_ok',
    '1 when the audit agrees with the log and those before it, 0 when it found a difference; absent before the first audit',
    ({ audit }, earlier) => (audit === undefined ? earlier : Math.min(earlier ?? 1, audit.ok ? 1 : 0)),
  );
}
