// Loads drafts: policy sets for replay and shadow mode, from files, a folder or the database.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { knownVerbs } from '../../core/intent/lexicon/known-verbs.ts';
import { compileLexicon, compileStoredLexicon } from '../../core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { admitPolicySet, type PolicyTexts } from '../../core/policy/admit.ts';
import type { TextFile } from '../../core/policy/files.ts';
import type { LoadResult } from '../../core/policy/load.ts';
import { loadCanonicalSet } from '../../core/policy/stored-set.ts';
import { withLexicon } from '../../core/policy/lexicon-files.ts';
import type { PolicyFolder } from '../policy-sets/folder.ts';

export type Draft = LoadResult<Lexicon>;

/** About a third of a second, because a process that answers requests may load a draft. */
const LINT_BUDGET = 5_000_000;

const STORED = 'SELECT canonical FROM policy_set_text WHERE digest = $1';
const ACTIVE =
  'SELECT policy_set.canonical FROM policy_state JOIN policy_set ON policy_set.digest = policy_state.active_digest';

async function canonicalOf(sql: Sql, statement: Statement, values: readonly string[]): Promise<string | undefined> {
  const [row] = await sql.query<{ canonical: Buffer }>(statement, values);
  return row?.canonical.toString('utf8');
}

/** The lexicon of the set in force; empty when none is. */
async function activeLexicon(sql: Sql): Promise<string> {
  const canonical = await canonicalOf(sql, ACTIVE, []);
  if (canonical === undefined) return '';
  // The canonical text of a set, which is an object (shared/core/policy/load.ts).
  const { lexicon } = JSON.parse(canonical) as { readonly lexicon: unknown };
  return JSON.stringify(lexicon);
}

/** A draft is refused for the same reasons, with the same messages, as the policy folder. */
async function draftOf(sql: Sql, { policies, lexicon, refused = [] }: PolicyTexts): Promise<Draft> {
  const inForce = await activeLexicon(sql);
  const { isInForce, ...texts } = withLexicon(lexicon.text === '' ? policies : [...policies, lexicon], () => inForce);
  const { set, errors } = admitPolicySet(
    { ...texts, refused },
    {
      compileLexicon: isInForce ? compileStoredLexicon : compileLexicon,
      verbsOf: knownVerbs,
      warningsUpTo: 0,
      lintBudget: LINT_BUDGET,
    },
  );
  return set === undefined ? { ok: false, findings: [...errors] } : { ok: true, set };
}

/** A draft from policy files; without a lexicon.json among them the lexicon of the set in force is used. */
export function draftOfFiles(sql: Sql, files: readonly TextFile[]): Promise<Draft> {
  return draftOf(
    sql,
    withLexicon(files, () => ''),
  );
}

/** A draft from a policy folder as it was read; a folder without lexicon.json uses that of the set in force. */
export function draftOfFolder(sql: Sql, folder: PolicyFolder): Promise<Draft> {
  return draftOf(sql, folder);
}

/** A set from its canonical text. */
export function draftOfCanonical(canonical: string): Draft {
  return loadCanonicalSet(canonical, { compileLexicon: compileStoredLexicon });
}

/** A stored set; undefined: there is none with this digest. */
export async function draftOfDigest(sql: Sql, digest: string): Promise<Draft | undefined> {
  const canonical = await canonicalOf(sql, STORED, [digest]);
  return canonical === undefined ? undefined : draftOfCanonical(canonical);
}
