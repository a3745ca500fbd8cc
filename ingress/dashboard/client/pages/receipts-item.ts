// The page of one receipt: pending until its record is in the log, then verified in the browser.
import type { PublishedKey, Receipt } from '#shared/core/proof/shapes.js';
import { api, useApi } from '../api.ts';
import type { PendingProof } from '../answers.ts';
import { short, spelled } from '../format.ts';
import { html, useEffect, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Card, Empty, KeyValue, Loading, Name, Notice, PageHead, Time, WhenLoaded } from '../ui.ts';
import { type Verification, verifyReceipt } from '../verify/receipt.ts';
import { Downloads, ReceiptShown } from './receipts-shown.ts';

const BACK = { page: 'receipts', label: 'Receipts' };
const POLL_MS = 1_500;

export function ReceiptPage({ id }: { readonly id: string }): VNode {
  const answer = useApi<Receipt | PendingProof>(`/v1/proofs/${encodeURIComponent(id)}`);
  const { data, error, reload } = answer;
  const isPending = data?.status === 'pending';
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isPending]);
  const title = `Receipt ${short(spelled(id), 40)}`;
  if (data === undefined && error?.status === 404) return html`<${NoProof} id=${id} />`;
  if (data === undefined) return html`<${PageHead} title=${title} back=${BACK} /><${WhenLoaded} of=${answer} />`;
  if (data.status === 'pending') return html`<${PageHead} title=${title} back=${BACK} /><${Pending} proof=${data} />`;
  return html`<${PageHead} title=${title} back=${BACK} actions=${html`<${Downloads} receipt=${data} />`} /><${Verified} receipt=${data} />`;
}

function NoProof({ id }: { readonly id: string }): VNode {
  return html`<${PageHead} title="No such proof" back=${BACK} />
    <${Card}><${Empty} title="This proof does not exist here">
      <p><${Name} text=${id} length=${80} /></p>
      <p>There is no proof with this id in this organisation and environment. If it is the id of an agent or another entity, see <${Link} to=${href('receipts', undefined, { view: 'chain', entityId: id })}>its chain<//>.</p>
      <p><${Link} to=${href('receipts')}>All receipts<//></p>
    <//><//>`;
}

function Pending({ proof: { proofId, promise } }: { readonly proof: PendingProof }): VNode {
  return html`<div class="stack" role="status"><${Notice} tone="info" title="Recorded, but not in the log yet">The receipt is available when the record is in the log and a checkpoint is signed, usually within a second. This page updates by itself.<//></div>
    <${Card} title="Promise"><${KeyValue} items=${[
      ['Proof', html`<${Name} text=${proofId} length=${80} />`],
      ['Accepted', promise && html`<${Time} at=${promise.issuedAt} />`],
      ['Deadline', promise && html`<${Time} at=${promise.deadline} as="moment" />`],
    ]} /><//>`;
}

/** Verifies a receipt with the service's published keys; undefined while it runs. */
export function useVerification(text: string | undefined): Verification | undefined {
  const [result, setResult] = useState<{ readonly text: string; readonly verification: Verification }>();
  useEffect(() => {
    if (text === undefined) return undefined;
    const abort = new AbortController();
    const work = async (): Promise<Verification> => {
      const { items } = await api<{ readonly items: PublishedKey[] }>('/v1/log/keys', { signal: abort.signal });
      return verifyReceipt(text, items);
    };
    work().then(
      (verification) => !abort.signal.aborted && setResult({ text, verification }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const sentence = `The keys of the log could not be read: ${error instanceof Error ? error.message : String(error)}`;
        setResult({ text, verification: { outcome: 'unable', sentence, steps: [] } });
      },
    );
    return () => abort.abort();
  }, [text]);
  return result !== undefined && result.text === text ? result.verification : undefined;
}

function Verified({ receipt }: { readonly receipt: Receipt }): VNode {
  const verification = useVerification(JSON.stringify(receipt));
  if (verification === undefined) return html`<${Loading} what="Verifying in this browser" />`;
  return html`<${ReceiptShown} receipt=${receipt} verification=${verification} />`;
}
