// Who may open which page: the menu shows no page that the service refuses.
import type { SessionInfo } from './wire.ts';

/** `unbound`: only for keys that are bound to no agents; `operator`: of these, only for live admin keys of the operator's organisation. */
const NEEDS: Readonly<Record<string, 'unbound' | 'operator'>> = {
  webhooks: 'unbound',
  'dead-jobs': 'unbound',
  policies: 'operator',
  queues: 'operator',
};

/** @param name of the page, as in its address */
export function mayOpen(
  { name }: { readonly name: string },
  session: Pick<SessionInfo, 'isOperator' | 'bound'>,
): boolean {
  const needed = NEEDS[name];
  return needed === undefined || (needed === 'operator' ? session.isOperator : session.bound === null);
}
