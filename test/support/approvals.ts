// For tests of approvals over HTTP: a service whose policies escalate, a worker, and what all that was done must leave on record.
import { expect } from 'chai';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import type { VerifiedDecision } from '../../shared/core/verification/decision.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Client, ClientResponse } from './client.ts';
import { type Asking, ESCALATING } from './escalations.ts';
import { checkLog } from './log-check.ts';
import type { Service } from './service.ts';
import { waitFor } from './wait.ts';
import { startServiceAndWorker } from './worker.ts';

/** A record of the log about an approval. */
export interface ApprovalLeaf {
  readonly event: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApprovalsUnderTest {
  readonly service: Service;
  /** With a key that may ask and not decide. */
  readonly client: Client;
  readonly keyId: string;
  readonly adminKeyId: string;
  /** The approval as `GET /v1/approvals/{approvalId}` shows it. */
  read(approvalId: string): Promise<ClientResponse['json']>;
  /** What is on record about the approvals of an agent. */
  leavesOf(agentId: string): Promise<ApprovalLeaf[]>;
  statesOf(agentId: string): Promise<unknown[]>;
  /**
   * Expects every decision to be evaluated to what it says, before and after it is in the log, at least so many of them
   * by an approval that is found on record; and the chains of the log to hold.
   */
  expectWhole(approved: number): Promise<void>;
  close(): Promise<void>;
}

let names = 0;
/** A question that no other test has asked. */
export function question(more: object = {}): Asking {
  names += 1;
  return { agent_id: `agent-${names}`, intent: `delete:db/asked/table_${names}`, ...more };
}

export async function startApprovals(): Promise<ApprovalsUnderTest> {
  const { service, worker, close } = await startServiceAndWorker({ policies: ESCALATING });
  const { key, keyId } = await service.addKey();
  const leavesOf = async (agentId: string): Promise<ApprovalLeaf[]> => {
    const rows = await service.rows<{ event: string; record: Buffer }>(
      "SELECT event, record FROM record WHERE entity_id = $1 AND event = 'custos.approval' ORDER BY proof_id",
      [agentId],
    );
    return rows.map(({ event, record }) => ({ event, body: JSON.parse(`${record.toString('utf8')}}`).payload.body }));
  };
  const isOf = async ({ decisionId }: VerifiedDecision, code: string): Promise<boolean> => {
    const rows = await service.rows(
      `SELECT FROM decision WHERE decision_id = $1 AND position(convert_to($2, 'UTF8') IN record) > 0`,
      [decisionId, `"code":"${code}"`],
    );
    return rows.length > 0;
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
      const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }), compileLexicon });
      for (const append of [false, true]) {
        if (append) await worker.append();
        let approved = 0;
        for await (const outcome of verifier.all({})) {
          expect(outcome.status, outcome.sentence).to.not.equal('failed');
          // Which approval was named is on record of all but a mismatch.
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
