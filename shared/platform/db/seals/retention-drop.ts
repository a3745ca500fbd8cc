// The seal of how far retention has dropped (table retention_drop).
import type { Seals } from './seals.ts';

export interface DropRow {
  readonly what: string;
  /** Ids below this one were dropped. */
  readonly before_id: string;
  readonly seal: Buffer;
}

const sealedText = (what: string, beforeId: string): string => JSON.stringify([what, beforeId]);

export const dropSeal = (seals: Pick<Seals, 'sealOfText'>, what: string, beforeId: string): Buffer =>
  seals.sealOfText('retention', sealedText(what, beforeId));

export const isDropSeal = (seals: Pick<Seals, 'isSealOfText'>, { what, before_id: beforeId, seal }: DropRow): boolean =>
  seals.isSealOfText('retention', sealedText(what, beforeId), seal);
