// The chain of one entity, oldest first. The browser computes each link again.
import { usePages } from '../api.ts';
import type { ChainAnswer, ChainItem } from '../answers.ts';
import { short, spelled, whole } from '../format.ts';
import { html, useEffect, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Badge, type Column, Empty, List, Name, Notice, PageHead, Time } from '../ui.ts';
import { sha256, toHex } from '../verify/bytes.ts';
import { cannotVerify, recordBytes } from '../verify/receipt.ts';
import { readRecord } from '../verify/record.ts';

/** `dropped`: the record is older than what is kept, and only its hash is left. */
type LinkState = 'links' | 'broken' | 'unknown' | 'dropped';

/** Whether each record has its stated hash, and contains the hash of the record before it. */
async function linksOf(items: readonly ChainItem[]): Promise<LinkState[]> {
  if (cannotVerify() !== undefined) return items.map(() => 'unknown');
  const bytes = items.map(({ record }) => (record === null ? undefined : recordBytes({ record })));
  const hashes = await Promise.all(
    items.map(async ({ eventHash }, i) => (bytes[i] === undefined ? eventHash : toHex(await sha256(bytes[i])))),
  );
  return items.map((item, i) => {
    if (bytes[i] === undefined) return 'dropped';
    const read = readRecord(bytes[i]);
    const named = 'record' in read ? read.record.previousHash : undefined;
    const before = i === 0 ? item.previousHash : hashes[i - 1];
    const isFirstRight = item.chainIndex > 0 || /^0{64}$/.test(item.previousHash);
    return hashes[i] === item.eventHash && named === before && named === item.previousHash && isFirstRight
      ? 'links'
      : 'broken';
  });
}

export function ChainPage({ entityId }: { readonly entityId: string }): VNode {
  const pages = usePages<ChainItem>(`/v1/proofs/chain/${encodeURIComponent(entityId)}`);
  // The type of list pages has only the items; this answer also has the head.
  const head = (pages.data as ChainAnswer | undefined)?.head;
  const [links, setLinks] = useState<{ readonly items: readonly ChainItem[]; readonly of: readonly LinkState[] }>();
  useEffect(() => {
    let isCurrent = true;
    void linksOf(pages.items).then((of) => isCurrent && setLinks({ items: pages.items, of }));
    return () => {
      isCurrent = false;
    };
  }, [pages.data]);
  const of = links !== undefined && links.items === pages.items ? links.of : [];
  const broken = pages.items.filter((_, i) => of[i] === 'broken');
  const linkOf = (item: ChainItem): VNode | string => {
    const link = of[pages.items.indexOf(item)];
    if (link === 'dropped') return html`<span class="muted">dropped by retention</span>`;
    if (link === undefined || link === 'unknown') return html`<span class="muted">not checked</span>`;
    return html`<${Badge} tone=${link === 'links' ? 'good' : 'bad'}>${link === 'links' ? 'valid' : 'broken'}<//>`;
  };
  const columns: readonly Column<ChainItem>[] = [
    { title: 'Proof', cell: ({ proofId }) => html`<${Name} text=${proofId} length=${34} />` },
    { title: 'Event', cell: ({ event }) => html`<${Name} text=${event} length=${32} />` },
    { title: 'Number', align: 'end', cell: ({ chainIndex }) => whole(chainIndex + 1) },
    { title: 'Event hash', cell: ({ eventHash }) => html`<code title=${eventHash}>${short(eventHash, 15)}</code>` },
    { title: 'Link', cell: linkOf },
    { title: 'When', align: 'end', cell: ({ occurredAt }) => html`<${Time} at=${occurredAt} />` },
  ];
  const lead =
    head &&
    html`${whole(head.chainIndex + 1)} ${head.chainIndex === 0 ? 'record' : 'records'}, oldest first. The head is <code title=${head.eventHash}>${short(head.eventHash, 15)}</code>; your browser has computed every link between kept records on this page again.`;
  return html`<${PageHead} title=${`Chain of ${short(spelled(entityId), 60)}`} lead=${lead} back=${{ to: href('receipts', undefined, { entityId }), label: 'Receipts' }} />
    ${broken.length > 0 && html`<div class="stack" role="alert"><${Notice} tone="bad" title="The chain is broken: CHAIN_BROKEN">The records are in the log, but do not form one chain. Wrong links: number ${broken.map(({ chainIndex }) => whole(chainIndex + 1)).join(', ')}. See <${Link} to=${href('audit')}>Audit<//>.<//></div>`}
    <${List} pages=${pages} ways=${['Earlier', 'Later']} caption=${`Chain of ${spelled(entityId)}, oldest first`} columns=${columns} keyOf=${({ proofId }: ChainItem) => proofId} hrefOf=${({ proofId }: ChainItem) => href('receipts', proofId)} empty=${html`<${Empty} title="This entity has no records">The log of this organisation and environment has no record of it.<//>`} />`;
}
