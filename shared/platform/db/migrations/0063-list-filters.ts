// The indexes that filters of lists lacked: intents of one key, deliveries in one state, policy sets of the installation.
import { concurrentMigration } from './sql-migration.ts';

/** There is none of decisions by key: 59 bytes for each, and 103 of WAL (docs/scale.md). */
const INDEXES: readonly (readonly [name: string, on: string])[] = [
  ['intent_by_key', 'intent (organisation_id, environment, key_id, intent_id)'],
  ['webhook_delivery_by_state', `webhook_delivery (endpoint_id, state, seq) WHERE state <> 'pending'`],
  ['policy_activation_of_installation', 'policy_activation (seq) WHERE organisation_id IS NULL'],
];

export const ListFilters1763700000063 = concurrentMigration({
  name: 'ListFilters1763700000063',
  up: INDEXES.flatMap(([name, on]) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
    `CREATE INDEX CONCURRENTLY ${name} ON ${on}`,
  ]),
  down: INDEXES.map(([name]) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
});
