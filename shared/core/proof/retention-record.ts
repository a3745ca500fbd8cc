// The records of what retention dropped (`custos.retention`): the auditor and the API learn from them which rows are missing rightly. Pure.
import { idTimeMs } from '../../kernel/ids.ts';
import type { RecordView } from './record-read.ts';

const DAY_MS = 86_400_000;

/** What records of retention are about, with the shortest time that it is kept, milliseconds; the migrations have these times, too. */
const SHORTEST_KEEP_MS = {
  /** With their facts. */
  decisions: DAY_MS,
  /** Alone. */
  facts: DAY_MS,
  /** Parses with their raw texts. */
  texts: DAY_MS,
  /** Closed ones with their votes. The longest life of one (7 days), the time in which its use may be repeated, and clocks that differ. */
  approvals: 8 * DAY_MS,
  /** Of operators on the dashboard. */
  actions: DAY_MS,
} as const;
export type Retained = keyof typeof SHORTEST_KEEP_MS;
/** What goes in partitions. Of the others rows are deleted for each organisation and environment. */
export type PartedKind = 'decisions' | 'facts' | 'texts';

const isRetained = (what: unknown): what is Retained =>
  typeof what === 'string' && Object.hasOwn(SHORTEST_KEEP_MS, what);

/** The shortest time that a setting or an organisation can have for a kind of data. */
export const shortestKeepMs = (kind: string): number => (isRetained(kind) ? SHORTEST_KEEP_MS[kind] : DAY_MS);

/** Body of a `custos.retention` record. */
export interface RetentionBody {
  readonly what: Retained;
  /** Ids below this one were dropped. They begin with their time. Actions have no such id: those before its time. */
  readonly beforeId: string;
  /** The same as a time, RFC 3339. */
  readonly before: string;
  /** The setting that demanded it, and its value in seconds. */
  readonly setting: string;
  readonly keepSeconds: number;
  /** Only the data of this log's organisation and environment was dropped. Absent: that of all. */
  readonly scope?: 'organisation';
}

export const RETENTION_EVENT = 'custos.retention';
const RETENTION_ENTITY = 'custos:retention';

/** The body of a record of the log that states a drop; undefined for every other record. */
export function retentionOf(record: RecordView): RetentionBody | undefined {
  if (record.eventType !== RETENTION_EVENT || record.agentId !== RETENTION_ENTITY) return undefined;
  const body = record.payload.body as Partial<Record<keyof RetentionBody, unknown>> | null;
  const { what, beforeId, before, setting, keepSeconds, scope } = body ?? {};
  const isWhole =
    isRetained(what) &&
    typeof beforeId === 'string' &&
    typeof before === 'string' &&
    typeof setting === 'string' &&
    typeof keepSeconds === 'number';
  if (!isWhole) return undefined;
  return { what, beforeId, before, setting, keepSeconds, ...(scope === 'organisation' && { scope }) };
}

/** Whether a record states that younger data was dropped than the setting it names kept, or than any setting can. */
export function claimsTooMuch({ what, beforeId, keepSeconds }: RetentionBody, occurredAt: string): boolean {
  return !(idTimeMs(beforeId) <= Date.parse(occurredAt) - Math.max(keepSeconds * 1_000, SHORTEST_KEEP_MS[what]));
}
