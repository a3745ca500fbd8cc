// Entries of tool catalogues that say less than the names of their tools.
import { effectRank } from '../../intent/assess/strictness.ts';
import { effectOfAction } from '../../intent/lexicon/effect.ts';
import type { KnownVerbs } from '../../intent/lexicon/known-verbs.ts';
import { parseJsonWithPositions, pointerToken } from '../../../kernel/json.ts';
import { wordsOfName } from '../../tools/name-words.ts';
import { checkCatalogue } from '../check-tools.ts';
import type { TextFile } from '../files.ts';
import type { Finding } from '../types.ts';

/** The code of warnings about catalogues. */
const TOOL_MILDER = 'TOOL_MILDER';

type Effects = Pick<KnownVerbs, 'effectOf'>;

function lintCatalogue({ path, text }: TextFile, { effectOf }: Effects): Finding[] {
  const { value, locate } = parseJsonWithPositions(text);
  const checked = checkCatalogue(value);
  if (!checked.ok) return [];
  return Object.entries(checked.catalogue.tools).flatMap(([name, { action, effect = effectOfAction(action) }]) => {
    const word = wordsOfName(name).find((one) => effectRank(effectOf(one) ?? 'read') > effectRank(effect));
    if (word === undefined) return [];
    const pointer = `/tools${pointerToken(name)}`;
    const { line, column } = locate(pointer);
    return {
      file: path,
      line,
      column,
      pointer,
      code: TOOL_MILDER,
      severity: 'warning' as const,
      message: `the effect of ${JSON.stringify(name)} is ${effect} here, and its name has "${word}", which is ${effectOf(word)}`,
      hint: 'look at what the tool does, and write the stricter effect in doubt',
    };
  });
}

/** Warnings about the catalogues of a set that loads. */
export function catalogueFindings(files: readonly TextFile[], effects: Effects): Finding[] {
  return files.flatMap((file) => lintCatalogue(file, effects));
}
