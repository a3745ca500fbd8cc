// Calibration of `confidence`: the reliability table, and the monotone fit from which its curve is taken.
import type { ScoredRow } from './intent-scores.ts';

/** Rows of one range of confidence, from inclusive to exclusive (the last one to inclusive). */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** 0..1; 0 for an empty bucket. */
  readonly meanConfidence: number;
  /** 0..1; 0 for an empty bucket. */
  readonly shareRight: number;
}

/** Finer where most texts are. Below 0.5 the shipped policies escalate. */
const EDGES = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 1] as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A confidence, and whether the answer is right. */
export interface ConfidentAnswer {
  readonly confidence: number;
  readonly right: boolean;
}

/** Rows that expect an action class. An accepted alternative counts as right. */
export function answersOf(rows: readonly ScoredRow[]): ConfidentAnswer[] {
  return rows.flatMap(({ verbLenient, read }) =>
    verbLenient === undefined ? [] : [{ confidence: read.parse.confidence, right: verbLenient }],
  );
}

function bucketOf(samples: readonly ConfidentAnswer[], from: number, to: number): Bucket {
  const rows = samples.length;
  return {
    from,
    to,
    rows,
    meanConfidence: rows === 0 ? 0 : sum(samples.map(({ confidence }) => confidence)) / rows,
    shareRight: rows === 0 ? 0 : samples.filter(({ right }) => right).length / rows,
  };
}

/** The reliability table, including empty buckets. */
export function reliabilityOf(answers: readonly ConfidentAnswer[]): Bucket[] {
  return EDGES.slice(0, -1).map((from, at) => {
    const to = EDGES[at + 1] ?? 1;
    const inside = answers.filter(({ confidence }) => confidence >= from && (confidence < to || to === 1));
    return bucketOf(inside, from, to);
  });
}

/** The expected calibration error (Naeini, Cooper, Hauskrecht 2015): the mean gap between confidence and share right. */
export function calibrationError(buckets: readonly Bucket[]): number | null {
  const total = sum(buckets.map(({ rows }) => rows));
  if (total === 0) return null;
  return (
    sum(buckets.map(({ rows, meanConfidence, shareRight }) => rows * Math.abs(meanConfidence - shareRight))) / total
  );
}

/** A range of raw scores with one share right. */
export interface FittedBlock {
  readonly fromRaw: number;
  readonly toRaw: number;
  readonly rows: number;
  readonly shareRight: number;
  /** Laplace's rule of succession: a cautious estimate for few rows. */
  readonly shareSmoothed: number;
}

/** A score of an answer before the curve, and whether the answer is right. */
export interface RawAnswer {
  readonly raw: number;
  readonly right: boolean;
}

/**
 * The monotone fit of the share right over the raw score by pool adjacent violators (Ayer et al. 1955), in blocks of at least
 * `minimum` answers, so that single ones do not shape the curve.
 */
export function fitOf(samples: readonly RawAnswer[], minimum = 10): FittedBlock[] {
  const sorted = samples.toSorted((a, b) => a.raw - b.raw);
  const blocks: { fromRaw: number; toRaw: number; rows: number; right: number }[] = [];
  for (const { raw, right } of sorted) {
    const last = blocks.at(-1);
    const joins = last !== undefined && (last.rows < minimum || raw === last.toRaw);
    if (joins) {
      last.toRaw = raw;
      last.rows += 1;
      last.right += right ? 1 : 0;
    } else blocks.push({ fromRaw: raw, toRaw: raw, rows: 1, right: right ? 1 : 0 });
  }
  for (let at = 1; at < blocks.length; ) {
    const [before, here] = [blocks[at - 1], blocks[at]];
    if (!before || !here) break;
    const violates = here.right / here.rows < before.right / before.rows;
    const tooSmall = here.rows < minimum;
    if (!violates && !tooSmall) {
      at += 1;
      continue;
    }
    const merged = {
      fromRaw: before.fromRaw,
      toRaw: here.toRaw,
      rows: before.rows + here.rows,
      right: before.right + here.right,
    };
    blocks.splice(at - 1, 2, merged);
    at = Math.max(1, at - 1);
  }
  return blocks.map(({ fromRaw, toRaw, rows: count, right }) => ({
    fromRaw,
    toRaw,
    rows: count,
    shareRight: right / count,
    shareSmoothed: (right + 1) / (count + 2),
  }));
}
