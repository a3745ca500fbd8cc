// The trace context of the request that made a record, so that appending it to the log belongs to that trace.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- W3C trace context; null when neither the caller nor this service traced the request.
ALTER TABLE decision ADD COLUMN traceparent text;
ALTER TABLE record ADD COLUMN traceparent text;
`;

const DOWN = `
ALTER TABLE decision DROP COLUMN traceparent;
ALTER TABLE record DROP COLUMN traceparent;
`;

export const Traces1763700000007 = sqlMigration({ name: 'Traces1763700000007', up: UP, down: DOWN });
