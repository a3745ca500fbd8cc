// The coverage of recent parses: which share of their texts was read.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Parses of earlier versions have none; they are joined for at most 15 minutes more.
ALTER TABLE recent_parse ADD COLUMN coverage double precision NOT NULL DEFAULT 1;
`;

const DOWN = `
ALTER TABLE recent_parse DROP COLUMN coverage;
`;

export const ParseCoverage1763700000042 = sqlMigration({ name: 'ParseCoverage1763700000042', up: UP, down: DOWN });
