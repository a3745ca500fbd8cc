// Replays decisions under a draft of the installation's set: those of organisations with own policies under the draft with these on top.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { PolicySet } from '../../core/policy/load.ts';
import { composedDigests, composeSet } from '../../core/policy/own/compose.ts';
import { fitOwnPolicies } from '../../core/policy/own/fit.ts';
import type { Sql } from '../../platform/db/database.ts';
import { ownPoliciesOfText } from '../policy-sets/organisation-sets.ts';
import { createReplayer, policyDigestOf, type Replayer } from './replay.ts';

const ANY = 'SELECT EXISTS (SELECT FROM own_policies) AS is_any';
const OWN = 'SELECT own.canonical FROM policy_set s JOIN own_policies own ON own.digest = s.own WHERE s.digest = $1';
/** Composed sets whose evaluators are cached. */
const CACHED = 20;

/**
 * The own policies are those under which a decision was made, not those of today: otherwise the set that was in force would show
 * differences.
 * @throws {ApiError} E6002
 */
export async function createDraftReplayer(sql: Sql, draft: PolicySet<Lexicon>): Promise<Replayer> {
  const plain = createReplayer(draft, draft.lexicon);
  const [row] = await sql.query<{ is_any: boolean }>(ANY, []);
  if (row?.is_any !== true || draft.own !== undefined) return plain;
  const replayers = new BoundedCache<Replayer>({ max: CACHED });
  let digests: ((own: string) => string) | undefined;

  const replayerFor = async (policyDigest: string): Promise<Replayer> => {
    const known = replayers.get(policyDigest);
    if (known !== undefined) return known;
    const [stored] = await sql.query<{ canonical: Buffer }>(OWN, [policyDigest]);
    let replayer = plain;
    if (stored !== undefined) {
      const { own } = fitOwnPolicies(ownPoliciesOfText(stored.canonical.toString('utf8')), draft.declarations);
      digests ??= composedDigests(draft.canonical);
      replayer = createReplayer(composeSet(draft, own, digests(own.text)), draft.lexicon);
    }
    replayers.set(policyDigest, replayer);
    return replayer;
  };

  return {
    async replay(decision) {
      const digest = policyDigestOf(decision.record);
      const replayer = digest === undefined ? plain : await replayerFor(digest);
      return replayer.replay(decision);
    },
  };
}
