// The life of an agent: which status may follow which.
import type { AgentStatus } from './vocabulary.ts';

const NEXT: Readonly<Record<AgentStatus, readonly AgentStatus[]>> = {
  ACTIVE: ['PAUSED', 'SUSPENDED', 'TERMINATED'],
  PAUSED: ['ACTIVE', 'SUSPENDED', 'TERMINATED'],
  SUSPENDED: ['ACTIVE', 'PAUSED', 'TERMINATED'],
  TERMINATED: [],
};

/** Whether an agent may go from one status to another; staying is always legal. */
export function mayBecome(from: AgentStatus, to: AgentStatus): boolean {
  return from === to || NEXT[from].includes(to);
}
