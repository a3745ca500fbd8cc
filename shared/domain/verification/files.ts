// The evidence of decisions from exported files: a log, facts and policy sets. Pure.
import { decisionIdOfProof } from '../../kernel/ids.ts';
import { createHash } from 'node:crypto';
import { exactMembers, parseBounded, strictBase64 } from '../../core/proof/encoding.ts';
import { ProofError } from '../../core/proof/failures.ts';
import { readRecord } from '../../core/proof/record-read.ts';
import type { StoredFacts } from '../../core/verification/facts.ts';
import type { LoggedRecord } from '../../core/verification/failures.ts';
import { namesItsOwnApproval } from '../../core/verification/approvals.ts';
import { readDecisionRecord } from '../../core/verification/record.ts';
import { digestInForce } from '../../core/verification/policy-sets.ts';
import { pagesOf } from '../../core/verification/trust-history.ts';
import type { EvidenceStore, FoundDecision } from './store.ts';

/** Longest line: a policy set with its lexicon, in base64. */
const MAX_LINE_BYTES = 64 * 1_048_576;

/** One line of exported facts, with its newline. */
export function writeFactsLine(decisionId: string, { text, salt }: StoredFacts): string {
  const [facts, saltText] = [text, salt].map((bytes) => Buffer.from(bytes).toString('base64'));
  return `${JSON.stringify({ decisionId, facts, salt: saltText })}\n`;
}

/** One line of exported policy sets, with its newline. */
export function writePolicySetLine(canonical: string): string {
  return `${JSON.stringify({ policySet: Buffer.from(canonical).toString('base64') })}\n`;
}

/** Collects the lines of exported files. */
export interface FileEvidence {
  /** A record of the log, in its order. */
  addLeaf(record: Buffer): void;
  /** A leaf whose record retention has dropped. */
  addDropped(proofId: string): void;
  /** @throws {ProofError} MALFORMED */
  addFacts(line: string): void;
  /** @throws {ProofError} MALFORMED */
  addPolicySet(line: string): void;
  /** @param size number of signed leaves; later decisions are ignored */
  store(size: number): EvidenceStore;
}

function addTo(lists: Map<string, LoggedRecord[]>, id: string, record: LoggedRecord): void {
  const known = lists.get(id);
  if (known === undefined) lists.set(id, [record]);
  else known.push(record);
}

export function createFileEvidence(): FileEvidence {
  const facts = new Map<string, StoredFacts>();
  const sets = new Map<string, string>();
  const decisions: (Omit<FoundDecision, 'evidence'> & { readonly index: number; readonly record: LoggedRecord })[] = [];
  const trust = new Map<string, LoggedRecord[]>();
  const approvals = new Map<string, LoggedRecord[]>();
  /** The decision that opened each approval. Where its id does not tell, in logs of earlier versions: the first that names it. */
  const openings = new Map<string, string>();
  const halts: LoggedRecord[] = [];
  const keys: LoggedRecord[] = [];
  const dropped = new Set<string>();
  const policies: LoggedRecord[] = [];
  /** The policy sets that came into force, by the records of the log. */
  const inForce = new Set<unknown>();
  let leaves = 0;

  const bytesOf = (text: unknown, what: string): Buffer => {
    const bytes = typeof text === 'string' ? strictBase64(text) : undefined;
    if (bytes === undefined) throw new ProofError('MALFORMED', `${what} is not base64.`);
    return bytes;
  };

  return {
    addLeaf(bytes) {
      const index = leaves;
      leaves += 1;
      const read = readRecord(bytes);
      if (!('record' in read)) return;
      const { agentId, eventType, payload } = read.record;
      const record: LoggedRecord = { bytes, place: { log: 0, index } };
      if (eventType === 'custos.halt') halts.push(record);
      else if (eventType === 'custos.key') keys.push(record);
      else if (eventType === 'custos.policy_set') {
        policies.push(record);
        inForce.add(digestInForce(payload.body));
      } else if (eventType === 'custos.trust') addTo(trust, agentId, record);
      else if (eventType === 'custos.approval') addTo(approvals, agentId, record);
      else if (eventType === 'custos.decision') {
        const decision = readDecisionRecord(record);
        const decisionId = decisionIdOfProof(payload.proofId);
        if ('body' in decision && decision.body.approval !== undefined) {
          const { approval_id: approvalId } = decision.body.approval;
          if (namesItsOwnApproval(decision.body) || !openings.has(approvalId)) openings.set(approvalId, decisionId);
        }
        decisions.push({
          index,
          record,
          decisionId,
          owner: { organisationId: payload.organisation, environment: payload.environment, agentId },
          policyDigest: 'body' in decision ? decision.body.policy_set.digest : null,
        });
      }
    },
    addDropped(proofId) {
      leaves += 1;
      dropped.add(decisionIdOfProof(proofId));
    },
    addFacts(line) {
      const value = parseBounded(line, 'A line of the facts', MAX_LINE_BYTES);
      const {
        decisionId,
        facts: text,
        salt,
      } = exactMembers(value, 'A line of the facts', ['decisionId', 'facts', 'salt']);
      if (typeof decisionId !== 'string') throw new ProofError('MALFORMED', 'A line of the facts names no decision.');
      facts.set(decisionId, { text: bytesOf(text, 'A line of the facts'), salt: bytesOf(salt, 'A salt') });
    },
    addPolicySet(line) {
      const value = parseBounded(line, 'A line of the policy sets', MAX_LINE_BYTES);
      const { policySet } = exactMembers(value, 'A line of the policy sets', ['policySet']);
      const bytes = bytesOf(policySet, 'A policy set');
      sets.set(createHash('sha256').update(bytes).digest('hex'), bytes.toString('utf8'));
    },
    store(size) {
      const signed = decisions
        .filter(({ index }) => index < size)
        .sort((a, b) => (a.decisionId < b.decisionId ? -1 : 1));
      const foundOf = ({ decisionId, owner, policyDigest, record }: (typeof signed)[number]): FoundDecision => ({
        decisionId,
        owner,
        policyDigest,
        evidence: { record, facts: facts.get(decisionId) },
      });
      return {
        byId: async (id) => signed.filter(({ decisionId }) => decisionId === id).map(foundOf)[0],
        async spans() {
          const last = signed.at(-1);
          return last === undefined ? [] : [{ ...last.owner, lastId: last.decisionId }];
        },
        page: async (_, afterId, limit) =>
          signed
            .filter(({ decisionId }) => decisionId > afterId)
            .slice(0, limit)
            .map(foundOf),
        some: async (_, ids) => signed.filter(({ decisionId }) => ids.includes(decisionId)).map(foundOf),
        isDropped: async (_, decisionId) => dropped.has(decisionId),
        policySet: async (digest) => sets.get(digest),
        wasInForce: async (_, digest) => inForce.has(digest),
        trustPage: ({ agentId }, after, limit) => pagesOf(trust.get(agentId) ?? [])(after, limit),
        haltRecords: async () => halts,
        policyRecords: async () => policies,
        keyRecords: async () => keys,
        approvalRecords: async ({ agentId }) => approvals.get(agentId) ?? [],
        openingOf: async (_, approvalId) => openings.get(approvalId),
      };
    },
  };
}
