// Whether files may be put into force: one answer, in the same words, for the worker that loads them, POST /v1/policies/validate and `custos policy check`.
import type { KnownVerbs } from '../intent/lexicon/known-verbs.ts';
import { lintPolicySet } from './lint.ts';
import type { LintCode, LintFinding, Witness } from './lint.ts';
import { byPlace, loadPolicySet } from './load.ts';
import type { LoadDependencies, PolicySet, TextFile } from './load.ts';
import { policySources } from './testing/sources.ts';
import type { Finding } from './types.ts';

/** What is read from a policy folder. */
export interface PolicyTexts {
  readonly policies: readonly TextFile[];
  readonly lexicon: TextFile;
  /** What was taken for a policy by its author and is none. */
  readonly refused?: readonly Finding[];
  /** The slugs of all organisations, where they are known. */
  readonly organisations?: readonly string[];
}

export interface Admission<Lexicon> {
  /** The set that may be put into force; undefined when there are errors. */
  readonly set: PolicySet<Lexicon> | undefined;
  /** What refuses the set: by file, line and column. */
  readonly errors: readonly Finding[];
  /** What has a meaning, most likely not the one its author had in mind; of a set that loads. */
  readonly warnings: readonly Finding[];
}

/** What to do about a finding of the linter. */
const HINTS: Readonly<Record<LintCode, string>> = {
  NEVER_TRUE: 'correct a value, or say "any" where one of them is enough',
  UNREACHABLE: 'widen the target, or remove the rule',
  SHADOWED: 'remove the rule, or make it say what the others do not',
  CONTRADICTORY: 'decide which one is meant: the stricter one counts',
  WIDENING: 'narrow the target, or add a condition',
  ALWAYS_TRUE: 'add what you meant to ask, or leave the condition to the target',
  ONLY_WHEN_MISSING: 'ask isPresent when absence is meant, else correct the value',
  CONSTANT_PART: 'remove the part, or correct its value',
  DUPLICATE_CONDITION: 'remove one of them',
  CONTEXT_TYPE: 'compare the fact with values of one type everywhere',
  CALLERS_WORD: 'ask a fact that the service knows, or name the key whose word counts (key.id)',
  UNKNOWN_WORD: 'correct the word',
  WRONG_SCALE: 'write the value on the scale of the fact',
  HOST_BITS: 'write the network, or the one address',
  UNKNOWN_OBLIGATION: 'correct the name',
  UNKNOWN_ORGANISATION: 'correct the slug',
};

/** The question that shows a finding, and the facts that matter in it. */
function exampleOf({ relevant, shows }: Witness): string {
  const facts = Object.entries(relevant).map(([path, value]) =>
    value === null ? `${path} missing` : `${path} ${JSON.stringify(value)}`,
  );
  return facts.length === 0 ? shows : `${shows} (${facts.join(', ')})`;
}

/** The findings of the linter, in the files whose policies they are about. */
function placed(found: readonly LintFinding[], files: readonly TextFile[]): Finding[] {
  if (found.length === 0) return [];
  const sources = policySources(files);
  return found.map(({ policy, pointer, code, severity, message, witness, hint = HINTS[code] }) => {
    const place = sources.locate(policy, pointer) ?? { file: policy, line: 1, column: 1 };
    const example = witness === undefined ? {} : { example: exampleOf(witness) };
    return { ...place, pointer, code, message, severity, hint, ...example };
  });
}

export interface AdmitDependencies<Lexicon> extends LoadDependencies<Lexicon> {
  /** The verbs that conditions may name. */
  readonly verbsOf: (lexicon: Lexicon) => KnownVerbs;
  /**
   * The most policies whose warnings are looked for: in a process that has more to do, finding them in thousands would
   * hold the rest up. Errors are always looked for. Absent: no limit.
   */
  readonly warningsUpTo?: number;
  /** Most comparisons of the linter, which says nothing of what it then has not looked at; absent: its own. */
  readonly lintBudget?: number;
  /** Of these, the most that are spent on warnings. Absent: no limit. */
  readonly warningsBudget?: number;
}

/** Loads and lints the files; all that stands against them is told, of every file. */
export function admitPolicySet<Lexicon>(texts: PolicyTexts, deps: AdmitDependencies<Lexicon>): Admission<Lexicon> {
  const { policies, lexicon, refused: almost = [], organisations } = texts;
  const loaded = loadPolicySet(policies, lexicon, deps);
  // A lexicon that was refused as a file is not missing as well.
  const isToldOf = (finding: Finding): boolean => almost.some(({ file }) => file === finding.file);
  const refused = [...almost, ...(loaded.ok ? [] : loaded.findings.filter((finding) => !isToldOf(finding)))];
  const errorsOnly = policies.length > (deps.warningsUpTo ?? Number.POSITIVE_INFINITY);
  const linted = loaded.ok
    ? placed(
        lintPolicySet(loaded.set, {
          errorsOnly,
          verbs: deps.verbsOf(loaded.set.lexicon),
          organisations: organisations && new Set(organisations),
          ...(deps.lintBudget === undefined ? {} : { budget: deps.lintBudget }),
          ...(deps.warningsBudget === undefined ? {} : { warningsBudget: deps.warningsBudget }),
        }),
        policies,
      )
    : [];
  const errors = [...refused, ...linted.filter(({ severity }) => severity === 'error')].sort(byPlace);
  const warnings = linted.filter(({ severity }) => severity === 'warning').sort(byPlace);
  return { set: loaded.ok && errors.length === 0 ? loaded.set : undefined, errors, warnings };
}
