// The client: its options and the resources of the API.
import { createCalls } from './calls.ts';
import type { ObligationHandlers } from './guard/obligations.ts';
import type { Permission } from './guard/permission.ts';
import { type AuthorizeOptions, createGuard, type GuardOptions, type ToolQuestion } from './guard/guard.ts';
import { type CallOptions, createHttp, type Http } from './http.ts';
import { type Runtime, SYSTEM_RUNTIME } from './runtime.ts';
import type {
  ApprovalDetail,
  BodyOf,
  Decision,
  DryRun,
  EnforceRequest,
  JsonObject,
  ProofAccepted,
  Receipt,
  SubmittedIntent,
} from './types.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

export interface CustosOptions {
  /** Address of the service. Default: the environment variable CUSTOS_URL, then `http://127.0.0.1:3000`. */
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
    throw new TypeError('url must be an http or https address without user name, query and fragment');
  return text.replace(/\/+$/, '');
}

/** @throws {TypeError} The message does not repeat the key. */
function checkedKey(key: string | undefined): string | undefined {
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

/** `dryRun` decides what the answer is. */
interface Evaluate {
  (request: EnforceRequest & { readonly dryRun: true }, options?: CallOptions): Promise<DryRun>;
  (request: EnforceRequest & { readonly dryRun?: false }, options?: CallOptions): Promise<Decision>;
}

function createResources(http: Http, runtime: Runtime) {
  const {
    call,
    list,
    listOf,
    put,
    read,
    readBy,
    readOne,
    readOneBy,
    readText,
    remove,
    removeWith,
    update,
    write,
    writeTo,
  } = createCalls(http);
  const wait = { http, runtime };
  const proofs = {
    /** Anchors a statement `{event, entityId, payload}`. The answer has a signed promise; the receipt follows within seconds. */
    create: write('/v1/proofs'),
    /** Anchors up to a hundred statements. */
    createBatch: write('/v1/proofs/batch'),
    /** The receipt of a proof, or its promise while it is not anchored yet. */
    get: readOne('/v1/proofs/{id}'),
    list: list('/v1/proofs'),
    /** The proofs of one entity, in the order of its chain. A page also has the chain's `head`. */
    chain: listOf('/v1/proofs/chain/{entityId}'),
    /** Lets the service verify a receipt. `@custos/client/verify` does it offline. */
    verify: (receipt: JsonObject, options?: CallOptions) =>
      call('post', '/v1/proofs/verify', { body: receipt }, options),
    /** Waits until a proof is anchored. @throws {TimeoutError} with the promise as `lastState` */
    waitAnchored: async (id: string, options?: WaitOptions): Promise<Receipt> =>
      (await waitUntil<Receipt | ProofAccepted>(
        wait,
        'GET /v1/proofs/{id}',
        id,
        (state) => 'checkpoint' in state,
        options,
      )) as Receipt,
  };
  return {
    intent: {
      /** Reads a text as a normalized intent. Nothing that the text asks for is done. */
      parse: write('/v1/intent'),
      get: readOne('/v1/intent/{id}'),
    },
    enforce: {
      /**
       * Asks whether an agent may do something. A negative decision is an answer, not an error: look at `allowed`.
       * With `dryRun: true` nothing is stored, and the answer is not a decision.
       */
      evaluate: write('/v1/enforce') as Evaluate,
      /** Up to a hundred questions; each answer is a decision, or an object with an `error`. */
      evaluateBatch: write('/v1/enforce/batch'),
    },
    decisions: {
      get: readOne('/v1/decisions/{id}'),
      list: list('/v1/decisions'),
      /** Reports what became of a permitted action; `not_carried_out` gives its budgets back. */
      reportOutcome: writeTo('/v1/decisions/{id}/outcome'),
    },
    intents: {
      /** Submits an intent that is decided in the background. */
      submit: write('/v1/intents'),
      get: readOne('/v1/intents/{id}'),
      list: list('/v1/intents'),
      /** Waits until a submitted intent is decided, or has failed. @throws {TimeoutError} with the `lastState` */
      waitDecided: (id: string, options?: WaitOptions): Promise<SubmittedIntent> =>
        waitUntil<SubmittedIntent>(
          wait,
          'GET /v1/intents/{id}',
          id,
          ({ status }) => status === 'decided' || status === 'failed',
          options,
        ),
    },
    approvals: {
      get: readOne('/v1/approvals/{id}'),
      list: list('/v1/approvals'),
      approve: writeTo('/v1/approvals/{id}/approve'),
      reject: writeTo('/v1/approvals/{id}/reject'),
      /** Waits until an approval is not pending any more. @throws {TimeoutError} with the `lastState` */
      waitDecided: (id: string, options?: WaitOptions): Promise<ApprovalDetail> =>
        waitUntil<ApprovalDetail>(wait, 'GET /v1/approvals/{id}', id, ({ status }) => status !== 'pending', options),
    },
    proofs,
    /** The same as `proofs`. */
    proof: proofs,
    agents: {
      create: write('/v1/agents'),
      get: readOne('/v1/agents/{agentId}'),
      list: list('/v1/agents'),
      update: update('/v1/agents/{agentId}'),
      /** Ends an agent for ever. */
      terminate: remove('/v1/agents/{agentId}'),
    },
    resources: {
      /** Registers a resource or a pattern such as `db/customers/*`, or replaces what is registered. */
      put: put('/v1/resources/{name}'),
      get: readOne('/v1/resources/{name}'),
      list: list('/v1/resources'),
      remove: remove('/v1/resources/{name}'),
    },
    trust: {
      /** Reports one observation of an agent's conduct. */
      signal: write('/v1/trust/signals'),
      /** Reports up to a thousand observations. */
      signals: write('/v1/trust/signals'),
      /** The score of an agent now, or `at` an earlier time. */
      get: readOneBy('/v1/trust/{agentId}'),
      history: listOf('/v1/trust/{agentId}/history'),
    },
    log: {
      /** The newest signed checkpoint, as the text of a signed note. */
      checkpoint: readText('/v1/log/checkpoint'),
      checkpoints: list('/v1/log/checkpoints'),
      /** The keys that sign checkpoints and promises: what offline verification needs. */
      keys: read('/v1/log/keys'),
      consistency: readBy('/v1/log/consistency'),
      leaves: readBy('/v1/log/leaves'),
    },
    keys: {
      /** Creates an API key. Only this answer has its secret. */
      create: write('/v1/auth/keys'),
      list: list('/v1/auth/keys'),
      revoke: remove('/v1/auth/keys/{keyId}'),
      rotate: writeTo('/v1/auth/keys/{keyId}/rotate'),
    },
    policies: {
      /** The policy set in force. */
      active: read('/v1/policies'),
      get: readOne('/v1/policies/{digest}'),
      validate: write('/v1/policies/validate'),
      /** Compares a draft with the decisions on record: the report, or a replay that runs in the background. */
      replay: write('/v1/policies/replay'),
      getReplay: readOne('/v1/policies/replays/{id}'),
      shadow: read('/v1/policies/shadow'),
      /** Puts a policy set into force, or the organisation's own policies. With approvals required, it waits for one. */
      push: write('/v1/policies'),
      /** Puts a stored policy set into force again. */
      rollback: write('/v1/policies/rollback'),
      /** Puts the set of the policy folder into force, and its later edits. */
      followFolder: write('/v1/policies/follow-folder'),
      /** Puts a staged set into force for all organisations. */
      promote: write('/v1/policies/promote'),
      /** Drops a stage: its organisations get the set that is in force for all. */
      dropStage: removeWith('/v1/policies/stages/{digest}'),
      /** Withdraws the organisation's own policies. */
      withdraw: (body: BodyOf<'delete', '/v1/policies'>, options?: CallOptions) =>
        call('delete', '/v1/policies', { body }, options),
      /** The difference of two stored policy sets. */
      difference: readBy('/v1/policies/difference'),
      /** The changes of the policy set that needed approval, newest first. */
      /** The staged sets, with what shares in shadow have shown. */
      stages: read('/v1/policies/stages'),
      /** The history of policy sets, newest first. */
      activations: list('/v1/policies/activations'),
      approvals: list('/v1/policies/approvals'),
      getApproval: readOne('/v1/policies/approvals/{approvalId}'),
      approve: writeTo('/v1/policies/approvals/{approvalId}/approve'),
      reject: writeTo('/v1/policies/approvals/{approvalId}/reject'),
    },
    tools: {
      /** The tool catalogues in force. */
      list: list('/v1/tools'),
      get: readOne('/v1/tools/{server}'),
    },
    halt: {
      /** Halts the key's environment: every question is denied until it is lifted. */
      set: write('/v1/halt'),
      get: read('/v1/halt'),
      lift: (body: { readonly reason?: string | undefined } = {}, options?: CallOptions) =>
        call('delete', '/v1/halt', { body }, options),
    },
    reference: {
      tiers: read('/v1/reference/tiers'),
      rateLimits: read('/v1/reference/rate-limits'),
      errors: read('/v1/reference/errors'),
      scopes: read('/v1/reference/scopes'),
    },
    health: read('/health'),
    ready: read('/ready'),
  };
}

type Resources = ReturnType<typeof createResources>;

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
