// The state machine of an agent's status.
import type { AgentStatus } from './vocabulary.ts';

const NEXT: Readonly<Record<AgentStatus, readonly AgentStatus[]>> = {
  ACTIVE: ['PAUSED', 'SUSPENDED', 'TERMINATED'],
  PAUSED: ['ACTIVE', 'SUSPENDED', 'TERMINATED'],
  SUSPENDED: ['ACTIVE', 'PAUSED', 'TERMINATED'],
  TERMINATED: [],
};

/** Whether an agent may change from one status to another; no change is always allowed. */
export function mayBecome(from: AgentStatus, to: AgentStatus): boolean {
  return from === to || NEXT[from].includes(to);
}
