// Verifies stored decisions one after another, with a cache of their shared evidence (policy sets and records).
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { approvalIdOfDecision, idTimeMs, lowestId } from '../../kernel/ids.ts';
import { namedApprovalOf } from '../../core/verification/approvals.ts';
import {
  createDecisionVerifier,
  type DecisionVerifier,
  type VerifiedDecision,
  type VerifierDeps,
} from '../../core/verification/decision.ts';
import type { ChangeOwner } from '../../core/verification/changes.ts';
import type { LoggedRecord } from '../../core/verification/failures.ts';
import { createTrustHistory, type ReadTrustPage, type TrustHistory } from '../../core/verification/trust-history.ts';
import type { DecisionOwner, DecisionRange, EvidenceStore, FoundDecision } from './store.ts';

export interface StoredVerifier {
  /** Undefined: there is no such decision. */
  byId(decisionId: string): Promise<VerifiedDecision | undefined>;
  all(range: DecisionRange): AsyncGenerator<VerifiedDecision>;
  /** Those of one organisation and environment that have these ids. */
  some(owner: Omit<DecisionOwner, 'agentId'>, ids: readonly string[]): AsyncGenerator<VerifiedDecision>;
}

const PAGE = 200;
/** Cached lists of records. */
const MAX_LISTS = 200;
const MAX_SETS = 4;
/** Cached trust histories. One of a million signals has 20 MB, one of a thousand less than 100 kB. */
const MAX_HISTORIES = 1_000;
const HISTORY_BYTES = 64 * 1_048_576;

/** Which records are used: cached ones; these with new ones; or all of them, read again. */
type Reading = 'known' | 'newer' | 'anew';

export interface StoredVerifierDeps extends VerifierDeps {
  readonly store: EvidenceStore;
  /** Bytes of cached trust histories. Default: 64 MB. */
  readonly historyBytes?: number;
}

export function createStoredVerifier(deps: StoredVerifierDeps): StoredVerifier {
  const { store, historyBytes = HISTORY_BYTES } = deps;
  const verifier: DecisionVerifier = createDecisionVerifier(deps);
  const kept = {
    sets: new BoundedCache<string>({ max: MAX_SETS }),
    records: new BoundedCache<readonly LoggedRecord[]>({ max: MAX_LISTS }),
    histories: new BoundedCache<TrustHistory>({
      max: MAX_HISTORIES,
      maxSize: historyBytes,
      sizeOf: (_, history) => history.bytes,
    }),
  };

  const records = async (
    id: string,
    fresh: boolean,
    read: () => Promise<LoggedRecord[]>,
  ): Promise<{ readonly list: readonly LoggedRecord[]; readonly isOld: boolean }> => {
    const known = fresh ? undefined : kept.records.get(id);
    if (known !== undefined) return { list: known, isOld: true };
    const list = await read();
    kept.records.set(id, list);
    return { list, isOld: false };
  };

  const policySet = async (digest: string | null): Promise<string | undefined> => {
    if (digest === null) return undefined;
    const known = kept.sets.get(digest);
    if (known !== undefined) return known;
    const text = await store.policySet(digest);
    if (text !== undefined) kept.sets.set(digest, text);
    return text;
  };

  /** @param readAnew the histories that were read from their first record for the decisions of one call */
  const verify = async (
    found: FoundDecision,
    readAnew: Set<string>,
    reading: Reading = 'known',
  ): Promise<VerifiedDecision> => {
    const { organisationId, environment, agentId } = found.owner;
    const log = `${organisationId}\n${environment}\n`;
    const fresh = reading !== 'known';
    let trust: { readonly id: string; readonly history: TrustHistory; readonly isOld: boolean } | undefined;
    const trustLedger = async (owner: ChangeOwner): Promise<TrustHistory> => {
      const id = [log, agentId, owner.organisation, owner.environment, owner.agentId].join('\n');
      const known = reading === 'anew' ? undefined : kept.histories.get(id);
      const readPage: ReadTrustPage = (after, limit) => store.trustPage(found.owner, after, limit);
      const history = known ?? createTrustHistory({ owner, readPage, pause: yieldToOthers });
      if (known === undefined) readAnew.add(id);
      if (known === undefined || fresh) await history.read();
      trust = { id, history, isOld: known !== undefined };
      return history;
    };
    const halts = await records(`halt\n${log}`, fresh, () => store.haltRecords(found.owner));
    const policies = await records(`policy\n${log}`, fresh, () => store.policyRecords(found.owner));
    // Few decisions concern an approval. For the others its records are not read.
    const { bytes } = found.evidence.record;
    const text = Buffer.from(bytes);
    const isAboutOne = text.includes('"rule":"approval"');
    // Its id tells which decision opened an approval. For those of earlier versions their records do.
    const namesOther = text.includes('"approval":{') && !text.includes(approvalIdOfDecision(found.decisionId));
    const keys = isAboutOne
      ? await records(`key\n${log}`, fresh, () => store.keyRecords(found.owner))
      : { list: [], isOld: false };
    const approvals =
      isAboutOne || namesOther
        ? await records(`approval\n${log}${agentId}`, fresh, () => store.approvalRecords(found.owner))
        : { list: [], isOld: false };
    const named = namedApprovalOf(found.evidence.record, approvals.list);
    const openingId = named && (named.openingId ?? (await store.openingOf(found.owner, named.approvalId)));
    const opening = openingId === undefined ? undefined : await store.byId(openingId);
    const isOpeningDropped =
      openingId !== undefined && opening === undefined && (await store.isDropped(found.owner, openingId));
    const outcome = await verifier.verify({
      ...found.evidence,
      opening: opening?.evidence.record,
      isOpeningDropped,
      policySet: await policySet(found.policyDigest),
      wasInForce:
        store.wasInForce &&
        (async () =>
          (await store.wasInForce?.(found.owner, found.policyDigest ?? '', idTimeMs(found.decisionId))) === true),
      trustRecords: undefined,
      trustLedger,
      haltRecords: halts.list,
      policyRecords: policies.list,
      approvalRecords: approvals.list,
      keyRecords: keys.list,
    });
    // Again, because its size may have changed.
    if (trust !== undefined) kept.histories.set(trust.id, trust.history);
    // The decision may be newer than the cached records. Verify it again with fresh ones.
    const mayLack = outcome.status === 'failed' && (trust?.isOld === true || halts.isOld || policies.isOld);
    const mayLackApproval = outcome.status !== 'verified' && named !== undefined && (approvals.isOld || keys.isOld);
    if (!fresh && (mayLack || mayLackApproval)) return verify(found, readAnew, 'newer');
    // What was wrong with the records may have been put right. Reading all of them is much work, so it is done once a call.
    const isOfTrust = outcome.status === 'failed' && outcome.failures.some(({ code }) => code.startsWith('TRUST_'));
    if (isOfTrust && trust?.isOld === true && !readAnew.has(trust.id)) return verify(found, readAnew, 'anew');
    return { ...outcome, decisionId: outcome.decisionId ?? found.decisionId };
  };

  return {
    async byId(decisionId) {
      const found = await store.byId(decisionId);
      return found === undefined ? undefined : verify(found, new Set());
    },
    async *some(owner, ids) {
      const readAnew = new Set<string>();
      for (const found of await store.some(owner, ids)) yield verify(found, readAnew);
    },
    async *all(range) {
      const readAnew = new Set<string>();
      for await (const found of decisionsOf(store, range)) yield verify(found, readAnew);
    },
  };
}

/** Every decision of a range, log by log, oldest first, read page by page. */
export async function* decisionsOf(store: EvidenceStore, range: DecisionRange): AsyncGenerator<FoundDecision> {
  for (const span of await store.spans(range)) {
    // Ids begin with their time, and lowestId is below every id of its millisecond.
    let afterId = range.fromMs === undefined ? '' : lowestId('dec', range.fromMs);
    for (
      let page = await store.page(span, afterId, PAGE);
      page.length > 0;
      page = await store.page(span, afterId, PAGE)
    ) {
      yield* page;
      afterId = page.at(-1)?.decisionId ?? span.lastId;
    }
  }
}
