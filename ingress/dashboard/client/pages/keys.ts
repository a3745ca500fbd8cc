// The keys of the organisation and environment: what each may do, and making, rotating and revoking them.
import { usePages } from '../api.ts';
import { html, useCallback, useEffect, useState, type VNode } from '../html.ts';
import { useSession } from '../session.ts';
import { Badge, type Column, Empty, List, PageHead, Said, Time, useNow } from '../ui.ts';
import { CreateDialog, RevokeDialog, RotateDialog } from './keys-forms.ts';
import { SecretCard } from './keys-secret.ts';
import { isUsable, type Key, type MadeKey, STATE_TONES, stateOf } from './keys-types.ts';

type Asked = { readonly kind: 'create' } | { readonly kind: 'rotate' | 'revoke'; readonly key: Key };

export function KeysPage(): VNode {
  const session = useSession();
  const keys = usePages<Key>('/v1/auth/keys');
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [made, setMade] = useState<MadeKey | undefined>(undefined);
  const forget = useCallback(() => setMade(undefined), []);
  // A page that the browser keeps for "back" must not keep the secret with it.
  useEffect(() => {
    window.addEventListener('pagehide', forget);
    return () => window.removeEventListener('pagehide', forget);
  }, [forget]);
  const close = (): void => setAsked(undefined);
  const onMade = (key: MadeKey): void => {
    setMade(key);
    keys.reload();
  };
  const create = html`<button type="button" class="button button-primary" onClick=${() => setAsked({ kind: 'create' })}>Make a key…</button>`;
  return html`<${PageHead} title="Keys" lead=${html`Of ${session.organisation}, environment ${session.environment}. Only a hash of each is kept.`} actions=${create} />
    ${made && html`<${SecretCard} key=${made.keyId} made=${made} ready=${asked === undefined} onDone=${forget} />`}
    <${List} pages=${keys} caption="Keys" columns=${columnsOf(session.keyId, setAsked)} keyOf=${(key: Key) => key.keyId} empty=${html`<${Empty} title="There are no keys in this environment">Make one here, or with "custos keys create".<//>`} />
    ${asked?.kind === 'create' && html`<${CreateDialog} environment=${session.environment} onMade=${onMade} onClose=${close} />`}
    ${asked?.kind === 'rotate' && html`<${RotateDialog} of=${asked.key} isOwn=${asked.key.keyId === session.keyId} onMade=${onMade} onClose=${close} />`}
    ${asked?.kind === 'revoke' && html`<${RevokeDialog} of=${asked.key} isOwn=${asked.key.keyId === session.keyId} onDone=${keys.reload} onClose=${close} />`}`;
}

/** Agents that a row names; more are counted. */
const AGENTS_SHOWN = 3;

function columnsOf(ownKeyId: string, ask: (asked: Asked) => void): readonly Column<Key>[] {
  return [
    {
      title: 'Name',
      cell: (key) =>
        html`<${Said} text=${key.name} /><br /><code class="muted">${key.keyId}</code>${key.keyId === ownKeyId && html` <span class="muted">yours now</span>`}`,
    },
    { title: 'State', cell: (key) => html`<${State} of=${key} />` },
    {
      title: 'May',
      cell: ({ scopes }) =>
        html`<span class="badges">${scopes.map((scope) => html`<${Badge} key=${scope} tone=${scope === 'admin:*' ? 'warn' : 'neutral'}>${scope}<//>`)}</span>`,
    },
    { title: 'Agents', cell: ({ agentIds }) => html`<${Agents} ids=${agentIds} />` },
    { title: 'Tier', align: 'end', cell: ({ tier }) => tier },
    { title: 'Made', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? html`<span class="muted">never</span>` : html`<${Time} at=${lastUsedAt} />`,
    },
    { title: 'Actions', align: 'end', cell: (key) => html`<${Actions} of=${key} ask=${ask} />` },
  ];
}

/** The state, and when it ends or ended. */
function State({ of: key }: { readonly of: Key }): VNode {
  const state = stateOf(key, useNow());
  const at = key.revokedAt ?? key.expiresAt;
  const what = isUsable(state) ? 'ends ' : '';
  return html`<${Badge} tone=${STATE_TONES[state]}>${state}<//><br /><span class="muted">${at === null ? 'no end' : html`${what}<${Time} at=${at} />`}${state === 'replaced' && html` by <code>${key.replacedBy}</code>`}</span>`;
}

function Agents({ ids }: { readonly ids: readonly string[] | null }): VNode {
  if (ids === null) return html`<span class="muted">all</span>`;
  const more = ids.length - AGENTS_SHOWN;
  return html`${ids.slice(0, AGENTS_SHOWN).map((each, at) => html`${at > 0 && ', '}<${Said} key=${each} text=${each} />`)}${more > 0 && html` <span class="muted" title=${ids.join('\n')}>and ${more} more</span>`}`;
}

function Actions({ of: key, ask }: { readonly of: Key; readonly ask: (asked: Asked) => void }): VNode {
  const state = stateOf(key, useNow());
  if (!isUsable(state)) return html`<span class="muted">–</span>`;
  return html`<span class="row-actions">
    ${state === 'active' && html`<button type="button" class="button button-small" aria-label=${`Rotate ${key.name} ${key.keyId}`} onClick=${() => ask({ kind: 'rotate', key })}>Rotate…</button>`}
    <button type="button" class="button button-small" aria-label=${`Revoke ${key.name} ${key.keyId}`} onClick=${() => ask({ kind: 'revoke', key })}>Revoke…</button>
  </span>`;
}
