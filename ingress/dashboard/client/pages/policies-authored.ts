// Who put a policy set into force, how and why; and the address of the difference of two sets.
import { html, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Id } from '../ui.ts';
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
  return html`${who}${more.length > 0 && html` <span class="muted">${more.join(', ')}</span>`}${reason !== null && html`<div>${reason}</div>`}`;
}

export function differenceTo(from: string, to: string): string {
  return href('policies', 'difference', { from, to });
}
