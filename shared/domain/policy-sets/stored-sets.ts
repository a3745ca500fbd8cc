// Stored policy sets: their canonical texts, what this version can load, and comparisons of two of them.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { SetComparison } from '../../core/policy/compare.ts';
import { compareStoredApart } from './admission.ts';

const READ = 'SELECT canonical FROM policy_set WHERE digest = $1 AND canonical IS NOT NULL';
const ORGANISATIONS = 'SELECT slug FROM organisation';
/** Comparisons of two digests never change. */
const CACHED = 20;

/** Undefined: there is no set of the installation with this digest. */
export async function canonicalOf(sql: Sql, digest: string): Promise<Buffer | undefined> {
  return (await sql.query<{ canonical: Buffer }>(READ, [digest]))[0]?.canonical;
}

/** The slugs of all organisations, which policies may name. */
export async function organisationSlugs(sql: Sql): Promise<string[]> {
  return (await sql.query<{ slug: string }>(ORGANISATIONS, [])).map(({ slug }) => slug);
}

export interface SetComparer {
  /** Null when one of them is not stored, or can't be loaded by this version. */
  compare(before: string | null, after: string): Promise<SetComparison | null>;
}

/** Compares in a thread, one pair at a time: large sets take seconds and a core. */
export function createSetComparer(sql: Sql): SetComparer {
  const known = new BoundedCache<SetComparison | null>({ max: CACHED });
  let last: Promise<unknown> = Promise.resolve();
  const run = async (before: string, after: string): Promise<SetComparison | null> => {
    const key = `${before} ${after}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const [old, now] = [await canonicalOf(sql, before), await canonicalOf(sql, after)];
    if (old === undefined || now === undefined) return null;
    const compared = (await compareStoredApart(old, now)) ?? null;
    known.set(key, compared);
    return compared;
  };
  return {
    async compare(before, after) {
      if (before === null) return null;
      const mine = last.then(() => run(before, after));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
