// Who put a policy set into force, how, why and for whom; and the address of the difference of two sets.
import type { PolicyApprovalAnswer, PolicyProposal } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Badge, Id, Name, Said } from '../ui.ts';
import type { ActivationSource, PolicyActivation } from '../wire.ts';

type Author = Pick<PolicyActivation, 'reason'> & {
  readonly author: string | null;
  readonly source: ActivationSource | null;
  readonly approver?: string | null;
  readonly signer?: string | null;
};

const SOURCES: Readonly<Record<ActivationSource, string>> = {
  folder: '',
  push: 'pushed',
  rollback: 'rollback',
  stage: 'staged',
};

/** Who put a set into force, how, and why. */
export function Authored({ of }: { readonly of: Author }): VNode {
  const { author, source, reason, approver, signer } = of;
  if (author === null || source === null) return html`<span class="muted">nobody</span>`;
  const who = author === 'folder' ? 'the folder' : html`<${Id} id=${author} length=${16} />`;
  const more = [SOURCES[source], approver && `approved by ${approver}`, signer && `signed by ${signer}`].filter(
    Boolean,
  );
  return html`${who}${more.length > 0 && html` <span class="muted">${more.join(', ')}</span>`}${reason !== null && html`<div><${Said} text=${reason} /></div>`}`;
}

/** The name and the tags of the key that proposed a change. */
export function AuthorKey({ of }: { readonly of: NonNullable<PolicyApprovalAnswer['authorKey']> }): VNode {
  const { name, tags } = of;
  return html`key <${Name} text=${name} length=${30} />${tags.map((tag) => html` <${Badge} key=${tag} tone="info">${tag}<//>`)}`;
}

/** Of every change of policies. */
export const REASON = { label: 'Reason, kept in every log', required: true };

/** For whom a change puts a set into force. @param stage of a proposal (shared/domain/policy-sets/stages.ts); undefined: for all */
export function stageWords(stage: PolicyProposal['stage']): string {
  if (stage === undefined) return 'Policies for all';
  const { drop, organisations, share } = stage;
  if (drop === true) return 'End of the stage of';
  const names = Array.isArray(organisations) ? organisations.join(', ') : 'all';
  return typeof share === 'number'
    ? `Policies in shadow, ${Math.round(1_000 * share) / 10} % of decisions of ${names},`
    : `Policies for ${names}`;
}

export function differenceTo(from: string, to: string): string {
  return href('policies', 'difference', { from, to });
}
