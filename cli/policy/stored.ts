// Stored policy sets for commands: of the database, or of a running service.
import type { Static } from 'typebox';
import type { StoredPolicySet } from '../../shared/api/policy-set.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { type Draft, draftOfCanonical } from '../../shared/domain/drafts/replay-draft.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { CommandError, EXIT } from '../exit.ts';
import { callService, type RemoteOptions } from './remote.ts';

const IN_FORCE = 'SELECT active_digest AS digest FROM policy_state';

/** The digest of the set in force; undefined before the first one. */
export async function activeDigest(db: Database): Promise<string | undefined> {
  return (await db.query<{ digest: string | null }>(IN_FORCE, []))[0]?.digest ?? undefined;
}

/** @throws {CommandError} */
export function loaded(name: string, draft: Draft): PolicySet {
  if (draft.ok) return draft.set;
  throw new CommandError(`This version can not load the set ${name}: ${draft.findings[0]?.message}.`, {
    exitCode: EXIT.broken,
  });
}

/** A stored set of a running service. @throws {CommandError} also when the service leaves out parts for other organisations */
export async function setOfService(options: RemoteOptions, name: string): Promise<PolicySet> {
  const named = name === 'active' ? memberOf(await callService(options, 'GET', '/v1/policies'), 'digest') : name;
  // The service's documented answer.
  const answer = (await callService(options, 'GET', `/v1/policies/${String(named)}`)) as Static<typeof StoredPolicySet>;
  const { digest, createdAt: _, installationDigest: __, organisation, withheld, ...document } = answer;
  if (withheld !== undefined)
    throw new CommandError(
      `${withheld} parts of the set are for other organisations alone, so it can't be compared here.`,
    );
  const { engine } = document;
  const whole = organisation === undefined ? document : { engine, installation: document, organisation };
  const set = loaded(name, draftOfCanonical(canonicalize(whole)));
  if (set.digest !== digest) throw new CommandError(`The service answered with another set than ${digest}.`);
  return set;
}
