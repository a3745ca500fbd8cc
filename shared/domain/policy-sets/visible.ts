// What an organisation may read of the installation's set: everything but the parts that are for other organisations alone.
import type { Policy } from '../../core/policy/schema.ts';

/** Whether a policy may apply to the organisation. */
export const concerns = ({ target }: Policy, slug: string): boolean => target.organisations?.includes(slug) ?? true;

interface Document {
  readonly policies: readonly Policy[];
  readonly lexicon: { readonly organisations?: Readonly<Record<string, unknown>> };
}

/** @param document the stored document of a set of the installation @returns it without the parts, and how many are left out */
export function visibleTo<D extends Document>(document: D, slug: string): D & { readonly withheld?: number } {
  const policies = document.policies.filter((policy) => concerns(policy, slug));
  const words = Object.entries(document.lexicon.organisations ?? {});
  const own = words.filter(([organisation]) => organisation === slug);
  const withheld = document.policies.length - policies.length + words.length - own.length;
  if (withheld === 0) return document;
  const lexicon = { ...document.lexicon, organisations: Object.fromEntries(own) };
  return { ...document, policies, lexicon, withheld };
}
