// The keys of the organisation and environment, with the actions to create, rotate and revoke them.
import { usePages } from '../api.ts';
import { named } from '../format.ts';
import { html, useCallback, useState, type VNode } from '../html.ts';
import { useFilters } from '../router.ts';
import { useKept, useSession } from '../session.ts';
import {
  Badge,
  type Column,
  Empty,
  type FilterField,
  Filters,
  Id,
  List,
  Name,
  PageHead,
  Said,
  Time,
  useNow,
} from '../ui.ts';
import { CreateDialog, RevokeDialog, RotateDialog } from './keys-forms.ts';
import { KeySecret } from './keys-secret.ts';
import type { Key, MadeKey } from '../answers.ts';
import type { SessionInfo } from '../wire.ts';
import { isUsable, keysFound, mayChange, STATE_TONES, stateOf } from './keys-states.ts';

type Asked = { readonly kind: 'create' } | { readonly kind: 'rotate' | 'revoke'; readonly key: Key };

export function KeysPage(): VNode {
  const session = useSession();
  const keys = usePages<Key>('/v1/auth/keys', { limit: MOST_KEYS });
  const [filters, setFilters] = useFilters(['search', 'state']);
  const now = useNow();
  const found = { ...keys, items: keysFound(keys.items, filters, now) };
  const isFiltered = filters.search !== undefined || filters.state !== undefined;
  const empty = isFiltered
    ? html`<${Empty} title="No key matches">${keys.older === undefined ? 'Change or clear the filters.' : 'Only the keys of this page were searched.'}<//>`
    : html`<${Empty} title="No keys yet">Create one here, or with "custos keys create".<//>`;
  const [asked, setAsked] = useKept<Asked | undefined>('asked', undefined);
  const [made, setMade] = useState<MadeKey | undefined>(undefined);
  const forget = useCallback(() => setMade(undefined), []);
  const close = (): void => setAsked(undefined);
  const onMade = (key: MadeKey): void => {
    setMade(key);
    keys.reload();
  };
  const create = html`<button type="button" class="button button-primary" onClick=${() => setAsked({ kind: 'create' })}>Create key…</button>`;
  return html`<${PageHead} title="Keys" lead=${html`API keys of ${session.organisation} in ${session.environment}. Only a hash of each secret is stored.`} actions=${create} />
    ${made && html`<${KeySecret} key=${made.keyId} made=${made} ready=${asked === undefined} onDone=${forget} />`}
    <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    <${List} pages=${found} caption="Keys" columns=${columnsOf(session, setAsked)} keyOf=${(key: Key) => key.keyId} empty=${empty} />
    ${asked?.kind === 'create' && html`<${CreateDialog} environment=${session.environment} onMade=${onMade} onClose=${close} />`}
    ${asked?.kind === 'rotate' && html`<${RotateDialog} of=${asked.key} isOwn=${asked.key.keyId === session.keyId} onMade=${onMade} onClose=${close} />`}
    ${asked?.kind === 'revoke' && html`<${RevokeDialog} of=${asked.key} isOwn=${asked.key.keyId === session.keyId} onDone=${keys.reload} onClose=${close} />`}`;
}

/** The API's maximum per page; the search covers one page. */
const MOST_KEYS = 200;
const FIELDS: readonly FilterField[] = [
  { name: 'search', label: 'Search', kind: 'text', placeholder: 'name, id, scope, tag or agent' },
  { name: 'state', label: 'Status', kind: 'choice', options: ['active', 'replaced', 'expired', 'revoked'] },
];

/** Agents, and tags, that a row shows; more are counted. */
const MOST_SHOWN = 3;

function columnsOf(session: SessionInfo, ask: (asked: Asked) => void): readonly Column<Key>[] {
  return [
    {
      title: 'Name',
      cell: (key) =>
        html`<${Said} text=${key.name} /><br /><span class="muted"><${Id} id=${key.keyId} copy /></span>${key.keyId === session.keyId && html` <span class="muted">signed in</span>`}`,
    },
    { title: 'Status', narrow: 'lead', cell: (key) => html`<${State} of=${key} />` },
    {
      title: 'Scopes',
      cell: ({ scopes, tier }) =>
        html`<span class="badges">${scopes.map((scope) => html`<${Badge} key=${scope} tone=${scope === 'admin:*' ? 'warn' : 'neutral'}>${scope}<//>`)}</span><span class="muted">tier ${tier}</span>`,
    },
    {
      title: 'Tags',
      cell: ({ tags }) =>
        tags.length === 0 ? html`<span class="muted">No tags</span>` : html`<${Names} texts=${tags} />`,
    },
    { title: 'Agents', cell: ({ agentIds }) => html`<${Agents} ids=${agentIds} />` },
    {
      title: 'Last used',
      cell: ({ lastUsedAt, createdAt }) =>
        html`${lastUsedAt === null ? html`<span class="muted">Never</span>` : html`<${Time} at=${lastUsedAt} />`}<br /><span class="muted">created <${Time} at=${createdAt} /></span>`,
    },
    {
      title: 'Actions',
      align: 'end',
      cell: (key) =>
        mayChange(session, key)
          ? html`<${Actions} of=${key} ask=${ask} />`
          : html`<span class="muted">not with your key</span>`,
    },
  ];
}

/** The state, and the time of expiry or revocation. */
function State({ of: key }: { readonly of: Key }): VNode {
  const state = stateOf(key, useNow());
  const at = key.revokedAt ?? key.expiresAt;
  const what = isUsable(state) ? 'expires ' : '';
  return html`<${Badge} tone=${STATE_TONES[state]}>${state}<//><br /><span class="muted">${at === null ? 'never expires' : html`${what}<${Time} at=${at} />`}${state === 'replaced' && html` by <code>${key.replacedBy}</code>`}</span>`;
}

function Agents({ ids }: { readonly ids: readonly string[] | null }): VNode {
  if (ids === null) return html`<span class="muted">All agents</span>`;
  return html`<${Names} texts=${ids} />`;
}

function Names({ texts }: { readonly texts: readonly string[] }): VNode {
  const more = texts.length - MOST_SHOWN;
  return html`${texts.slice(0, MOST_SHOWN).map((each, at) => html`${at > 0 && ', '}<${Name} key=${each} text=${each} length=${24} />`)}${more > 0 && html` <span class="muted" title=${texts.join('\n')}>and ${more} more</span>`}`;
}

function Actions({ of: key, ask }: { readonly of: Key; readonly ask: (asked: Asked) => void }): VNode {
  const state = stateOf(key, useNow());
  if (!isUsable(state)) return html`<span class="muted">–</span>`;
  return html`<span class="row-actions">
    ${state === 'active' && html`<button type="button" class="button button-small" aria-label=${`Rotate ${named(key.name)} ${key.keyId}`} onClick=${() => ask({ kind: 'rotate', key })}>Rotate…</button>`}
    <button type="button" class="button button-small" aria-label=${`Revoke ${named(key.name)} ${key.keyId}`} onClick=${() => ask({ kind: 'revoke', key })}>Revoke…</button>
  </span>`;
}
