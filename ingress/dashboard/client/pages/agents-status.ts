// Changes of an agent's status, each with a confirmation and a reason.
import { api, useAction } from '../api.ts';
import type { AgentAnswer } from '../answers.ts';
import { spelled } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Confirm } from '../ui.ts';

type AgentStatus = AgentAnswer['status'];

interface Change {
  readonly to: AgentStatus;
  readonly verb: string;
  readonly effect: string;
}

const change = (to: AgentStatus, verb: string, effect: string): Change => ({ to, verb, effect });
const PAUSE = change('PAUSED', 'Pause', 'All its requests are denied until it is resumed.');
const RESUME = change('ACTIVE', 'Resume', 'Policies and trust decide about its requests again.');
const SUSPEND = change('SUSPENDED', 'Suspend', 'All its requests are denied until somebody lifts the suspension.');
const TERMINATE = change(
  'TERMINATED',
  'Terminate',
  'All its requests are denied forever, and its id cannot be used again. This cannot be undone.',
);

/** The possible changes; the service refuses all others. */
const CHANGES: Readonly<Record<AgentStatus, readonly Change[]>> = {
  ACTIVE: [PAUSE, SUSPEND, TERMINATE],
  PAUSED: [RESUME, SUSPEND, TERMINATE],
  SUSPENDED: [{ ...RESUME, verb: 'Lift the suspension' }, TERMINATE],
  TERMINATED: [],
};

/** Stored in the log, and shown in the status history and on the operator trail. */
const REASON = { label: 'Reason', required: true };

export interface StatusActionsProps {
  readonly agent: AgentAnswer;
  readonly onDone: () => void;
}

export function StatusActions({ agent, onDone }: StatusActionsProps): VNode {
  const [asked, setAsked] = useKept<Change | undefined>('asked', undefined);
  const path = `/v1/agents/${encodeURIComponent(agent.agentId)}`;
  const action = useAction(async (reason: string) => {
    if (asked === undefined) return;
    await api(path, { method: 'PATCH', body: { status: asked.to, reason } });
    onDone();
  });
  const ask = (next: Change): void => {
    action.reset();
    setAsked(next);
  };
  // After a refusal the agent is read again: somebody else may have changed it.
  const close = (): void => {
    setAsked(undefined);
    if (action.error !== undefined) onDone();
  };
  return html`${CHANGES[agent.status].map((each) => html`<button key=${each.to} type="button" class="button" onClick=${() => ask(each)}>${each.verb}</button>`)}
    ${asked && html`<${Confirm} title=${`${asked.verb === 'Lift the suspension' ? 'Lift the suspension of' : asked.verb} this agent?`} verb=${asked.verb} dangerous=${asked.to === 'TERMINATED'} reason=${REASON} action=${action} onClose=${close}><p><bdi class="name">${spelled(agent.agentId)}</bdi></p><p>${asked.effect}</p><//>`}`;
}
