// Reports refused rows: a counter for alerts, and rate-limited log lines.
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../../observe/logger.ts';
import { createSeals, REFUSABLE_TABLES, type RefusableTable, type Seals } from './seals.ts';

/** Shortest time between two log lines about a table: a forged row may be loaded with every request. */
const QUIET_MS = 10_000;

export interface WatchedSealsDeps {
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

/** Seals that count and log what they refuse, for long-running processes. */
export function createWatchedSeals({ pepper, registry, logger, monotonicMs }: WatchedSealsDeps): Seals {
  const refused = new Counter({
    name: 'custos_refused_rows_total',
    help: 'Rows that give authority, count budgets or were submitted, and were refused because this service did not write them as they are, by table',
    labelNames: ['table'] as const,
    registers: [registry],
  });
  for (const table of REFUSABLE_TABLES) refused.labels({ table }).inc(0);
  const logged = new Map<RefusableTable, { atMs: number; suppressed: number }>();
  return createSeals({
    pepper,
    onRefused(table, id) {
      refused.inc({ table });
      const last = logged.get(table);
      const now = monotonicMs();
      if (last !== undefined && now - last.atMs < QUIET_MS) {
        last.suppressed += 1;
        return;
      }
      logged.set(table, { atMs: now, suppressed: 0 });
      logger.fatal(
        { table, row: id, ...(last !== undefined && last.suppressed > 0 && { refusedSince: last.suppressed }) },
        'a row that gives authority, counts a budget or was submitted has no valid seal: it was written outside the service and is refused',
      );
    },
  });
}
