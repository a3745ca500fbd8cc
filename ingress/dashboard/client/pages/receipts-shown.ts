// A verified receipt in detail: the result, the checks, the record, and its place in the log.
import type { RecordView } from '#shared/core/proof/record-read.js';
import type { Receipt } from '#shared/core/proof/shapes.js';
import { spelled, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { save } from '../save.ts';
import { Card, Copy, Id, JsonView, KeyValue, Name, Notice, Time } from '../ui.ts';
import { toHex } from '../verify/bytes.ts';
import { FAILURES } from '../verify/failures.ts';
import { recordBytes, type Step, tlogProofOf, type Verification } from '../verify/receipt.ts';
import { readRecord } from '../verify/record.ts';

export interface ReceiptShownProps {
  /** Undefined: the text is not a receipt. */
  readonly receipt: Receipt | undefined;
  readonly verification: Verification;
}

export function ReceiptShown({ receipt, verification }: ReceiptShownProps): VNode {
  const read = receipt && readRecord(recordBytes(receipt));
  const record = read !== undefined && 'record' in read ? read.record : undefined;
  const isValid = verification.outcome === 'valid';
  return html`
    <div class="stack" role="status"><${Result} verification=${verification} /></div>
    <div class="columns">
      <${Card} title="Checks" aside="By this browser"><${Steps} steps=${verification.steps} /><//>
      ${receipt && html`<${Card} title="Place in the log"><${Place} receipt=${receipt} verification=${verification} /><//>`}
    </div>
    ${receipt && html`<${Card} title=${isValid ? 'Record' : 'Record in the receipt'} aside=${record ? undefined : 'Not readable'}>${record ? html`<${Record} record=${record} eventHash=${verification.eventHash} />` : html`<p class="muted">These bytes are not a record: canonical JSON of exactly its five members.</p>`}<//>`}
    ${receipt && html`<${Card} title="Checkpoint" aside=${html`<${Copy} text=${receipt.checkpoint} label="Copy the checkpoint" />`}><pre class="note" tabindex="0" role="region" aria-label="The checkpoint's text">${spelledLines(receipt.checkpoint)}</pre><//>`}`;
}

function spelledLines(text: string): string {
  return text.split('\n').map(spelled).join('\n');
}

function Result({ verification }: { readonly verification: Verification }): VNode {
  const { outcome, failure, sentence, head, timeMs } = verification;
  if (outcome === 'valid')
    return html`<${Notice} tone="good" title="Verified: this record is in the log">The log ${head?.origin ?? ''} signed a tree that contains it${timeMs === undefined ? '' : html` at ${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`}. The key came from this service. With a key from another source, "custos verify" does the same offline, without trust in the service.<//>`;
  if (outcome === 'unable')
    return html`<${Notice} tone="warn" title="This browser cannot verify it">${sentence} The receipt may be valid or not.<//>`;
  const code = failure ?? 'MALFORMED';
  return html`<${Notice} tone="bad" title=${`Not valid: ${code}`}>${FAILURES[code]}<br />${spelled(sentence ?? '')}<//>`;
}

const MARKS: Readonly<Record<Step['state'], readonly [mark: string, word: string]>> = {
  passed: ['✓', 'Passed'],
  failed: ['✕', 'Failed'],
  open: ['–', 'Not checked'],
};

function Steps({ steps }: { readonly steps: readonly Step[] }): VNode {
  return html`<ol class="steps">${steps.map(({ name, title, state, detail }) => {
    const [mark, word] = MARKS[state];
    return html`<li key=${name} class=${`step step-${state}`}><span class="step-mark" aria-hidden="true">${mark}</span><span class="visually-hidden">${word}: </span><span class="step-text">${title}${detail && html`<span class="step-detail">${spelled(detail)}</span>`}</span></li>`;
  })}</ol>`;
}

function Place({ receipt, verification }: { readonly receipt: Receipt; readonly verification: Verification }): VNode {
  const { head, leafHash, keyId } = verification;
  const { index, path } = receipt;
  return html`<${KeyValue} items=${[
    ['Log', head && html`<${Name} text=${head.origin} length=${120} />`],
    ['Leaf', `${whole(index)}, counted from 0`],
    ['Tree', head && `${whole(head.size)} ${head.size === 1 ? 'leaf' : 'leaves'}`],
    ['Leaf hash', leafHash && html`<${Id} id=${leafHash} length=${28} copy />`],
    ['Root', head && html`<${Id} id=${toHex(head.root)} length=${28} copy />`],
    ['Signed by', keyId && html`<${Id} id=${keyId} length=${28} copy />`],
    [
      'Path',
      path.length === 0
        ? 'none: it is the only leaf'
        : html`<details><summary>${path.length === 1 ? '1 hash' : `${path.length} hashes`}</summary><ol class="path">${path.map((hash, i) => html`<li key=${i}><code>${hash}</code></li>`)}</ol></details>`,
    ],
  ]} />`;
}

function Record({ record, eventHash }: { readonly record: RecordView; readonly eventHash: string | undefined }): VNode {
  const { agentId, eventType, occurredAt, payload, previousHash } = record;
  const isFirst = /^0+$/.test(previousHash);
  return html`<${KeyValue} items=${[
    ['Event', html`<${Name} text=${eventType} length=${120} />`],
    [
      'Entity',
      html`<${Link} to=${href('receipts', undefined, { view: 'chain', entityId: agentId })}><${Name} text=${agentId} length=${120} /><//>`,
    ],
    ['Decision', decisionOf(record)],
    ['Accepted', html`<${Time} at=${occurredAt} as="moment" />`],
    ['Proof', html`<${Name} text=${payload.proofId} length=${120} /><${Copy} text=${payload.proofId} />`],
    ['Owner', `${spelled(payload.organisation)}, ${spelled(payload.environment)}`],
    ['Event hash', eventHash && html`<${Id} id=${eventHash} length=${28} copy />`],
    [
      'Previous record',
      isFirst ? 'none: this is the first record of its entity' : html`<${Id} id=${previousHash} length=${28} copy />`,
    ],
  ]} />
    <div class="more"><${JsonView} value=${payload.body} label="the record's body" /></div>`;
}

/** A link to the decision that is recorded; undefined for other records. */
function decisionOf({ eventType, payload: { body } }: RecordView): VNode | undefined {
  const id: unknown =
    eventType === 'custos.decision' && typeof body === 'object' && body !== null && 'decision_id' in body
      ? body.decision_id
      : undefined;
  return typeof id === 'string'
    ? html`<${Link} to=${href('decisions', id)}><${Name} text=${id} length=${60} /><//>`
    : undefined;
}

export function Downloads({ receipt }: { readonly receipt: Receipt }): VNode {
  // Ids may have characters that file names may not.
  const name = `receipt-${receipt.proofId.replace(/[^\w.-]+/g, '_').slice(0, 80)}`;
  return html`<button type="button" class="button" onClick=${() => save(`${name}.json`, 'application/json', `${JSON.stringify(receipt, null, 2)}\n`)}>Download JSON</button>
    <button type="button" class="button" onClick=${() => save(`${name}.tlog-proof`, 'text/plain', tlogProofOf(receipt))}>Download tlog-proof</button>`;
}
