// Chapter four: an approval is given with another key, used once, and lets waiting work continue.
import type { Static } from 'typebox';
import type { ApprovalDetail } from '../../shared/api/approval.ts';
import type { DecisionBody } from '../../shared/api/decision.ts';
import { DemoError, until } from './client.ts';
import { must, note, type Scene, showDecision, type SubmittedBody } from './scene.ts';

type ApprovalBody = Static<typeof ApprovalDetail>;

/** A human reads the request and approves it. @returns the ESCALATE that opened the approval */
async function approve({ approver, print, summary }: Scene, approvalId: string, reason: string): Promise<DecisionBody> {
  const path = `/v1/approvals/${approvalId}`;
  const { decision } = await approver.get<ApprovalBody>(path);
  const { status } = await approver.post<ApprovalBody>(`${path}/approve`, { reason }, 200);
  print.line(`an admin with another key: ${status}, "${reason}"`);
  summary.approvals.push(approvalId);
  return decision;
}

/** Asks, gets an ESCALATE and an approval, and asks again. The approval is valid for one use of this request. */
async function askAndUse(scene: Scene): Promise<void> {
  const { client, approver, print, cast } = scene;
  const question = { agent_id: cast.scout, intent: 'read:db/*' };
  print.line(`${cast.scout}: ${question.intent}`);
  const escalated = await client.post<DecisionBody>('/v1/enforce', question, 200);
  showDecision(scene, escalated, 'ESCALATE');
  const approvalId = escalated.approval?.approval_id;
  if (approvalId === undefined) throw new DemoError('The ESCALATE names no approval.');
  await approve(scene, approvalId, 'an inventory, as agreed');
  const use = { ...question, approval_id: approvalId };
  const allowed = await client.post<DecisionBody>('/v1/enforce', use, 200);
  showDecision(scene, allowed, 'ALLOW');
  const again = await client.post<DecisionBody>('/v1/enforce', use, 200);
  must(
    scene,
    again.decision_id === allowed.decision_id,
    'repeating the request is not a second use: it gets the first answer',
    `it got ${again.decision_id}`,
  );
  const refusals = [
    [approver, use, 'APPROVAL_USED', 'a second use is refused'],
    [client, { ...use, intent: 'read:crm/*' }, 'APPROVAL_MISMATCH', 'the approval is not valid for another request'],
  ] as const;
  for (const [by, body, code, sentence] of refusals) {
    const refused = await by.post<DecisionBody>('/v1/enforce', body, 200);
    note(scene, refused);
    const codes = refused.reasons.map((reason) => reason.code);
    const isRefused = refused.verdict === 'DENY' && codes.includes(code);
    must(scene, isRefused, `${sentence}: ${code}`, `it was ${refused.verdict} (${codes.join(', ')})`);
  }
}

/** Submitted work waits, and continues by itself once a human has decided. */
async function submitAndWait(scene: Scene): Promise<void> {
  const { client, print, cast, summary } = scene;
  const work = { agentId: cast.scout, action: 'read', resource: 'crm/*' };
  const { intentId } = await client.post<SubmittedBody>('/v1/intents', work, 202);
  print.line(`${work.agentId} submits: ${work.action} ${work.resource}`);
  const intent = (): Promise<SubmittedBody> => client.get<SubmittedBody>(`/v1/intents/${intentId}`);
  const waiting = async (): Promise<string | undefined> => {
    const { status, approvalId } = await intent();
    return status === 'waiting_approval' ? (approvalId ?? undefined) : undefined;
  };
  const approvalId = await print.during('a worker decides it', until(`an approval for ${intentId}`, waiting));
  print.line(print.faint('   accepted, waits for an approval'));
  note(scene, await approve(scene, approvalId, 'the same, for the sales team'));
  const decided = async (): Promise<SubmittedBody | undefined> => {
    const view = await intent();
    return view.decision === null ? undefined : view;
  };
  const { status, decision } = await print.during('it continues', until(`a decision on ${intentId}`, decided));
  if (decision !== null) showDecision(scene, decision, 'ALLOW');
  must(scene, status === 'decided', 'it continued by itself', `it is ${status}`);
  summary.intents.push({ intentId, status });
}

export async function askHumans(scene: Scene): Promise<void> {
  scene.print.chapter('A human approves a request, for one use');
  await askAndUse(scene);
  await submitAndWait(scene);
}
