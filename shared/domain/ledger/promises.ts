// Promises: ingress signs one for each accepted record, as proof against a log that does not contain the record in time.
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database } from '../../platform/db/database.ts';
import { insertSealed } from '../../platform/db/seals/rows.ts';
import { rawPublicKey } from '../../core/proof/ed25519.ts';
import { createPromiseSigner, type Promised } from '../../core/proof/promise.ts';
import type { SignedPromise } from '../../core/proof/shapes.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { readKeyFile } from './key-file.ts';

export interface PromiseSubject {
  readonly organisationId: string;
  readonly organisationSlug: string;
  readonly environment: Environment;
  readonly proofId: string;
  /** SHA-256 of JCS of the record without its previousHash, lower-case hex. */
  readonly recordDigest: string;
  /** When the record was accepted, so that the same record always gets the same promise. */
  readonly issuedAtMs: number;
}

export interface Promiser {
  /** Signs a promise alone. The same subject always gets the same promise. */
  promise(subject: PromiseSubject): SignedPromise;
  /**
   * Signs a promise together with all others of its log that are asked for in the same run of microtasks, such as those of a group
   * commit: one signature for each log. For records that are durable, or become so with the answer.
   */
  together(subject: PromiseSubject): Promise<SignedPromise>;
}

const ORIGINS =
  'SELECT DISTINCT ON (organisation_id, environment) organisation_id, environment, origin FROM log WHERE origin IS NOT NULL ORDER BY organisation_id, environment, generation DESC';

export interface PromiserDeps {
  readonly db: Database;
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
  /** CUSTOS_PROMISE_KEY_FILE. */
  readonly keyFile: string;
  /** CUSTOS_MAX_MERGE_DELAY, seconds. */
  readonly maxMergeDelaySeconds: number;
  /** CUSTOS_LOG_HOST, for logs that do not exist yet. */
  readonly logHost: string;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Publishes the key before anything is signed with it. @throws {ConfigError} without a usable key file; {ApiError} E6002 */
export async function startPromiser(deps: PromiserDeps): Promise<Promiser> {
  const { db, changes, keyFile, maxMergeDelaySeconds, logHost, nowMs, onError } = deps;
  const key = await readKeyFile('CUSTOS_PROMISE_KEY_FILE', keyFile);
  const signer = createPromiseSigner({ key, maxMergeDelaySeconds });
  await insertSealed(
    db,
    'promise_key',
    { key_id: signer.keyId, public_key: Buffer.from(rawPublicKey(key)), created_at: new Date(nowMs()) },
    { unlessExists: true },
  );

  // A forked log has a different origin. A log that does not exist yet will have the origin of this host.
  let origins = new Map<string, string>();
  const load = async (): Promise<void> => {
    const rows = await db.query<{ organisation_id: string; environment: string; origin: string }>(ORIGINS, []);
    origins = new Map(rows.map((row) => [`${row.environment}\n${row.organisation_id}`, row.origin]));
  };
  await load();
  changes.subscribe((change) => {
    if (change === 'reset' || change.kind === 'log') load().catch(onError);
  });

  const about = ({
    organisationId,
    organisationSlug,
    environment,
    proofId,
    recordDigest,
    issuedAtMs,
  }: PromiseSubject): Promised => ({
    log: origins.get(`${environment}\n${organisationId}`) ?? `${logHost}/${organisationSlug}/${environment}`,
    proofId,
    recordDigest,
    issuedAtMs,
  });
  return {
    promise: (subject) => signer.promise(about(subject)),
    together: createBatches(
      (all) => signer.promises(all),
      (subject) => about(subject),
    ),
  };
}

/** What waits for one signature. */
interface Waiting {
  readonly promised: Promised;
  readonly resolve: (promise: SignedPromise) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects promises until no microtask is left to run, and signs those of each log with one signature.
 * Promises of different logs are not mixed, because a path shows hashes of the others, by which their contents could be guessed.
 */
export function createBatches<Subject>(
  sign: (all: readonly Promised[]) => readonly SignedPromise[],
  promisedOf: (subject: Subject) => Promised,
): (subject: Subject) => Promise<SignedPromise> {
  let waiting = new Map<string, Waiting[]>();

  const signAll = (): void => {
    const batches = waiting;
    waiting = new Map();
    for (const batch of batches.values()) {
      try {
        const promises = sign(batch.map(({ promised }) => promised));
        for (const [i, { resolve, reject }] of batch.entries()) {
          const promise = promises[i];
          if (promise === undefined) reject(new Error('a promise was not signed'));
          else resolve(promise);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  return (subject) =>
    new Promise((resolve, reject) => {
      const promised = promisedOf(subject);
      if (waiting.size === 0) process.nextTick(signAll);
      const batch = waiting.get(promised.log);
      if (batch === undefined) waiting.set(promised.log, [{ promised, resolve, reject }]);
      else batch.push({ promised, resolve, reject });
    });
}
