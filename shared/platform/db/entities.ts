// The TypeORM entities: one for each sealed table, made from the table's description (seals/tables.ts).
import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { type Kind, SEALED_TABLE_NAMES, type SealedTableName, sealedTable } from './seals/tables.ts';

/** The SQL type of a kind. Times are stored in milliseconds, like all times of the service. */
const TYPES: Readonly<Record<Kind, EntitySchemaColumnOptions>> = {
  text: { type: 'text' },
  'text?': { type: 'text', nullable: true },
  texts: { type: 'text', array: true },
  'texts?': { type: 'text', array: true, nullable: true },
  smallint: { type: 'smallint' },
  integer: { type: 'integer' },
  bigint: { type: 'bigint' },
  'bigint?': { type: 'bigint', nullable: true },
  boolean: { type: 'boolean' },
  bytes: { type: 'bytea' },
  time: { type: 'timestamptz', precision: 3 },
  'time?': { type: 'timestamptz', precision: 3, nullable: true },
};

/** The name of the entity is the name of the table, and those of its properties are those of the columns. */
function entityOf(table: SealedTableName): EntitySchema {
  const { primaryKey, columns, unsealed } = sealedTable(table);
  const described = Object.entries({ ...columns, ...unsealed }).map(([name, kind]) => [
    name,
    { ...TYPES[kind], primary: primaryKey.includes(name) },
  ]);
  return new EntitySchema({
    name: table,
    columns: { ...Object.fromEntries(described), seal: { type: 'bytea', nullable: true } },
  });
}

export const ENTITIES = SEALED_TABLE_NAMES.map(entityOf);
