// For tests of approvals over HTTP: a service whose policies escalate, a worker, and a check of the records that approvals leave.
import { expect } from 'chai';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import type { VerifiedDecision } from '../../shared/core/verification/decision.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import type { Client, ClientResponse } from './client.ts';
import { type Asking, ESCALATING } from './escalations.ts';
import { checkLog } from './log-check.ts';
import type { Service } from './service.ts';
import { recordText } from './stored-records.ts';
import { waitFor } from './wait.ts';
import { startServiceAndWorker } from './worker.ts';

/** A ledger record about an approval. */
export interface ApprovalLeaf {
  readonly event: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApprovalsUnderTest {
  readonly service: Service;
  /** Its key may enforce but not decide approvals. */
  readonly client: Client;
  readonly keyId: string;
  readonly adminKeyId: string;
  /** The approval as `GET /v1/approvals/{approvalId}` shows it. */
  read(approvalId: string): Promise<ClientResponse['json']>;
  /** The ledger records about the approvals of an agent. */
  leavesOf(agentId: string): Promise<ApprovalLeaf[]>;
  statesOf(agentId: string): Promise<unknown[]>;
  /**
   * Expects that every decision can be re-evaluated to its verdict, before and after it is in the log, and that the chains of
   * the log are intact. At least the given number of decisions must rest on an approval that is on record.
   */
  expectWhole(approved: number): Promise<void>;
  close(): Promise<void>;
}

let names = 0;
/** An enforcement request that no other test sends. */
export function question(more: object = {}): Asking {
  names += 1;
  return { agent_id: `agent-${names}`, intent: `delete:db/asked/table_${names}`, ...more };
}

export async function startApprovals(): Promise<ApprovalsUnderTest> {
  const { service, worker, close } = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
  const { key, keyId } = await service.addKey();
  const leavesOf = async (agentId: string): Promise<ApprovalLeaf[]> => {
    const rows = await service.rows<{ event: string; record: Buffer }>(
      "SELECT event, record FROM record WHERE entity_id = $1 AND event = 'custos.approval' ORDER BY proof_id",
      [agentId],
    );
    return rows.map(({ event, record }) => ({ event, body: JSON.parse(`${record.toString('utf8')}}`).payload.body }));
  };
  const isOf = async ({ decisionId }: VerifiedDecision, code: string): Promise<boolean> => {
    const [row] = await service.rows<{ record: Buffer }>('SELECT record FROM decision WHERE decision_id = $1', [
      decisionId,
    ]);
    return recordText(row?.record).includes(`"code":"${code}"`);
  };
  return {
    service,
    client: service.admin.withKey(key),
    keyId,
    adminKeyId: service.adminKey.slice('cst_live_'.length, 'cst_live_'.length + 8),
    read: async (approvalId) => (await service.admin.get(`/v1/approvals/${approvalId}`)).json,
    leavesOf,
    statesOf: async (agentId) => (await leavesOf(agentId)).map(({ body }) => body['state']),
    async expectWhole(least) {
      const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
      for (const append of [false, true]) {
        if (append) await worker.append();
        let approved = 0;
        for await (const outcome of verifier.all({})) {
          expect(outcome.status, outcome.sentence).to.not.equal('failed');
          // The record states the named approval in every case but a mismatch.
          const isMismatch = outcome.notEvaluable.includes('APPROVAL') && (await isOf(outcome, 'APPROVAL_MISMATCH'));
          const open = outcome.notEvaluable.filter(
            (code) => code !== 'FACTS_ERASED' && !(isMismatch && code === 'APPROVAL'),
          );
          expect(open, outcome.sentence).to.deep.equal([]);
          if (outcome.sentence.includes('the logged approval apr_')) approved += 1;
        }
        expect(approved).to.be.at.least(least);
      }
      await waitFor(async () => (await service.rows('SELECT seq FROM log_inbox')).length === 0);
      await checkLog(service.db, service.operatorId, 'live');
    },
    close,
  };
}
