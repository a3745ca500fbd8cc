// Own policies under another set of the installation: one that is no longer valid there is replaced by a DENY of its target.
import { checkPolicy } from '../check.ts';
import type { Declarations } from '../declarations.ts';
import type { Policy } from '../schema.ts';
import type { PolicyTarget } from '../schema.ts';
import { ownDeclarations, type OwnPolicies, ownPoliciesOf } from './compose.ts';
import { ownProblems } from './rules.ts';

/** An own policy that is not valid under the installation's set. */
export interface Misfit {
  /** As it was pushed. */
  readonly policy: string;
  /** RFC 6901, into the policy. */
  readonly pointer: string;
  readonly message: string;
}

export interface Fitted {
  /** The policies that are evaluated. */
  readonly own: OwnPolicies;
  readonly misfits: readonly Misfit[];
}

/** Holds for every request of the organisation. */
const always = (slug: string): Policy['rules'][number]['conditions'] => ({
  all: [{ fact: 'organisation', path: 'slug', operator: 'equal', value: slug }],
});

/**
 * The policy that takes the place of one that does not fit. Leaving it out would permit what the organisation forbids, and keeping the
 * installation's earlier set would let an organisation keep out the installation's changes.
 */
function denialOf({ id, target }: Policy, slug: string): Policy {
  const denial = (aim: PolicyTarget): Policy => ({
    id,
    description: 'Denies what a policy was for that no longer fits the policies of the installation.',
    stage: 'enforce',
    target: aim,
    rules: [
      {
        name: 'no-longer-fits',
        conditions: always(slug),
        event: {
          type: 'DENY',
          params: {
            code: 'POLICY_NO_LONGER_FITS',
            message: `the organisation's policy ${id} no longer fits the installation's policies; push it again`,
          },
        },
      },
    ],
  });
  const same = denial(target);
  return ownProblems(same, slug).length === 0 ? same : denial({ actions: ['*'], resources: ['*'] });
}

/** @param declarations of the installation's set under which the policies are evaluated */
export function fitOwnPolicies(pushed: OwnPolicies, declarations: Declarations): Fitted {
  const misfits: Misfit[] = [];
  const policies = pushed.policies.map((policy) => {
    const checked = checkPolicy(policy, ownDeclarations(declarations, pushed));
    const [problem] = checked.ok ? ownProblems(policy, pushed.slug) : checked.problems;
    if (problem === undefined) return policy;
    misfits.push({ policy: policy.id, pointer: problem.pointer, message: problem.message });
    return denialOf(policy, pushed.slug);
  });
  return { own: misfits.length === 0 ? pushed : ownPoliciesOf(pushed.slug, policies, pushed.hasPlaceholders), misfits };
}
