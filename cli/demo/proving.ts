// Chapters six and seven: statements are anchored, and every decision of the story is found on record, hash by hash.
import type { DecisionBody } from '../../shared/api/decision.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { type ChainHead, type ChainItem, type ChainRecord, checkChain } from './chain.ts';
import { DemoError, until } from './client.ts';
import { must, type Scene } from './scene.ts';

const PAGE = 200;
/** Pages that are read at most: the story fills less than one. */
const MAX_PAGES = 20;

interface ChainPage {
  readonly head: ChainHead | null;
  readonly items: readonly ChainItem[];
  readonly nextCursor: string | null;
}

interface Chain {
  readonly records: readonly ChainRecord[];
  readonly head: string;
}

/**
 * All pages of a chain, with every hash computed again; undefined when it grew while it was read.
 * @throws {DemoError} naming the first record that is wrong
 */
async function readChain({ client }: Scene, entityId: string): Promise<Chain | undefined> {
  const items: ChainItem[] = [];
  let head: ChainHead | null = null;
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < MAX_PAGES; page += 1) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer: ChainPage = await client.get(`/v1/proofs/chain/${encodeURIComponent(entityId)}?limit=${PAGE}${at}`);
    items.push(...answer.items);
    head = answer.head;
    cursor = answer.nextCursor;
  }
  if (head === null || head.chainIndex !== items.length - 1) return undefined;
  const check = checkChain(entityId, items, head);
  if ('problem' in check) throw new DemoError(`The chain does not hold: ${check.problem}.`);
  return { records: check.records, head: head.eventHash };
}

/** Waits until a chain has what it must have, and says that its hashes hold. */
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
    `the chain of ${entityId} holds: ${count(records.length, 'record')}, linked hash by hash, all computed again here`,
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
    'the first one, sent again, gets the first answer',
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
    'the log has each of them once, in order and as it was sent',
    `it has ${records.map((record) => record.eventType).join(', ')}`,
  );
}

/** Every decision of the story: listed, and a record of its agent's chain. */
export async function findOnRecord(scene: Scene): Promise<void> {
  const { client, print, summary } = scene;
  print.chapter('Every answer is on record');
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
      `${count(asked.length, 'decision')} on ${agentId} listed`,
      `${listed.size} are, and ${asked.length} were made`,
    );
    await verifyChain(scene, agentId, (records) => {
      const found = new Set(records.map((record) => record.payload.body['decision_id']));
      return asked.every(({ decisionId }) => found.has(decisionId));
    });
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
