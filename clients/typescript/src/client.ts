// The client: its options, the resources of the API and the guard.
import type { ObligationHandlers } from './guard/obligations.ts';
import type { Permission } from './guard/permission.ts';
import { type AuthorizeOptions, createGuard, type GuardOptions, type ToolQuestion } from './guard/guard.ts';
import { createHttp } from './http.ts';
import { createResources, type Resources } from './resources.ts';
import { type Runtime, SYSTEM_RUNTIME } from './runtime.ts';
import type { Decision, JsonObject } from './types.ts';

export interface CustosOptions {
  /** Address of the service, with or without `/v1`. Default: the environment variable CUSTOS_URL, then `http://127.0.0.1:3000`. */
  readonly url?: string | undefined;
  /** The API key. Default: the environment variable CUSTOS_KEY. No error and no log line contains it. */
  readonly key?: string | undefined;
  /** For a call with all its repetitions. Default: 10 000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request that may be repeated is repeated at most. Default: 3. */
  readonly retries?: number | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Time and randomness, for tests. */
  readonly runtime?: Runtime | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RETRIES = 3;
const MAX_RETRIES = 3;

/** An environment variable; undefined when it is empty, and in a browser. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } };
  return process?.env?.[name] || undefined;
}

/** @throws {TypeError} unless it is an address of HTTP without a user name; its message does not repeat the address */
function checkedUrl(text: string): string {
  const isAddress = URL.canParse(text) && /^https?:\/\//i.test(text);
  const { username = '', password = '', search = '', hash = '' } = isAddress ? new URL(text) : {};
  if (!isAddress || username !== '' || password !== '' || search !== '' || hash !== '')
    throw new TypeError(
      'url must be an http or https address such as http://127.0.0.1:3000, without user name, query and fragment',
    );
  // Every path begins with it. A host that is called v1 is none.
  return text.replace(/\/+$/, '').replace(/(?<!\/)\/v1$/, '');
}

/** @throws {TypeError} The message does not repeat the key. */
function checkedKey(given: string | undefined): string | undefined {
  // A key from a file often has a newline at its end.
  const key = given?.trim();
  // Otherwise fetch would throw an error that quotes the header.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be printable ASCII without spaces');
  return key;
}

/** @throws {TypeError} */
function checkedLimits({ timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES }: CustosOptions) {
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be more than 0');
  if (!Number.isInteger(retries) || retries < 0 || retries > MAX_RETRIES)
    throw new TypeError(`retries must be an integer from 0 to ${MAX_RETRIES}`);
  return { timeoutMs, retries };
}

/**
 * A client of one service with one key. It keeps no connection open by itself; `close` waits for reports that `guard` is sending.
 *
 * @example
 * const custos = new Custos({ url: 'http://127.0.0.1:3000', key: process.env.CUSTOS_KEY });
 * const decision = await custos.enforce.evaluate({ agentId: 'agent-7', intent: 'data.read.user_profile' });
 * if (decision.allowed) ...
 */
export class Custos {
  readonly intent: Resources['intent'];
  readonly enforce: Resources['enforce'];
  readonly decisions: Resources['decisions'];
  readonly intents: Resources['intents'];
  readonly approvals: Resources['approvals'];
  readonly proofs: Resources['proofs'];
  readonly proof: Resources['proof'];
  readonly agents: Resources['agents'];
  readonly resources: Resources['resources'];
  readonly trust: Resources['trust'];
  readonly log: Resources['log'];
  readonly keys: Resources['keys'];
  readonly policies: Resources['policies'];
  readonly tools: Resources['tools'];
  readonly webhooks: Resources['webhooks'];
  readonly halt: Resources['halt'];
  readonly reference: Resources['reference'];
  readonly health: Resources['health'];
  readonly ready: Resources['ready'];
  readonly #guard: ReturnType<typeof createGuard>;

  /** @throws {TypeError} when an option can't be used */
  constructor(options: CustosOptions = {}) {
    const runtime = options.runtime ?? SYSTEM_RUNTIME;
    const http = createHttp({
      url: checkedUrl(options.url ?? environment('CUSTOS_URL') ?? DEFAULT_URL),
      key: checkedKey(options.key ?? environment('CUSTOS_KEY')),
      ...checkedLimits(options),
      // Without a receiver, because browsers refuse `fetch` as a method of another object.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      runtime,
    });
    const resources = createResources(http, runtime);
    this.intent = resources.intent;
    this.enforce = resources.enforce;
    this.decisions = resources.decisions;
    this.intents = resources.intents;
    this.approvals = resources.approvals;
    this.proofs = resources.proofs;
    this.proof = resources.proof;
    this.agents = resources.agents;
    this.resources = resources.resources;
    this.trust = resources.trust;
    this.log = resources.log;
    this.keys = resources.keys;
    this.policies = resources.policies;
    this.tools = resources.tools;
    this.webhooks = resources.webhooks;
    this.halt = resources.halt;
    this.reference = resources.reference;
    this.health = resources.health;
    this.ready = resources.ready;
    this.#guard = createGuard({ http, runtime });
  }

  /**
   * Wraps a function: each call asks Custos first, and runs the function only when the call is permitted. The function gets a deep
   * copy of the arguments that was made before asking. The outcome is reported as a proof.
   *
   * The wrapped function throws RefusedError when the call is not permitted or there is no decision, CancelledError when its signal is
   * aborted, and what the function throws, unless an obligation has to be applied to its result: then a RefusedError with `hasRun`. A call
   * that was refused with an `approvalId` can be repeated with it, by the same key, once a human has approved it.
   */
  guard<Args extends object, Result>(
    // Not of `Args`: TypeScript would infer it from the handlers of obligations, before it looks at `run`.
    options: GuardOptions,
    run: (args: Args, decision: Decision) => Result | Promise<Result>,
  ): (args: Args, call?: Pick<AuthorizeOptions, 'signal' | 'approvalId'>) => Promise<Result> {
    // To a handler the arguments are any JSON object.
    const obligations = options.obligations as ObligationHandlers<Args> | undefined;
    return async (args, { signal, approvalId } = {}) => {
      const how = { ...options, obligations, signal, approvalId };
      const permission = await this.authorize({ ...options, arguments: args }, how);
      return permission.run(run);
    };
  }

  /**
   * Asks for one tool call, and waits for an approval where one is needed. For adapters: whoever holds the permission runs the tool
   * with `permission.run`, or runs it otherwise and calls `permission.report`, or calls `permission.notCalled`.
   * @throws {RefusedError} when the call is not permitted, or there is no decision
   * @throws {CancelledError}
   */
  authorize<Args extends object = JsonObject>(
    question: ToolQuestion<Args>,
    options: AuthorizeOptions<NoInfer<Args>> = {},
  ): Promise<Permission<Args>> {
    return this.#guard.authorize(question, options);
  }

  /** Waits until all reports of guarded calls are delivered, or given up. */
  async flush(): Promise<void> {
    await this.#guard.flush();
  }

  /** The same as `flush`: nothing else is open. */
  async close(): Promise<void> {
    await this.flush();
  }
}
