// The answers of the operator trail. Types only, which the server imports as well.
import type { RecordedChange } from '#shared/kernel/recorded-change.js';
import type { ListPage } from '../wire.ts';

export type { ChangedField, RecordedChange } from '#shared/kernel/recorded-change.js';

/** An action of an operator. */
export interface OperatorAction {
  readonly seq: number;
  readonly at: string;
  readonly requestId: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly address: string;
  readonly action: string;
  readonly subject: string;
  /** `begun`: no end was recorded. */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed';
  readonly status: number | null;
  readonly code: string | null;
  /** Null: it changed nothing, was refused, or has not ended. */
  readonly change: RecordedChange | null;
}

/** GET /dashboard/api/audit/actions */
export interface OperatorActions extends ListPage<OperatorAction> {
  /** Retention has erased older ones; null: none. */
  readonly erasedBefore: string | null;
}
