// What must hold after every round, from the outside: what was acknowledged, against the exported logs.
import { waitFor } from '../../../support/wait.ts';
import { type Deployment, exportLog, keptCheckpoint } from '../deployment.ts';
import { ask, type Json } from '../http.ts';
import type { EnvironmentHistory, History } from '../history.ts';
import { editionOf } from '../policies.ts';
import { type DerivedLog, deriveLog } from './log.ts';
import { checkTrust } from './trust.ts';

/** @returns the broken invariants, as sentences */
export async function brokenInvariants(deployment: Deployment, history: History): Promise<string[]> {
  const broken = [...history.problems];
  for (const environment of ['live', 'test'] as const) {
    const text = await exportLog(deployment, environment);
    const problems = problemsOf(text, history[environment], keptCheckpoint(deployment, environment));
    broken.push(...problems.map((problem) => `${environment}: ${problem}`));
  }
  if (broken.length === 0) broken.push(...(await shownScores(deployment)));
  return broken;
}

/** What is wrong with an exported log, given what the service acknowledged and the checkpoint that it keeps outside the database. */
export function problemsOf(text: string, own: EnvironmentHistory, kept: string | undefined): string[] {
  try {
    const log = deriveLog(text);
    return [
      ...checkDecisions(log, own),
      ...checkPromises(log, own),
      ...checkHeads(log, own, kept),
      ...checkChanges(log, own),
      ...checkApprovals(log),
      ...checkTrust(log, own.signals).problems,
    ];
  } catch (error) {
    return [String(error)];
  }
}

/** The service shows the scores of the log. */
async function shownScores(deployment: Deployment): Promise<string[]> {
  const log = deriveLog(await exportLog(deployment, 'live'));
  const problems: string[] = [];
  for (const [agentId, { score, asOf }] of checkTrust(log, new Map()).scores) {
    const shown = await shownTrust(deployment, agentId);
    const day = (shown['asOf'] as { readonly day?: string } | undefined)?.day;
    // On another day the evidence weighs less.
    if (day !== undefined && day !== asOf.day) continue;
    if (shown['score'] !== score)
      problems.push(`${agentId} has the score ${String(shown['score'])}, and ${score} in the log`);
  }
  return problems;
}

/** On a busy machine ingress may answer 503, or late: then it is asked again. */
function shownTrust(deployment: Deployment, agentId: string): Promise<Json> {
  const path = `/v1/trust/${agentId}`;
  return waitFor(
    async () => {
      const answer = await ask(deployment.addresses[0] ?? '', { method: 'GET', path, key: deployment.adminKey });
      return answer.status === 200 ? answer.json : undefined;
    },
    { what: `an answer to ${path}` },
  );
}

const idOf = (decision: Json): string => String(decision['decision_id']);
const sorted = (value: Json): string => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Every acknowledged decision once and as answered; every intent decided once; no request with more decisions than it asked for. */
function checkDecisions(log: DerivedLog, own: EnvironmentHistory): string[] {
  const problems: string[] = [];
  const byId = new Map<string, Json>();
  const byRequest = new Map<string, number>();
  const editions = new Map<string, number>();
  for (const { event, body } of log.records) {
    if (event !== 'custos.decision') continue;
    const { factsDigest: _facts, ...decision } = body;
    if (byId.has(idOf(decision))) problems.push(`decision ${idOf(decision)} is in the log twice`);
    byId.set(idOf(decision), decision);
    const request = String(decision['request_id']);
    byRequest.set(request, (byRequest.get(request) ?? 0) + 1);
    const edition = editionOf(decision);
    const { digest } = decision['policy_set'] as { readonly digest: string };
    if (edition === undefined) continue;
    if ((editions.get(digest) ?? edition) !== edition)
      problems.push(`the policy set ${digest} decided as edition ${edition} and as edition ${editions.get(digest)}`);
    editions.set(digest, edition);
  }
  for (const [id, answered] of own.decisions) {
    const recorded = byId.get(id);
    if (recorded === undefined) problems.push(`decision ${id} was answered and is not in the log`);
    else if (sorted(recorded) !== sorted(answered))
      problems.push(`decision ${id} was answered as ${sorted(answered)} and is recorded as ${sorted(recorded)}`);
  }
  for (const [request, most] of own.most)
    if ((byRequest.get(request) ?? 0) > most)
      problems.push(`request ${request} has ${byRequest.get(request)} decisions, not at most ${most}`);
  for (const [request, intentId] of own.intents)
    if (byRequest.get(request) !== 1)
      problems.push(`intent ${intentId} (${request}) has ${byRequest.get(request) ?? 0} decisions`);
  return problems;
}

/** Every acknowledged proof once; every promised record with the promised content; every receipt as it was given. */
function checkPromises(log: DerivedLog, own: EnvironmentHistory): string[] {
  const problems: string[] = [];
  const byProof = new Map<string, (typeof log.records)[number]>();
  for (const record of log.records) {
    if (byProof.has(record.proofId)) problems.push(`record ${record.proofId} is in the log twice`);
    byProof.set(record.proofId, record);
  }
  for (const proofId of own.proofs)
    if (!byProof.has(proofId)) problems.push(`proof ${proofId} was accepted and is not in the log`);
  for (const [proofId, digest] of own.promises) {
    const record = byProof.get(proofId);
    if (record === undefined) problems.push(`the promise of ${proofId} is not kept`);
    else if (record.digest !== digest) problems.push(`the record of ${proofId} is not the promised one`);
  }
  for (const [proofId, { index, record }] of own.receipts) {
    const now = byProof.get(proofId);
    if (now?.index !== index || now.base64 !== record)
      problems.push(`the receipt of ${proofId} at ${index} is not what the log has at ${now?.index}`);
  }
  return problems;
}

/** Every checkpoint that was ever seen is a prefix of the log, the newest covers all of it, and none is newer than the kept one. */
function checkHeads(log: DerivedLog, own: EnvironmentHistory, kept: string | undefined): string[] {
  const problems: string[] = [];
  const seen = [...own.checkpoints].map((note) => log.readNote(note));
  const outside = kept === undefined ? undefined : log.readNote(kept);
  for (const { size, root } of [...log.checkpoints, ...seen, ...(outside === undefined ? [] : [outside])])
    if (log.rootAt(size) !== root) problems.push(`the checkpoint of ${size} leaves has another root than the records`);
  const newest = Math.max(0, ...log.checkpoints.map(({ size }) => size));
  if (newest !== log.records.length)
    problems.push(`the newest checkpoint covers ${newest} of ${log.records.length} leaves`);
  if (outside === undefined ? newest > 0 : outside.size < newest)
    problems.push(`a checkpoint of ${newest} leaves is published, and ${outside?.size ?? 'none'} is kept`);
  return problems;
}

/** Every acknowledged change by an administrator has a record. */
function checkChanges(log: DerivedLog, own: EnvironmentHistory): string[] {
  const left = new Map<string, number>();
  const nameOf = (event: string, members: Json, keys: readonly string[]): string =>
    `${event} ${keys.map((key) => `${key}=${String(members[key])}`).join(' ')}`;
  const shapes = new Map(
    own.changes.map(({ event, members }) => [
      `${event} ${Object.keys(members).join()}`,
      { event, keys: Object.keys(members) },
    ]),
  );
  for (const record of log.records)
    for (const { event, keys } of shapes.values()) {
      if (record.event !== event) continue;
      const name = nameOf(event, record.body, keys);
      left.set(name, (left.get(name) ?? 0) + 1);
    }
  return own.changes.flatMap(({ event, members }) => {
    const name = nameOf(event, members, Object.keys(members));
    left.set(name, (left.get(name) ?? 0) - 1);
    return (left.get(name) ?? 0) < 0 ? [`the change "${name}" was acknowledged and is not in the log`] : [];
  });
}

/** An approval permits at most one decision. */
function checkApprovals(log: DerivedLog): string[] {
  const used = new Map<string, number>();
  for (const { event, body } of log.records)
    if (event === 'custos.approval' && body['state'] === 'used') {
      const id = String(body['approvalId'] ?? body['approval_id']);
      used.set(id, (used.get(id) ?? 0) + 1);
    }
  return [...used].flatMap(([id, times]) => (times > 1 ? [`approval ${id} was used ${times} times`] : []));
}
