// The records of what retention dropped (`custos.retention`): the auditor and the API learn from them which rows are missing rightly. Pure.
import { idTimeMs } from '../../kernel/ids.ts';
import type { RecordView } from './record-read.ts';

/** Body of a `custos.retention` record. */
export interface RetentionBody {
  /** `decisions`: decisions with their facts; `facts`: facts alone; `texts`: parses with their raw texts. */
  readonly what: 'decisions' | 'facts' | 'texts';
  /** Ids below this one were dropped. They begin with their time. */
  readonly beforeId: string;
  /** The same as a time, RFC 3339. */
  readonly before: string;
  /** The setting that demanded it, and its value in seconds. */
  readonly setting: string;
  readonly keepSeconds: number;
  /** Only the data of this log's organisation and environment was dropped. Absent: that of all. */
  readonly scope?: 'organisation';
}

/** The shortest time that a setting can have, milliseconds; migration 0044 has it, too. */
export const SHORTEST_KEEP_MS = 86_400_000;

export const RETENTION_EVENT = 'custos.retention';
const RETENTION_ENTITY = 'custos:retention';

/** The body of a record of the log that states a drop; undefined for every other record. */
export function retentionOf(record: RecordView): RetentionBody | undefined {
  if (record.eventType !== RETENTION_EVENT || record.agentId !== RETENTION_ENTITY) return undefined;
  const body = record.payload.body as Partial<Record<keyof RetentionBody, unknown>> | null;
  const { what, beforeId, before, setting, keepSeconds, scope } = body ?? {};
  const isWhole =
    (what === 'decisions' || what === 'facts' || what === 'texts') &&
    typeof beforeId === 'string' &&
    typeof before === 'string' &&
    typeof setting === 'string' &&
    typeof keepSeconds === 'number';
  if (!isWhole) return undefined;
  return { what, beforeId, before, setting, keepSeconds, ...(scope === 'organisation' && { scope }) };
}

/** Whether a record states that younger data was dropped than the setting it names kept, or than any setting can. */
export function claimsTooMuch({ beforeId, keepSeconds }: RetentionBody, occurredAt: string): boolean {
  return !(idTimeMs(beforeId) <= Date.parse(occurredAt) - Math.max(keepSeconds * 1_000, SHORTEST_KEEP_MS));
}
