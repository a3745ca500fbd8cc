// Labelled texts with what coverage and confidence are computed from, for fitting their weights.
import type { Doubts } from '../shared/core/intent/assess/confidence.ts';
import type { CoverageFeatures } from '../shared/core/intent/coverage/share.ts';
import { assessIntent } from '../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../shared/core/intent/types.ts';
import { toldOf } from './hidden-scores.ts';
import { harmOf } from './intent-harm.ts';
import type { FolderSet } from './intent-reader.ts';
import { HARMS, type Harm, type PlacedText, type RowFile } from './intent-rows.ts';
import { heldOutEstimators, examplesOf as harmExamplesOf } from './train-harm.ts';
import { foldOf } from './folds.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';

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

/**
 * A plain text is right with an accepted action, one that does harm when the harm is told, a harmless one with its effect, or when no harm
 * is told.
 */
function isRight(row: PlacedText, harm: Harm | undefined, parse: ParsedIntent): boolean | undefined {
  if (parse.action === 'unknown') return undefined;
  if (row.verb !== undefined && row.verb !== null)
    return row.verb === parse.action || (row.verb_alt ?? []).some((verb) => verb === parse.action);
  const told = harm === undefined ? undefined : toldOf(harm, parse);
  if (told !== undefined) return told === 'told';
  if (row.effect !== undefined && row.effect !== null) return row.effect === parse.effect;
  return harm === undefined ? undefined : HARMS.every((one) => toldOf(one, parse) !== 'told');
}

/**
 * Attacks are left out: flags tell those, not coverage and confidence. Each text is read with weights of harm that were learned without
 * it, because a text that was learned from is told apart more surely than others.
 */
export function examplesOf(files: readonly RowFile[], { set }: FolderSet): FitExample[] {
  const rows = files.flatMap((file) => file.rows);
  const { harm: thresholds } = set.lexicon;
  const estimators = thresholds === undefined ? [] : heldOutEstimators(harmExamplesOf(rows, set.lexicon), thresholds);
  const lexicons = estimators.map((harm): Lexicon => ({ ...set.lexicon, harm }));
  return rows.flatMap((row) => {
    const harm = harmOf(row);
    if (harm === 'attack') return [];
    const { parse, coverage, doubts } = assessIntent(row.text, lexicons[foldOf(row.text)] ?? set.lexicon);
    return [{ row, harm, parse, coverage, doubts, right: isRight(row, harm, parse) }];
  });
}
