// Chapter eight: receipts are verified without the service, with only its published keys, and forged ones are refused.
import { ProofError } from '../../shared/core/proof/failures.ts';
import { type TrustedKey, trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { receiptOf, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../shared/core/proof/shapes.ts';
import { verifyChain } from '../../shared/core/proof/verify.ts';
import { DemoError, until } from './client.ts';
import { must, type Scene } from './scene.ts';

/** Fetches a receipt as soon as a signed checkpoint covers it. */
function fetchReceipt({ client, print }: Scene, proofId: string): Promise<Receipt> {
  const look = async (): Promise<Receipt | undefined> => {
    const answer = await client.get<{ status: string }>(`/v1/proofs/${encodeURIComponent(proofId)}`);
    return answer.status === 'anchored' ? receiptOf(answer) : undefined;
  };
  return print.during('the log is signed', until(`the receipt of ${proofId}`, look));
}

/** The bytes with one digit replaced by another. */
function changeByte(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = changed[at] === 0x37 ? 0x38 : 0x37;
  return changed;
}

/** Forgeries that change one byte each. */
function forgeries(receipt: Receipt): readonly { readonly what: string; readonly forged: Receipt }[] {
  const record = Buffer.from(receipt.record, 'base64');
  const checkpoint = Buffer.from(receipt.checkpoint);
  return [
    {
      what: 'one digit of the recorded amount',
      forged: { ...receipt, record: changeByte(record, record.indexOf('"amount":') + 9).toString('base64') },
    },
    {
      // The second line of a checkpoint is the size of the tree.
      what: 'one digit of the signed size',
      forged: { ...receipt, checkpoint: changeByte(checkpoint, checkpoint.indexOf('\n') + 1).toString() },
    },
  ];
}

export async function verifyReceipts(scene: Scene): Promise<void> {
  const { client, print, summary } = scene;
  print.chapter('Receipts are verified without the service, and forged ones refused');
  try {
    const published = await client.get<unknown>('/v1/log/keys');
    const receipts: Receipt[] = [];
    for (const proofId of summary.proofs) receipts.push(await fetchReceipt(scene, proofId));
    print.line('from here on the service is not used');
    verifyOffline(scene, receipts, trustPublishedKeys(published));
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new DemoError(`The service gave data that can't be verified (${error.failure}): ${error.message}`);
  }
}

function verifyOffline(scene: Scene, receipts: readonly Receipt[], keys: readonly TrustedKey[]): void {
  const { print, summary } = scene;
  const chain = verifyChain(receipts, keys);
  if (!chain.ok) throw new DemoError(`A receipt is not valid (${chain.failure}): ${chain.sentence}`);
  for (const { proofId, index, origin, size, root } of chain.receipts) {
    summary.receipts.push({ proofId, index, origin, size, root });
    print.kept(`${proofId} is number ${index} of ${origin}, whose key signed ${size} records`);
  }
  must(scene, chain.isFromTheStart, 'together they are one chain, from its first record on', 'its start is missing');
  const [receipt] = receipts;
  if (receipt === undefined) throw new DemoError('There is no receipt to forge.');
  for (const { what, forged } of forgeries(receipt)) {
    const result = verifyReceipt(forged, keys);
    if (result.ok) throw new DemoError(`A receipt was accepted in which ${what} was changed.`);
    summary.refusals.push(result.failure);
    print.kept(`${what} changed: ${result.failure}`);
    print.line(print.faint(`   ${result.sentence}`));
  }
}
