// The migrations of BullMQ's tables. Loaded only by a process that migrates, because BullMQ takes a quarter of a second.
export { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
