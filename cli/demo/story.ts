// The story that `npm run demo` plays: with a key of its own in the environment `test`, from the first question to the
// last hash. It ends at the first thing that is not as told, and takes its key back in any case.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyCreatedBody } from '../../shared/schemas/key.ts';
import type { Scope } from '../../shared/vocabulary.ts';
import { askFirst, registerAgents, submitWork } from './asking.ts';
import { createDemoClient, type DemoClient, DemoError, send, until } from './client.ts';
import type { Printer } from './printer.ts';
import { anchorStatements, findOnRecord } from './proving.ts';
import { emptySummary, must, type Scene, type Summary } from './scene.ts';
import { earnTrust } from './trusting.ts';

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
/** Should the demo be killed, its key ends by itself. */
const KEY_LIFETIME = '10m';

const CHAPTERS: readonly ((scene: Scene) => Promise<void>)[] = [
  registerAgents,
  askFirst,
  submitWork,
  earnTrust,
  anchorStatements,
  findOnRecord,
];

export async function playStory({ url, adminKey, print }: StoryOptions): Promise<Outcome> {
  const startedAtMs = performance.now();
  const deadlineMs = startedAtMs + DEADLINE_MS;
  const run = `demo-${randomBytes(4).toString('hex')}`;
  const summary = emptySummary();
  let key: KeyCreatedBody | undefined;
  let problem: string | null = null;
  try {
    await untilServiceReady(url);
    print.line(`${url} is ready; this run is ${run}`);
    const admin = createDemoClient({ url, key: adminKey, deadlineMs });
    key = await makeKey(admin, run);
    print.line(`a key of its own: ${key.keyId}, environment ${key.environment}, so nothing live is touched`);
    const client = createDemoClient({ url, key: key.key, deadlineMs });
    const cast = { scout: `scout-${run}`, builder: `builder-${run}`, stranger: `stranger-${run}` };
    const scene: Scene = { client, print, summary, run, cast };
    try {
      for (const chapter of CHAPTERS) await chapter(scene);
    } finally {
      await admin.delete(`/v1/auth/keys/${key.keyId}`);
    }
    await seeRevoked(scene);
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    problem = error.message;
    print.broken(problem);
  }
  const tookMs = Math.round(performance.now() - startedAtMs);
  if (problem === null) print.line(`\n   Everything happened as told, in ${(tookMs / 1_000).toFixed(1)} s.`);
  return {
    ok: problem === null,
    problem,
    url,
    environment: 'test',
    run,
    keyId: key?.keyId ?? null,
    tookMs,
    ...summary,
  };
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

async function makeKey(admin: DemoClient, run: string): Promise<KeyCreatedBody> {
  const request = { name: run, environment: 'test', scopes: SCOPES, expiresIn: KEY_LIFETIME };
  try {
    return await admin.post<KeyCreatedBody>('/v1/auth/keys', request, 201);
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    throw new DemoError(`The demo could not make a test key with the admin key it was given: ${error.message}`, {
      cause: error,
    });
  }
}

async function seeRevoked(scene: Scene): Promise<void> {
  scene.print.chapter('The key is taken back');
  // Effective in every process within a second.
  const status = await until(
    'the end of the revoked key',
    async () => {
      const answered = await scene.client.statusOf('/v1/agents');
      return answered === 200 ? undefined : answered;
    },
    5_000,
  );
  must(scene, status === 401, 'the revoked key is refused', `it is answered with ${status}`);
}
