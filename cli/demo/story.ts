// The story that `npm run demo` plays: with a key of its own in the environment `test`, from the first question to the
// last hash. It ends at the first thing that is not as told, and takes its key back in any case.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyCreatedBody } from '../../shared/api/key.ts';
import type { Scope } from '../../shared/kernel/vocabulary.ts';
import { askHumans } from './approving.ts';
import { askFirst, registerAgents, submitWork } from './asking.ts';
import { createDemoClient, type DemoClient, DemoError, send, until } from './client.ts';
import type { Printer } from './printer.ts';
import { anchorStatements, findOnRecord } from './proving.ts';
import { emptySummary, type Scene, type Summary } from './scene.ts';
import { earnTrust } from './trusting.ts';
import { verifyReceipts } from './verifying.ts';

export interface StoryOptions {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  /** An admin key that may make keys for the environment `test`. */
  readonly adminKey: string;
  readonly print: Printer;
}

export interface Outcome extends Summary {
  /** Whether everything happened as told. */
  readonly ok: boolean;
  /** What did not. */
  readonly problem: string | null;
  readonly url: string;
  readonly environment: 'test';
  readonly run: string;
  readonly keyId: string | null;
  readonly tookMs: number;
}

const SCOPES: readonly Scope[] = [
  'agents:read',
  'agents:write',
  'intents:write',
  'trust:read',
  'trust:write',
  'proofs:read',
];
/** A run takes a few seconds; on a busy machine, a few more. */
const DEADLINE_MS = 120_000;
const READY_WITHIN_MS = 20_000;
const REVOKED_WITHIN_MS = 5_000;
/** Should the demo be killed, its keys end by themselves. */
const KEY_LIFETIME = '10m';

const CHAPTERS: readonly ((scene: Scene) => Promise<void>)[] = [
  registerAgents,
  askFirst,
  submitWork,
  askHumans,
  earnTrust,
  anchorStatements,
  findOnRecord,
  verifyReceipts,
];

export async function playStory({ url, adminKey, print }: StoryOptions): Promise<Outcome> {
  const startedAtMs = performance.now();
  const run = randomBytes(4).toString('hex');
  const summary = emptySummary();
  let keys: Keys | undefined;
  const problem = await problemOf(print, async () => {
    await untilServiceReady(url);
    print.line(`${url} is ready; this run is ${run}`);
    keys = await makeKeys({ url, adminKey, run, deadlineMs: startedAtMs + DEADLINE_MS });
    print.line(`a key of its own, ${keys.work.keyId}, for the environment test: nothing live is touched`);
    const cast = { scout: `scout-${run}`, builder: `builder-${run}`, stranger: `stranger-${run}` };
    const scene: Scene = { client: keys.work.client, approver: keys.steward.client, print, summary, run, cast };
    for (const chapter of CHAPTERS) await chapter(scene);
  });
  const left = keys === undefined ? null : await problemOf(print, takeBack(keys, print));
  const ok = problem === null && left === null;
  const tookMs = Math.round(performance.now() - startedAtMs);
  if (ok) {
    print.end(`Everything happened as told, in ${(tookMs / 1_000).toFixed(1)} s.`);
    // A live key sees nothing of it, on the pages either.
    print.line(`To look at it: ${url}/dashboard, signed in with an admin key of the environment test. On its page`);
    print.line(
      'Keys a live admin key makes one; so does custos keys create --environment test --scope "admin:*" --name me',
    );
  }
  const keyId = keys?.work.keyId ?? null;
  return { ok, problem: problem ?? left, url, environment: 'test', run, keyId, tookMs, ...summary };
}

/** Plays a part. @returns the sentence of what went wrong in it, which is shown; null when all went well */
async function problemOf(print: Printer, part: () => Promise<void>): Promise<string | null> {
  try {
    await part();
    return null;
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    print.broken(error.message);
    return error.message;
  }
}

/** A service that was just started may still be reading its policies. */
async function untilServiceReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await send(`${url}/ready`, {});
    const { status } = (await answer.json().catch(() => ({}))) as { status?: unknown };
    if (status === 'ready') return;
    if (status !== 'not_ready') throw new DemoError(`What answers at ${url} is not Custos, or is being stopped.`);
    if (performance.now() >= deadlineMs)
      throw new DemoError(
        `${url} is not ready, and did not become so within ${READY_WITHIN_MS / 1_000} s: see /ready.`,
      );
    await delay(100);
  }
}

interface DemoKey {
  readonly keyId: string;
  readonly client: DemoClient;
}

interface Keys {
  /** An admin of `test` that approves, and takes the keys back: a key is revoked from within its environment. It did not make
   * the other one, because whoever made the key that asks may not approve. */
  readonly steward: DemoKey;
  /** What the story is played with: no more scopes than it needs. */
  readonly work: DemoKey;
}

interface KeyPlan {
  readonly url: string;
  readonly adminKey: string;
  readonly run: string;
  readonly deadlineMs: number;
}

async function makeKeys({ url, adminKey, run, deadlineMs }: KeyPlan): Promise<Keys> {
  const make = async (by: DemoClient, name: string, scopes: readonly Scope[]): Promise<DemoKey> => {
    const request = { name, environment: 'test', scopes, expiresIn: KEY_LIFETIME };
    const { key, keyId } = await by.post<Required<KeyCreatedBody>>('/v1/auth/keys', request, 201);
    return { keyId, client: createDemoClient({ url, key, deadlineMs }) };
  };
  try {
    const admin = createDemoClient({ url, key: adminKey, deadlineMs });
    const steward = await make(admin, `demo ${run}, steward`, ['admin:*']);
    return { steward, work: await make(admin, `demo ${run}`, SCOPES) };
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    const sentence = `The demo could not make a test key with the admin key that it was given: ${error.message}`;
    throw new DemoError(sentence, { cause: error });
  }
}

/** Revokes both keys, and sees that the one of the story is refused. */
function takeBack({ steward, work }: Keys, print: Printer): () => Promise<void> {
  return async () => {
    print.chapter('The key is taken back');
    await steward.client.delete(`/v1/auth/keys/${work.keyId}`);
    await steward.client.delete(`/v1/auth/keys/${steward.keyId}`);
    // Effective in every process within a second.
    const look = async (): Promise<true | undefined> =>
      (await work.client.statusOf('/v1/agents')) === 401 ? true : undefined;
    await until('the refusal of a revoked key', look, REVOKED_WITHIN_MS);
    print.kept('the revoked key is refused');
  };
}
