// Decides whether files may be put into force, with the same messages for the worker, POST /v1/policies/validate and `custos policy check`.
import type { KnownVerbs } from '../intent/lexicon/known-verbs.ts';
import { lintPolicySet } from './lint.ts';
import { catalogueFindings } from './lint/catalogues.ts';
import type { LintCode, LintFinding, Witness } from './lint.ts';
import { definitionText, termFindings } from './lint/terms.ts';
import { byPlace, isCatalogue, isLexiconPart, isTerms, type TextFile } from './files.ts';
import { loadPolicySet } from './load.ts';
import type { LoadDependencies, PolicySet } from './load.ts';
import { policySources } from './testing/sources.ts';
import type { Finding } from './types.ts';

/** The contents of a policy folder. */
export interface PolicyTexts {
  /** All files but lexicon.json. */
  readonly policies: readonly TextFile[];
  /** lexicon.json; an empty text without that file. */
  readonly lexicon: TextFile;
  /** Files that look like policies but could not be read. */
  readonly refused?: readonly Finding[];
  /** The slugs of all organisations, if known. */
  readonly organisations?: readonly string[];
}

export interface Admission<Lexicon> {
  /** The set that may be put into force; undefined when there are errors. */
  readonly set: PolicySet<Lexicon> | undefined;
  /** Errors that prevent the use of the set, by file, line and column. */
  readonly errors: readonly Finding[];
  /** Valid but suspicious rules of a set that loads. */
  readonly warnings: readonly Finding[];
}

/** How to fix each kind of linter finding. */
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
  TOOL_ABSENT: 'begin the conditions with tool.present equal true',
  UNANCHORED_PATTERN: 'write ^ at the beginning and $ at the end',
  PATH_PREFIX: 'write matchesResource, or matchesGlob where upper and lower case differ',
  ANY_ITEM: 'compare the list with "every"',
  UNKNOWN_TOOL: 'correct the name',
  UNKNOWN_CALL: 'escalate such calls, or describe the tool in a catalogue',
  BUDGET_BYPASSED: 'give the other rules the same budget, or narrow them',
};

/** Formats the request that demonstrates a finding, with the relevant facts. */
function exampleOf({ relevant, shows }: Witness): string {
  const facts = Object.entries(relevant).map(([path, value]) =>
    value === null ? `${path} missing` : `${path} ${JSON.stringify(value)}`,
  );
  return facts.length === 0 ? shows : `${shows} (${facts.join(', ')})`;
}

/** Attaches linter findings to the files that their policies come from. */
export function placed(
  found: readonly LintFinding[],
  files: readonly TextFile[],
  { policies, compiled }: Pick<PolicySet, 'policies' | 'compiled'>,
): Finding[] {
  if (found.length === 0) return [];
  const sources = policySources(files);
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  return found.map(({ policy, pointer, code, severity, message: text, witness, hint = HINTS[code] }) => {
    const message = `${text}${definitionText(byId.get(policy), pointer, compiled.terms)}`;
    const place = sources.locate(policy, pointer) ?? { file: policy, line: 1, column: 1 };
    const example = witness === undefined ? {} : { example: exampleOf(witness) };
    return { ...place, pointer, code, message, severity, hint, ...example };
  });
}

export interface AdmitDependencies<Lexicon> extends LoadDependencies<Lexicon> {
  /** Returns the verbs that conditions may name. */
  readonly verbsOf: (lexicon: Lexicon) => KnownVerbs;
  /**
   * The largest number of policies for which warnings are searched: in a process with other work, a search through thousands would block.
   * Errors are always searched. Absent: no limit.
   */
  readonly warningsUpTo?: number;
  /** The linter's budget of comparisons; whatever exceeds it is not reported. Absent: the linter's default. */
  readonly lintBudget?: number;
  /** The part of the budget that warnings may use. Absent: no limit. */
  readonly warningsBudget?: number;
}

/** Loads and lints the files and reports all problems of every file. */
export function admitPolicySet<Lexicon>(texts: PolicyTexts, deps: AdmitDependencies<Lexicon>): Admission<Lexicon> {
  const { policies, lexicon, refused: almost = [], organisations } = texts;
  const loaded = loadPolicySet(policies, lexicon, deps);
  // A lexicon of which a file was refused must not also be reported as missing or incomplete.
  const isReported = ({ file, code }: Finding): boolean =>
    almost.some((one) => one.file === file || (code === 'LEXICON' && isLexiconPart({ path: one.file, text: '' })));
  const refused = [...almost, ...(loaded.ok ? [] : loaded.findings.filter((finding) => !isReported(finding)))];
  const errorsOnly = policies.length > (deps.warningsUpTo ?? Number.POSITIVE_INFINITY);
  const linted = loaded.ok
    ? placed(
        lintPolicySet(loaded.set, {
          errorsOnly,
          verbs: deps.verbsOf(loaded.set.lexicon),
          organisations: organisations && new Set(organisations),
          tools: loaded.set.tools,
          ...(deps.lintBudget === undefined ? {} : { budget: deps.lintBudget }),
          ...(deps.warningsBudget === undefined ? {} : { warningsBudget: deps.warningsBudget }),
        }),
        policies,
        loaded.set,
      )
    : [];
  const errors = [...refused, ...linted.filter(({ severity }) => severity === 'error')].sort(byPlace);
  const ofTools =
    loaded.ok && !errorsOnly
      ? catalogueFindings(policies.filter(isCatalogue), {
          verbs: deps.verbsOf(loaded.set.lexicon),
          compiled: loaded.set.compiled,
        })
      : [];
  const ofTerms =
    loaded.ok && !errorsOnly
      ? termFindings(policies.find(isTerms), loaded.set.policies, loaded.set.declarations.terms)
      : [];
  const warnings = [...linted.filter(({ severity }) => severity === 'warning'), ...ofTools, ...ofTerms].sort(byPlace);
  return { set: loaded.ok && errors.length === 0 ? loaded.set : undefined, errors, warnings };
}
