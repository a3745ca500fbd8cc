// The TypeORM data source: entities, query builders and migrations over a pool that the caller shares with it.
import { DataSource, type MigrationInterface } from 'typeorm';
import { ENTITIES } from './entities.ts';
import { createPool, type PoolOptions } from './pool.ts';

export interface DataSourceOptions extends PoolOptions {
  /** What `runMigrations` would run; a service runs none. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/** @param pool is ended by `destroy` */
export function createDataSource(options: DataSourceOptions, pool = createPool(options)): DataSource {
  // TypeORM constructs its pool from the `pg` module that it is given. A constructor that returns an object yields it.
  function Pool(): typeof pool {
    return pool;
  }
  return new DataSource({
    type: 'postgres',
    driver: { Pool },
    // The pool has its listener.
    poolErrorHandler: () => undefined,
    entities: ENTITIES,
    migrations: [...(options.migrations ?? [])],
    migrationsTableName: 'migration',
    synchronize: false,
    // A condition that is left out would select the rows of every owner.
    invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
    logging: false,
  });
}
