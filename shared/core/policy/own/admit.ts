// Decides whether files may become the own policies of an organisation, with findings like those of a policy folder.
import type { KnownVerbs } from '../../intent/lexicon/known-verbs.ts';
import { memberOf } from '../../../kernel/json.ts';
import { inOneGo } from '../../../kernel/slices.ts';
import { placed } from '../admit.ts';
import { compilePolicies } from '../compile.ts';
import { byPlace, isPolicy, type TextFile } from '../files.ts';
import { collect, policiesUnder } from '../kinds.ts';
import { LEXICON_FILE } from '../lexicon-files.ts';
import { lintPolicySet } from '../lint.ts';
import type { PolicySet } from '../load.ts';
import type { Policy } from '../schema.ts';
import type { Finding } from '../types.ts';
import { ownDeclarations, type OwnPolicies, ownPoliciesOf } from './compose.ts';
import { ownProblems } from './rules.ts';

/**
 * Limits of one organisation: every process compiles its policies beside those of the others, and a question for which all of its rules
 * are candidates takes milliseconds.
 */
export const OWN_LIMITS = { policies: 200, rules: 500, bytes: 131_072 } as const;

export interface OwnAdmission {
  /** Undefined when there are errors. */
  readonly own: OwnPolicies | undefined;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

export interface OwnAdmissionDeps {
  /** The set that the policies are put on top of. */
  readonly installation: PolicySet;
  /** Of the organisation. */
  readonly slug: string;
  readonly verbs: KnownVerbs;
  /** The linter's budget of comparisons. */
  readonly lintBudget: number;
}

/** Files that are part of the installation's set alone. */
const isForInstallation = (file: TextFile): boolean => !isPolicy(file) || file.path === LEXICON_FILE;

function refusedFiles(files: readonly TextFile[]): Finding[] {
  return files.filter(isForInstallation).map(({ path }) => ({
    file: path,
    line: 1,
    column: 1,
    pointer: '',
    code: 'INSTALLATION_ONLY',
    message: "is part of the installation's policies alone; an organisation pushes policies",
  }));
}

type Sizes = Readonly<Record<keyof typeof OWN_LIMITS, number>>;

const sizesOf = (policies: readonly Policy[], { text }: OwnPolicies): Sizes => ({
  policies: policies.length,
  rules: policies.reduce((sum, { rules }) => sum + rules.length, 0),
  bytes: Buffer.byteLength(text),
});

/** At most the sizes of the policies in the files, read without checking anything: a check of what is too large takes long. */
function leastSizes(files: readonly TextFile[]): Sizes {
  let [rules, bytes] = [0, 0];
  for (const { text } of files) {
    try {
      const document: unknown = JSON.parse(text);
      const written = memberOf(document, 'rules');
      const schema = memberOf(document, '$schema');
      rules += Array.isArray(written) ? written.length : 0;
      bytes += Buffer.byteLength(JSON.stringify(document)) - Buffer.byteLength(JSON.stringify({ $schema: schema }));
    } catch {
      // The check will say so.
    }
  }
  return { policies: files.length, rules, bytes };
}

function tooLarge(sizes: Sizes): Finding[] {
  return (['policies', 'rules', 'bytes'] as const)
    .filter((what) => sizes[what] > OWN_LIMITS[what])
    .map((what) => {
      const message = `own policies of an organisation have at most ${OWN_LIMITS[what].toLocaleString('en')} ${what}; these have ${sizes[what].toLocaleString('en')}`;
      return { file: '.', line: 1, column: 1, pointer: '', code: 'TOO_LARGE', message };
    });
}

/** Findings about permissions do not apply: own policies permit nothing. */
const ABOUT_PERMISSIONS: readonly string[] = ['WIDENING', 'CALLERS_WORD'];

export function admitOwnPolicies(files: readonly TextFile[], deps: OwnAdmissionDeps): OwnAdmission {
  const { installation, slug, verbs, lintBudget } = deps;
  const { tools } = installation;
  const early = tooLarge(leastSizes(files.filter((file) => !isForInstallation(file))));
  if (early.length > 0) return { own: undefined, errors: early, warnings: [] };
  const declarations = { ...ownDeclarations(installation.declarations, { hasPlaceholders: true }), verbs };
  const policyFiles = files.filter((file) => !isForInstallation(file));
  const kind = policiesUnder(declarations);
  const { items, findings } = collect(policyFiles, {
    ...kind,
    check: (document) => {
      const checked = kind.check(document);
      const problems = checked.ok ? ownProblems(checked.item, slug) : [];
      return problems.length === 0 ? checked : { ok: false, problems };
    },
  });
  const errors = [...refusedFiles(files), ...findings];
  const own = ownPoliciesOf(slug, items);
  if (errors.length === 0) errors.push(...tooLarge(sizesOf(items, own)));
  if (errors.length > 0) return { own: undefined, errors: errors.sort(byPlace), warnings: [] };
  const set = { policies: own.policies, compiled: inOneGo(compilePolicies(own.policies, declarations)) };
  const linted = lintPolicySet(set, { verbs, tools, organisations: new Set([slug]), budget: lintBudget }).filter(
    ({ code }) => !ABOUT_PERMISSIONS.includes(code),
  );
  const found = placed(linted, policyFiles, set);
  const refused = found.filter(({ severity }) => severity === 'error');
  return {
    own: refused.length === 0 ? own : undefined,
    errors: refused,
    warnings: found.filter(({ severity }) => severity === 'warning'),
  };
}
