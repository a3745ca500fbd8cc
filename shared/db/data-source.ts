// The TypeORM data source: entities for administration, migrations listed by hand, never `synchronize`.
import { DataSource } from 'typeorm';
import { ENTITIES } from './entities.ts';
import { MIGRATIONS } from './migrations/index.ts';

export interface DataSourceOptions {
  readonly url: string;
  /** Shows in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** How long one statement may take. Absent: 1,000 ms, so that a request ends within 2 s while Postgres is away. */
  readonly queryTimeoutMs?: number;
  /** Called when an idle connection breaks; without a listener that would end the process. */
  readonly onError: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 900;
const QUERY_TIMEOUT_MS = 1_000;

export function createDataSource(options: DataSourceOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    synchronize: false,
    logging: false,
    poolSize: options.poolSize,
    poolErrorHandler: options.onError,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
      keepAlive: true,
    },
  });
}
