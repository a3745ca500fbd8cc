// What a process says of rows it refused: a counter for alerts, and one line of the log for many rows.
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../../observe/logger.ts';
import { createSeals, type Seals } from './seals.ts';
import { SEALED_TABLE_NAMES, type SealedTableName } from './tables.ts';

/** A forged row may be loaded with every request. */
const QUIET_MS = 10_000;

export interface WatchedSealsDeps {
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

/** The seals of a process that runs for long. */
export function createWatchedSeals({ pepper, registry, logger, monotonicMs }: WatchedSealsDeps): Seals {
  const refused = new Counter({
    name: 'custos_refused_rows_total',
    help: 'Rows that give authority and were refused because this service did not write them as they are, by table',
    labelNames: ['table'] as const,
    registers: [registry],
  });
  for (const table of SEALED_TABLE_NAMES) refused.labels({ table }).inc(0);
  const told = new Map<SealedTableName, { atMs: number; untold: number }>();
  return createSeals({
    pepper,
    onRefused(table, id) {
      refused.inc({ table });
      const last = told.get(table);
      const now = monotonicMs();
      if (last !== undefined && now - last.atMs < QUIET_MS) {
        last.untold += 1;
        return;
      }
      told.set(table, { atMs: now, untold: 0 });
      logger.fatal(
        { table, row: id, ...(last !== undefined && last.untold > 0 && { refusedSince: last.untold }) },
        'a row that gives authority is not as this service wrote it: somebody else writes to the database, and the row is refused',
      );
    },
  });
}
