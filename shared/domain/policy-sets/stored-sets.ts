// Stored policy sets: their canonical texts, what this version can load, and comparisons of two of them.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { SetComparison } from '../../core/policy/compare.ts';
import { admitStoredApart, compareStoredApart } from './admission.ts';

const READ = 'SELECT canonical FROM policy_set WHERE digest = $1 AND canonical IS NOT NULL';
const ORGANISATIONS = 'SELECT slug FROM organisation';
/** Comparisons of two digests never change. */
const CACHED = 20;

/** Undefined: there is no set of the installation with this digest. */
export async function canonicalOf(sql: Sql, digest: string): Promise<Buffer | undefined> {
  return (await sql.query<{ canonical: Buffer }>(READ, [digest]))[0]?.canonical;
}

/** Errors in an answer. */
const MAX_ERRORS = 20;

/**
 * Refuses a stored set that must not come into force: no process could load it when it starts. Another version may have stored it. To be
 * called outside of transactions, because a large set takes seconds.
 * @param options.pointer the member of the request that names the set
 * @param options.compiled a lexicon of this process, which the set may have
 * @throws {ApiError} E4001: no set of the installation has this digest; E2001 (422): this version can't load it
 */
export async function assertLoadable(
  sql: Sql,
  digest: string,
  { pointer = '/digest', compiled }: { readonly pointer?: string; readonly compiled?: Lexicon | undefined } = {},
): Promise<void> {
  const canonical = await canonicalOf(sql, digest);
  if (canonical === undefined) throw new ApiError('E4001', 'There is no policy set with this digest.');
  const { set, errors } = await admitStoredApart(canonical, compiled);
  if (set?.digest === digest) return;
  throw new ApiError(
    'E2001',
    `This version can not load the set any more: ${errors[0]?.message ?? 'its text was changed'}.`,
    {
      status: 422,
      errors: errors
        .slice(0, MAX_ERRORS)
        .map(({ file, line, column, message }) => ({ pointer, message: `${file}:${line}:${column} ${message}` })),
    },
  );
}

/** The slugs of all organisations, which policies may name. */
export async function organisationSlugs(sql: Sql): Promise<string[]> {
  return (await sql.query<{ slug: string }>(ORGANISATIONS, [])).map(({ slug }) => slug);
}

export interface SetComparer {
  /** Null when one of them is not stored, or can't be loaded by this version. */
  compare(before: string | null, after: string): Promise<SetComparison | null>;
  /** Compares canonical texts. Null when this version can't load one of them. */
  compareTexts(before: Uint8Array, after: Uint8Array): Promise<SetComparison | null>;
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
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    compare: async (before, after) => (before === null ? null : inTurn(() => run(before, after))),
    compareTexts: (before, after) => inTurn(async () => (await compareStoredApart(before, after)) ?? null),
  };
}
