// Chapters six and seven: statements are anchored, and every decision of the demo is found in the log, hash by hash.
import type { Static } from 'typebox';
import type { DecisionBody } from '../../shared/api/decision.ts';
import type { ProofChain } from '../../shared/api/proof.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { counted } from '../output.ts';
import { type ChainHead, type ChainItem, type ChainRecord, checkChain } from './chain.ts';
import { DemoError, until } from './client.ts';
import { must, type Scene } from './scene.ts';

const PAGE = 200;
/** Limit on pages; the demo fills less than one. */
const MAX_PAGES = 20;

interface Chain {
  readonly records: readonly ChainRecord[];
  readonly head: string;
}

/**
 * Reads all pages of a chain and checks every hash.
 * @returns undefined when the chain grew meanwhile
 * @throws {DemoError} that names the first wrong record
 */
async function readChain({ client }: Scene, entityId: string): Promise<Chain | undefined> {
  const items: ChainItem[] = [];
  let head: ChainHead | null = null;
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < MAX_PAGES; page += 1) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer: Static<typeof ProofChain> = await client.get(
      `/v1/proofs/chain/${encodeURIComponent(entityId)}?limit=${PAGE}${at}`,
    );
    items.push(...answer.items);
    head = answer.head;
    cursor = answer.nextCursor;
  }
  if (head === null || head.chainIndex !== items.length - 1) return undefined;
  const check = checkChain(entityId, items, head);
  if ('problem' in check) throw new DemoError(`The chain is broken: ${check.problem}.`);
  return { records: check.records, head: head.eventHash };
}

/** Waits until a chain is complete, and prints that its hashes are right. */
async function verifyChain(
  scene: Scene,
  entityId: string,
  isComplete: (records: readonly ChainRecord[]) => boolean,
): Promise<readonly ChainRecord[]> {
  const look = async (): Promise<Chain | undefined> => {
    const chain = await readChain(scene, entityId);
    return chain !== undefined && isComplete(chain.records) ? chain : undefined;
  };
  const { records, head } = await scene.print.during(
    'the last records are appended',
    until(`the whole chain of ${entityId}`, look),
  );
  scene.summary.chains.push({ entityId, records: records.length, head });
  scene.print.kept(
    `the chain of ${entityId} is intact: ${counted(records.length, 'record')}, linked hash by hash, all recomputed here`,
  );
  return records;
}

export async function anchorStatements(scene: Scene): Promise<void> {
  const { client, print, run, summary } = scene;
  print.chapter('Statements are anchored, and read back');
  const entityId = `invoice-${run}`;
  const statements = [
    { event: 'invoice.received', payload: { supplier: 'Müller & Söhne', amount: 120.5, currency: 'EUR' } },
    { event: 'invoice.approved', payload: { by: scene.cast.scout, at_level: 1 } },
    { event: 'invoice.paid', payload: { reference: `${run}/1`, parts: [100, 20.5] } },
  ].map((statement, i) => ({ ...statement, entityId, proofId: `demo-${run}-invoice-${i + 1}` }));
  const [first] = statements;
  const batch = await client.post<{ proofs: readonly { proofId: string; recordDigest: string }[] }>(
    '/v1/proofs/batch',
    { proofs: statements },
    202,
  );
  for (const { event, proofId } of statements) print.line(`${entityId}: ${event} is accepted as ${proofId}`);
  const repeat = await client.post<{ recordDigest: string }>('/v1/proofs', first ?? {}, 202);
  must(
    scene,
    repeat.recordDigest === batch.proofs[0]?.recordDigest,
    'the first statement, sent again, gets the first answer',
    'it got another one',
  );
  for (const { proofId } of statements) {
    const look = async (): Promise<true | undefined> => {
      const proof = await client.get<{ status: string }>(`/v1/proofs/${encodeURIComponent(proofId)}`);
      return proof.status === 'anchored' ? true : undefined;
    };
    await print.during('a worker appends it to the log', until(`the anchoring of ${proofId}`, look));
    summary.proofs.push(proofId);
  }
  const records = await verifyChain(scene, entityId, () => true);
  must(
    scene,
    records.length === statements.length &&
      statements.every(({ event, payload, proofId }, i) => {
        const record = records[i];
        return (
          record?.eventType === event &&
          record.payload.proofId === proofId &&
          canonicalize(record.payload.body) === canonicalize(payload)
        );
      }),
    'the log has each statement once, in order and unchanged',
    `it has ${records.map((record) => record.eventType).join(', ')}`,
  );
}

/** Every decision of the demo is listed, and is a record in the chain of its agent. */
export async function findOnRecord(scene: Scene): Promise<void> {
  const { client, print, summary } = scene;
  print.chapter('Every decision is on record');
  const agents = [...new Set(summary.decisions.map(({ agentId }) => agentId))];
  for (const agentId of agents) {
    const asked = summary.decisions.filter((decision) => decision.agentId === agentId);
    const { items } = await client.get<{ items: readonly DecisionBody[] }>(
      `/v1/decisions?agentId=${encodeURIComponent(agentId)}&limit=${PAGE}`,
    );
    const listed = new Set(items.map((decision) => decision.decision_id));
    must(
      scene,
      listed.size === asked.length && asked.every(({ decisionId }) => listed.has(decisionId)),
      `${counted(asked.length, 'decision')} on ${agentId} listed`,
      `${listed.size} are, and ${asked.length} were made`,
    );
    await verifyChain(scene, agentId, (records) => {
      const found = new Set(records.map((record) => record.payload.body['decision_id']));
      return asked.every(({ decisionId }) => found.has(decisionId));
    });
  }
}
