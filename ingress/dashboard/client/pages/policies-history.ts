// The history of policy sets, and the difference of two sets.
import { useApi, usePages } from '../api.ts';
import { count, short } from '../format.ts';
import { type ComponentChildren, html, useMemo, useState, type VNode } from '../html.ts';
import { href, Link, usePlace } from '../router.ts';
import { Badge, type Column, Empty, Id, List, Notice, PageHead, Time, type Tone, WhenLoaded } from '../ui.ts';
import type { PolicyActivation, PolicyDifference, PolicySetInfo, PolicyState } from '../wire.ts';
import { Authored, differenceTo } from './policies-authored.ts';
import { RollBack } from './policies-changes.ts';
import { diffLines, type Hunk, hunksOf, linesOf, type PartChange, partsOf } from './policies-diff.ts';

export function HistoryPage({ views }: { readonly views: ComponentChildren }): VNode {
  const pages = usePages<PolicyActivation>('/policy-activations');
  const active = useApi<PolicyState>('/policies').data?.active?.digest;
  const newest = pages.page === 1 ? pages.items[0]?.seq : undefined;
  return html`<${PageHead} title="Policies" lead="All policy sets are kept. Each activation is recorded in every log." />
    ${views}
    <${List} pages=${pages} caption="Activations of policy sets" columns=${columnsOf(active, newest, pages.reload)} keyOf=${({ seq }: PolicyActivation) => seq} empty=${html`<${Empty} title="No set was in force yet" />`} />`;
}

function columnsOf(
  active: string | undefined,
  newest: string | undefined,
  reload: () => void,
): readonly Column<PolicyActivation>[] {
  return [
    {
      title: 'Set',
      cell: ({ digest, seq }) =>
        html`<${Link} to=${href('policies', digest)} label=${`Set ${short(digest, 20)}`}><${Id} id=${digest} length=${20} /><//>${seq === newest && html` <${Badge} tone="good">in force<//>`}`,
    },
    {
      title: 'In force from',
      cell: ({ activatedAt }) =>
        html`<${Time} at=${activatedAt} as="moment" /> <span class="muted"><${Time} at=${activatedAt} /></span>`,
    },
    { title: 'By', cell: (activation) => html`<${Authored} of=${activation} />` },
    {
      title: 'Previous set',
      cell: ({ previousDigest }) =>
        previousDigest === null
          ? html`<span class="muted">none</span>`
          : html`<${Link} to=${href('policies', previousDigest)} label=${`Set ${short(previousDigest, 20)}`}><${Id} id=${previousDigest} length=${20} /><//>`,
    },
    {
      title: 'What changed',
      cell: ({ digest, previousDigest }) => {
        const change =
          previousDigest === null
            ? html`<span class="muted">the first</span>`
            : html`<${Link} to=${differenceTo(previousDigest, digest)} label=${`What changed with ${short(digest, 12)}`}>what changed<//>`;
        const toNow =
          active !== undefined && active !== digest
            ? html` <span class="muted">·</span> <${Link} to=${differenceTo(digest, active)} label=${`What changed until now, from ${short(digest, 12)}`}>until now<//>`
            : '';
        return html`${change}${toNow}`;
      },
    },
    {
      title: 'Actions',
      cell: ({ digest }) =>
        active !== undefined && digest !== active ? html`<${RollBack} digest=${digest} reload=${reload} />` : '',
    },
  ];
}

export function DifferencePage(): VNode {
  const { query } = usePlace();
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const difference = useApi<PolicyDifference>('/policy-difference', { from, to });
  const { data } = difference;
  return html`<${PageHead} title="What changed" lead=${data && html`From <${SetLink} set=${data.from} /> to <${SetLink} set=${data.to} />. <${Link} to=${differenceTo(to, from)}>Swap the sets<//>`} back=${{ to: href('policies', 'history'), label: 'History' }} />
    <${WhenLoaded} of=${difference} what="Comparing the sets">${(shown: PolicyDifference) => html`<${Difference} difference=${shown} />`}<//>`;
}

function SetLink({ set }: { readonly set: PolicySetInfo }): VNode {
  return html`<${Link} to=${href('policies', set.digest)}><code>${short(set.digest, 14)}</code><//>${set.isActive ? ' (in force)' : ''}`;
}

/** With more entries, all are closed at first. */
const OPEN_UP_TO = 12;
const TONES: Readonly<Record<PartChange['kind'], Tone>> = { added: 'good', removed: 'bad', changed: 'info' };
const MARKS: Readonly<Record<PartChange['kind'], string>> = { added: '+', removed: '−', changed: '~' };

function Difference({ difference }: { readonly difference: PolicyDifference }): VNode {
  const { counts, policies, more, lexicon } = difference;
  if (policies.length === 0 && lexicon === null) return html`<${Empty} title="No differences">Both sets are equal.<//>`;
  const summary = (['added', 'removed', 'changed'] as const)
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${count(counts[kind], 'file')} ${kind}`);
  if (lexicon !== null) summary.push('another lexicon');
  const isOpen = policies.length <= OPEN_UP_TO;
  return html`<p class="section">${summary.join(', ')}; ${count(counts.same, 'file')} unchanged.</p>
    ${policies.map(({ id, change, before, after }) => html`<${Entry} key=${id} title=${id} change=${change} before=${before} after=${after} open=${isOpen} />`)}
    ${more > 0 && html`<${Notice} tone="neutral" title=${`${count(more, 'further file')} not shown`}>Compare sets that are more similar.<//>`}
    ${lexicon !== null && html`<${Entry} title="lexicon" change="changed" before=${lexicon.before} after=${lexicon.after} open=${policies.length === 0} />`}`;
}

interface EntryProps {
  readonly title: string;
  readonly change: PartChange['kind'];
  readonly before: object | null;
  readonly after: object | null;
  readonly open: boolean;
}

/** One policy, one catalogue, or the lexicon, before and after. Compared when it is opened. */
function Entry({ title, change, before, after, open }: EntryProps): VNode {
  const [isOpen, setOpen] = useState(open);
  return html`<details class="card disclosure" open=${isOpen} onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
    <summary><span class="disclosure-title">${title}</span> <${Badge} tone=${TONES[change]}>${change}<//></summary>
    ${isOpen && html`<${EntryBody} title=${title} before=${before} after=${after} />`}
  </details>`;
}

function EntryBody({ title, before, after }: Pick<EntryProps, 'title' | 'before' | 'after'>): VNode {
  const hunks = useMemo(() => hunksOf(diffLines(linesOf(before), linesOf(after))), [before, after]);
  const parts = before !== null && after !== null && 'rules' in before ? partsOf(before, after) : [];
  return html`<div class="card-body">
    ${parts.length > 0 && html`<p class="badges parts">${parts.map(({ kind, part }) => html`<${Badge} key=${part} tone=${TONES[kind]}>${`${MARKS[kind]} ${part}`}<//>`)}</p>`}
    <pre class="diff" tabindex="0" role="region" aria-label=${`Changes of ${title}, line by line`}>${hunks.map((hunk) => html`<${HunkLines} hunk=${hunk} />`)}</pre>
  </div>`;
}

function HunkLines({ hunk }: { readonly hunk: Hunk }): VNode {
  return html`${hunk.skipped > 0 && html`<span class="diff-skipped">${`… ${count(hunk.skipped, 'line')} unchanged`}</span>`}${hunk.lines.map(
    ({ kind, text }) => {
      const line = `${kind === 'same' ? ' ' : MARKS[kind]} ${text}\n`;
      return kind === 'added'
        ? html`<ins>${line}</ins>`
        : kind === 'removed'
          ? html`<del>${line}</del>`
          : html`<span>${line}</span>`;
    },
  )}`;
}
