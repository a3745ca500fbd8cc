// Chains: the records of one entity, each of which refers to the one before it.
import { quoted } from './encoding.ts';
import { asResult, type Failed, VerificationError } from './failures.ts';
import { readKeys, type TrustedKeys } from './keys.ts';
import { checkReceipt, parseReceipt, type VerifiedReceipt } from './receipt.ts';

export interface VerifiedChain {
  readonly ok: true;
  /** In the order of the log. */
  readonly receipts: readonly VerifiedReceipt[];
  /** Whether the first of them is the first record of the entity. */
  readonly isFromStart: boolean;
}

const NO_PREVIOUS = '0'.repeat(64);

/**
 * Verifies that receipts belong to consecutive records of one entity in one log. They may be in any order. The first receipt that is
 * malformed is reported, else the first that is not valid by itself, else CHAIN_BROKEN.
 */
export async function verifyChain(receipts: readonly unknown[], keys: TrustedKeys): Promise<VerifiedChain | Failed> {
  return asResult(async () => {
    const trusted = readKeys(keys);
    const verified: VerifiedReceipt[] = [];
    for (const receipt of receipts.map(parseReceipt)) verified.push(await checkReceipt(receipt, trusted));
    verified.sort((a, b) => a.index - b.index);
    for (const [i, receipt] of verified.entries()) {
      const before = verified[i - 1];
      if (before !== undefined) checkLink(before, receipt);
    }
    return { ok: true, receipts: verified, isFromStart: verified[0]?.record.previousHash === NO_PREVIOUS };
  });
}

function checkLink(before: VerifiedReceipt, after: VerifiedReceipt): void {
  const isLinked =
    before.origin === after.origin &&
    before.record.agentId === after.record.agentId &&
    before.index !== after.index &&
    after.record.previousHash === before.eventHash;
  if (!isLinked)
    throw new VerificationError('CHAIN_BROKEN', `${quoted(after.proofId)} does not follow ${quoted(before.proofId)}.`);
}
