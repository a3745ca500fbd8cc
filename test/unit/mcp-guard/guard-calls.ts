// Calls, lists of tools and approvals for the tests of decisions about one call.
import { expect } from 'chai';
import { type Answer, type GuardSession, turn } from '../../support/guard-session.ts';

export const APPROVAL = 'apr_01m7z6w78c5ardnz9csgncbv86';
export const call = (id: number, meta: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'write', arguments: { path: 'a' }, _meta: meta },
});
export const list = (id: number, ...tools: object[]): [object, object] => [
  { jsonrpc: '2.0', id, method: 'tools/list' },
  { jsonrpc: '2.0', id, result: { tools } },
];
export const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

export function see(guarded: GuardSession, id: number, ...tools: object[]): void {
  const [request, response] = list(id, ...tools);
  guarded.fromClient(request);
  guarded.fromServer(response);
}

/** The text of the only refusal. */
export function refusal({ client }: GuardSession): string {
  const lines = client.filter((line) => line.includes('"isError":true'));
  expect(lines).to.have.length(1);
  return String((JSON.parse(lines[0] ?? '') as { result: { content: { text: string }[] } }).result.content[0]?.text);
}

/** ESCALATE until the approval is named, then the service's answer about it. */
export const withApproval =
  (said: Answer) =>
  (_: unknown, approvalId: string | undefined): Answer =>
    approvalId === undefined ? { verdict: 'ESCALATE' } : said;

export async function settled(guarded: GuardSession): Promise<void> {
  for (
    let i = 0;
    i < 20 && guarded.server.length === 0 && !guarded.client.some((line) => line.includes('isError'));
    i += 1
  )
    await turn();
}
