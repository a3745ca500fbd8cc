// The trace context of the request that made a record, so that appending it to the log belongs to that trace.
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- W3C trace context; null when neither the caller nor this service traced the request.
ALTER TABLE decision ADD COLUMN traceparent text;
ALTER TABLE record ADD COLUMN traceparent text;
`;

const DOWN = `
ALTER TABLE decision DROP COLUMN traceparent;
ALTER TABLE record DROP COLUMN traceparent;
`;

export class Traces1763700000007 implements MigrationInterface {
  readonly name = 'Traces1763700000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
