// Which leaves of an exported log have no record because retention dropped it, as records of the same log state. Pure.
import { idTimeMs, proofIdOfDecision } from '../../kernel/ids.ts';
import type { FindingKind } from './audit-findings.ts';
import { appendedAfterMs, isLate, LONGEST_DELAY_MS } from './late-leaves.ts';
import { readRecord } from './record-read.ts';
import { claimsTooMuch, type RetentionBody, retentionOf } from './retention-record.ts';

/** Leaves first to last, both included. */
export interface DroppedRange {
  readonly first: number;
  readonly last: number;
}

export interface Unfounded {
  readonly kind: FindingKind;
  readonly index: number;
  readonly sentence: string;
}

/** Collects the leaves of a log in order, and then its checkpoints. */
export interface DropCheck {
  addLeaf(index: number, record: Buffer): void;
  addDropped(index: number, proofId: string): void;
  /** Only a checkpoint whose signatures are verified. */
  addCheckpoint(size: number, timeMs: number): void;
  hasDropped(): boolean;
  /** @param signedSize leaves that a checkpoint covers: a record beyond them justifies nothing */
  end(signedSize: number): { readonly ranges: readonly DroppedRange[]; readonly unfounded: readonly Unfounded[] };
}

interface Range {
  first: number;
  last: number;
  /** The highest proof id. */
  highestId: string;
  /** The record before it. */
  readonly before: Buffer | undefined;
}

interface Drop {
  readonly index: number;
  readonly body: RetentionBody;
}

const NEEDLE = Buffer.from('"custos.retention"');
const DECISION_PROOF = /^prf_[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * A leaf is dropped rightly when a later, signed record states that decisions with higher ids were dropped. Its id is a claim of the file, so
 * its place is compared, too (late-leaves.ts).
 */
export function createDropCheck(): DropCheck {
  const ranges: Range[] = [];
  const drops: Drop[] = [];
  const checkpoints: { readonly size: number; readonly timeMs: number }[] = [];
  const unfounded: Unfounded[] = [];
  let newest: Buffer | undefined;

  /** Whether its last leaf stands where a decision of its highest id may stand. @param past the first checkpoint that covers that leaf */
  const isInPlace = ({ highestId, before }: Range, past: number): boolean => {
    const madeMs = idTimeMs(highestId);
    const [signedMs, coveredMs] = [checkpoints[past - 1]?.timeMs, checkpoints[past]?.timeMs];
    const afterMs = appendedAfterMs({ recordMs: before && timeOf(before), signedMs, coveredMs });
    if (afterMs < madeMs + LONGEST_DELAY_MS) return true;
    return !isLate(afterMs, madeMs, checkpoints.slice(0, past).find(({ timeMs }) => timeMs > madeMs)?.timeMs ?? 0);
  };

  const isFounded = (range: Range, signedSize: number): boolean =>
    // From the newest on, which covers most of them.
    drops.findLast(
      ({ index, body }) =>
        index > range.last && index < signedSize && proofIdOfDecision(body.beforeId) > range.highestId,
    ) !== undefined;

  return {
    addLeaf(index, record) {
      newest = record;
      if (!record.includes(NEEDLE)) return;
      const read = readRecord(record);
      const body = 'record' in read ? retentionOf(read.record) : undefined;
      if (body?.what !== 'decisions' || !('record' in read)) return;
      if (claimsTooMuch(body, read.record.occurredAt))
        unfounded.push({
          kind: 'retention-unfounded',
          index,
          sentence: `Leaf ${index} states that data was dropped which is younger than its setting allows.`,
        });
      else drops.push({ index, body });
    },
    addDropped(index, proofId) {
      const last = ranges.at(-1);
      // An id of another form is no decision's: it sorts above all, so that nothing justifies it.
      const id = DECISION_PROOF.test(proofId) ? proofId : '~';
      if (last?.last !== index - 1) ranges.push({ first: index, last: index, highestId: id, before: newest });
      else {
        last.last = index;
        if (id > last.highestId) last.highestId = id;
      }
    },
    addCheckpoint: (size, timeMs) => void checkpoints.push({ size, timeMs }),
    hasDropped: () => ranges.length > 0,
    end(signedSize) {
      let at = 0;
      for (const range of ranges) {
        while ((checkpoints[at]?.size ?? Infinity) <= range.last) at += 1;
        if (!isFounded(range, signedSize) || !isInPlace(range, at))
          unfounded.push({
            kind: 'source-missing',
            index: range.first,
            sentence: `${leavesOf(range)} without their records, and no signed record of the log states that retention dropped what stood there.`,
          });
      }
      return { ranges: ranges.map(({ first, last }) => ({ first, last })), unfounded };
    },
  };
}

function timeOf(record: Buffer): number | undefined {
  const read = readRecord(record);
  return 'record' in read ? Date.parse(read.record.occurredAt) : undefined;
}

/** Begins a sentence. */
export const leavesOf = ({ first, last }: DroppedRange): string =>
  first === last ? `Leaf ${first} is` : `The leaves ${first} to ${last} are`;
