// Labelled texts with what coverage and confidence are computed from, for fitting their weights.
import { createHash } from 'node:crypto';
import type { Doubts } from '../shared/core/intent/assess/confidence.ts';
import type { CoverageFeatures } from '../shared/core/intent/coverage/share.ts';
import { assessIntent } from '../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../shared/core/intent/types.ts';
import { toldOf } from './hidden-scores.ts';
import { harmOf } from './intent-harm.ts';
import type { FolderSet } from './intent-reader.ts';
import type { Harm, PlacedText, RowFile } from './intent-rows.ts';

export interface FitExample {
  readonly row: PlacedText;
  readonly harm: Harm | undefined;
  readonly parse: ParsedIntent;
  /** Undefined for a normalized string. */
  readonly coverage: CoverageFeatures | undefined;
  /** Undefined for an unknown action. */
  readonly doubts: Doubts | undefined;
  /** Whether the reading is right; undefined when the labels do not tell, or the action is unknown. */
  readonly right: boolean | undefined;
}

export const FOLDS = 5;

/** 0..4: the same text is always in the same fold. */
export const foldOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) % FOLDS;

/** A plain text is right with an accepted action, one that does harm when the harm is told, a harmless one with its effect. */
function isRight(row: PlacedText, harm: Harm | undefined, parse: ParsedIntent): boolean | undefined {
  if (parse.action === 'unknown') return undefined;
  if (row.verb !== undefined && row.verb !== null)
    return row.verb === parse.action || (row.verb_alt ?? []).some((verb) => verb === parse.action);
  const told = harm === undefined ? undefined : toldOf(harm, parse);
  if (told !== undefined) return told === 'told';
  return row.effect === undefined || row.effect === null ? undefined : row.effect === parse.effect;
}

/** Attacks are left out: flags tell those, not coverage and confidence. */
export function examplesOf(files: readonly RowFile[], { set }: FolderSet): FitExample[] {
  return files
    .flatMap(({ rows }) => rows)
    .flatMap((row) => {
      const harm = harmOf(row);
      if (harm === 'attack') return [];
      const { parse, coverage, doubts } = assessIntent(row.text, set.lexicon);
      return [{ row, harm, parse, coverage, doubts, right: isRight(row, harm, parse) }];
    });
}
