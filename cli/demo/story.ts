// The story that `npm run demo` plays with temporary keys of the environment `test`. It ends at the first unexpected result
// and always revokes its keys.
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

export interface DemoResult extends Summary {
  /** Whether every result was the expected one. */
  readonly ok: boolean;
  /** The first unexpected result, as a sentence. */
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
/** A run takes a few seconds on an idle machine. */
const DEADLINE_MS = 120_000;
const READY_WITHIN_MS = 20_000;
const REVOKED_WITHIN_MS = 5_000;
/** If the demo is killed, its keys expire by themselves. */
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

export async function playStory({ url, adminKey, print }: StoryOptions): Promise<DemoResult> {
  const startedAtMs = performance.now();
  const run = randomBytes(4).toString('hex');
  const summary = emptySummary();
  let keys: Keys | undefined;
  const problem = await problemOf(print, async () => {
    await untilServiceReady(url);
    print.line(`${url} is ready; this run is ${run}`);
    keys = await createKeys({ url, adminKey, run, deadlineMs: startedAtMs + DEADLINE_MS });
    print.line(`it uses the temporary key ${keys.work.keyId} of the environment test: nothing live is changed`);
    const cast = { scout: `scout-${run}`, builder: `builder-${run}`, stranger: `stranger-${run}` };
    const scene: Scene = { client: keys.work.client, approver: keys.steward.client, print, summary, run, cast };
    for (const chapter of CHAPTERS) await chapter(scene);
  });
  const left = keys === undefined ? null : await problemOf(print, revokeKeys(keys, print));
  const ok = problem === null && left === null;
  const tookMs = Math.round(performance.now() - startedAtMs);
  if (ok) {
    print.end(`Everything happened as expected, in ${(tookMs / 1_000).toFixed(1)} s.`);
    // A live key does not see the data of the environment test.
    print.line(
      `To see the results, sign in at ${url}/dashboard with the admin key, and choose Test in the menu that shows Live.`,
    );
  }
  const keyId = keys?.work.keyId ?? null;
  return { ok, problem: problem ?? left, url, environment: 'test', run, keyId, tookMs, ...summary };
}

/** Plays a part, and prints the error that ended it. @returns the error as a sentence, or null */
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

/** Waits for a service that has just started and may still be reading its policies. */
async function untilServiceReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await send(`${url}/ready`, {});
    const { status } = (await answer.json().catch(() => ({}))) as { status?: unknown };
    if (status === 'ready') return;
    if (status !== 'not_ready') throw new DemoError(`The server at ${url} is not Custos, or is stopping.`);
    if (performance.now() >= deadlineMs)
      throw new DemoError(`${url} did not become ready within ${READY_WITHIN_MS / 1_000} s: see /ready.`);
    await delay(100);
  }
}

interface DemoKey {
  readonly keyId: string;
  readonly client: DemoClient;
}

interface Keys {
  /**
   * An admin key of `test` that approves and revokes both keys: only keys of the same environment can revoke a key. It does not
   * create the other key, because the creator of the asking key may not approve.
   */
  readonly steward: DemoKey;
  /** The key of the agents, with only the scopes that the story needs. */
  readonly work: DemoKey;
}

interface KeyPlan {
  readonly url: string;
  readonly adminKey: string;
  readonly run: string;
  readonly deadlineMs: number;
}

async function createKeys({ url, adminKey, run, deadlineMs }: KeyPlan): Promise<Keys> {
  const create = async (by: DemoClient, name: string, scopes: readonly Scope[]): Promise<DemoKey> => {
    const request = { name, environment: 'test', scopes, expiresIn: KEY_LIFETIME };
    const { key, keyId } = await by.post<Required<KeyCreatedBody>>('/v1/auth/keys', request, 201);
    return { keyId, client: createDemoClient({ url, key, deadlineMs }) };
  };
  try {
    const admin = createDemoClient({ url, key: adminKey, deadlineMs });
    const steward = await create(admin, `demo ${run}, steward`, ['admin:*']);
    return { steward, work: await create(admin, `demo ${run}`, SCOPES) };
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    const sentence = `The demo could not create a test key with the given admin key: ${error.message}`;
    throw new DemoError(sentence, { cause: error });
  }
}

/** Revokes both keys, and checks that the service refuses the key of the agents. */
function revokeKeys({ steward, work }: Keys, print: Printer): () => Promise<void> {
  return async () => {
    print.chapter('The keys are revoked');
    await steward.client.delete(`/v1/auth/keys/${work.keyId}`);
    await steward.client.delete(`/v1/auth/keys/${steward.keyId}`);
    // A revocation reaches every process within a second.
    const look = async (): Promise<true | undefined> =>
      (await work.client.statusOf('/v1/agents')) === 401 ? true : undefined;
    await until('the refusal of a revoked key', look, REVOKED_WITHIN_MS);
    print.kept('the revoked key is refused');
  };
}
