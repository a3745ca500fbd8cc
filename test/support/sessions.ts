// For tests: what a killed process leaves behind in PostgreSQL.
import type { Service } from './service.ts';

/** Ends every session that is in a transaction and runs no statement, as when its process is killed there. */
export async function endOpenTransactions(service: Pick<Service, 'rows'>): Promise<void> {
  const ended = await service.rows(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
  );
  if (ended.length === 0) throw new Error('no transaction was open');
}
