// The TypeORM data source: entities for administration, migrations listed by hand, never `synchronize`.
import { DataSource, type MigrationInterface } from 'typeorm';
import { ENTITIES } from './entities.ts';
import { boundedClient } from './sessions.ts';

export interface DataSourceOptions {
  readonly url: string;
  /** Shows in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** Connections that are opened at once and kept. Absent: none; each is closed when it has been idle for 10 s. */
  readonly kept?: number;
  /** How long one statement may take. Absent: 1,000 ms, so that a request ends within 2 s while Postgres is away. */
  readonly queryTimeoutMs?: number;
  /** How long connecting may take. Absent: 700 ms; a command for a person waits longer. */
  readonly connectTimeoutMs?: number;
  /** What `runMigrations` would run; a service runs none. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /** Called when an idle connection breaks; without a listener that would end the process. */
  readonly onError: (error: Error) => void;
}

// Together they are what a request waits at most while Postgres does not answer, which must stay below 2 s.
const CONNECT_TIMEOUT_MS = 700;
const QUERY_TIMEOUT_MS = 1_000;
const GIVE_UP_EARLIER_MS = 100;

export function createDataSource(options: DataSourceOptions): DataSource {
  const { queryTimeoutMs = QUERY_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: ENTITIES,
    migrations: [...(options.migrations ?? [])],
    migrationsTableName: 'migration',
    synchronize: false,
    logging: false,
    poolSize: options.poolSize,
    poolErrorHandler: options.onError,
    connectTimeoutMS: connectTimeoutMs,
    extra: {
      Client: boundedClient(options.poolSize),
      min: options.kept ?? 0,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      // Postgres gives up first: a statement that nobody waits for any longer would keep its session, and sessions are few.
      statement_timeout: queryTimeoutMs - GIVE_UP_EARLIER_MS,
      keepAlive: true,
    },
  });
}
