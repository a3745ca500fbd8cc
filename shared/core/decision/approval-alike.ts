// Which approvals are alike for the person who decides them. Pure.
import { createHash } from 'node:crypto';
import { canonicalize } from '../proof/canonical.ts';
import type { Facts } from '../policy/types.ts';

/**
 * Equal for requests of one agent that call the same tool, or have the same action and resource. Arguments, words and context may
 * differ, so it only groups a list: an approval is bound to its own digest. 32 lower-case hex characters of a SHA-256.
 */
export function alikeOf({ agent, intent, tool }: Pick<Facts, 'agent' | 'intent' | 'tool'>): string {
  const what = tool === undefined ? ['intent', intent.action, intent.resource] : ['tool', tool.server, tool.name];
  return createHash('sha256')
    .update(canonicalize([agent.id, ...what]))
    .digest('hex')
    .slice(0, 32);
}
