// The resources of the API: each function is one operation of the description.
import { createCalls } from './calls.ts';
import type { CallOptions, Http } from './http.ts';
import type { Runtime } from './runtime.ts';
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

/** `dryRun` decides what the answer is. */
interface Evaluate {
  (request: EnforceRequest & { readonly dryRun: true }, options?: CallOptions): Promise<DryRun>;
  (request: EnforceRequest & { readonly dryRun?: false }, options?: CallOptions): Promise<Decision>;
}

export function createResources(http: Http, runtime: Runtime) {
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
    /** Anchors up to a thousand statements: all of them or none. */
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
      /** The staged sets, with what shares in shadow have shown. */
      stages: read('/v1/policies/stages'),
      /** The history of policy sets, newest first. */
      activations: list('/v1/policies/activations'),
      /** The changes of the policy set that needed approval, newest first. */
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
    webhooks: {
      /** Creates a webhook. Only this answer has its secret. */
      create: write('/v1/webhooks'),
      list: list('/v1/webhooks'),
      /** Changes a webhook, disables or enables it. */
      update: update('/v1/webhooks/{webhookId}'),
      remove: remove('/v1/webhooks/{webhookId}'),
      /** Replaces the signing key. Only this answer has the secret. */
      rotate: writeTo('/v1/webhooks/{webhookId}/rotate'),
      deliveries: listOf('/v1/webhooks/{webhookId}/deliveries'),
      /** Sends a message again, under the same `webhook-id`. */
      replayDelivery: (webhookId: string, deliveryId: string, options?: CallOptions) =>
        call(
          'post',
          '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
          { path: [webhookId, deliveryId] },
          options,
        ),
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

export type Resources = ReturnType<typeof createResources>;
