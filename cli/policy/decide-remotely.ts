// `custos approvals show|approve|reject --url`: approvals of a running service, of changes of policies and of requests of agents.
import { printable } from '../../shared/core/proof/encoding.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import { say } from '../exit.ts';
import { printJson, printLine } from '../output.ts';
import { outcomeText } from './decide.ts';
import { callService, RefusedError, type RemoteOptions } from './remote.ts';

interface Found {
  readonly path: string;
  readonly approval: unknown;
  readonly isChange: boolean;
}

/** An approval by its id. Only the operator has changes of policies; for others the service refuses or does not know them. */
async function find(options: RemoteOptions, approvalId: string): Promise<Found> {
  const id = encodeURIComponent(approvalId);
  const path = `/v1/policies/approvals/${id}`;
  try {
    return { path, approval: await callService(options, 'GET', path), isChange: true };
  } catch (error) {
    if (!(error instanceof RefusedError) || (error.status !== 404 && error.status !== 403)) throw error;
  }
  const other = `/v1/approvals/${id}`;
  return { path: other, approval: await callService(options, 'GET', other), isChange: false };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export async function showRemotely(options: RemoteOptions, approvalId: string, json: true | undefined): Promise<void> {
  const { approval } = await find(options, approvalId);
  if (json) return printJson(approval);
  for (const [name, value] of Object.entries(Object(approval)))
    if (value !== null) printLine(`${`${name}:`.padEnd(16)}${printable(textOf(value))}`);
}

export async function decideRemotely(
  options: RemoteOptions,
  approvalId: string,
  {
    state,
    reason,
    json,
  }: { readonly state: 'approved' | 'rejected'; readonly reason: string; readonly json: true | undefined },
): Promise<void> {
  const { path, isChange } = await find(options, approvalId);
  const verb = state === 'approved' ? 'approve' : 'reject';
  const decided = await callService(options, 'POST', `${path}/${verb}`, { reason });
  if (json) return printJson(decided);
  printLine(approvalId);
  const status = textOf(memberOf(decided, 'status'));
  say(`${isChange ? outcomeText(status) : status}: ${printable(approvalId)}.`);
}
