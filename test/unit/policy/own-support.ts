// Sets with own policies of the organisation acme.
import { admitOwnPolicies, type OwnAdmission } from '../../../shared/core/policy/own/admit.ts';
import { composedDigests, composeStored } from '../../../shared/core/policy/own/compose.ts';
import type { TextFile } from '../../../shared/core/policy/files.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';

export function admitFiles(installation: PolicySet, files: readonly TextFile[], slug = 'acme'): OwnAdmission {
  const verbs = { has: () => true, effectOf: () => undefined, actionOf: () => undefined, all: undefined };
  return admitOwnPolicies(files, { installation, slug, verbs, lintBudget: 1_000_000 });
}

/** The set of an organisation with these own policies, also with those that the linter would refuse. */
export function composed(
  installation: PolicySet,
  policies: readonly { readonly id: string }[],
  slug = 'acme',
): PolicySet {
  const sorted = [...policies].sort((a, b) => (a.id < b.id ? -1 : 1));
  const text = canonicalize({ policies: sorted, slug });
  return composeStored(installation, text, composedDigests(installation.canonical)(text));
}
