// Types of requests and answers, taken from the generated description by path and method.
import type { components, paths } from './generated/api.ts';

type Schemas = components['schemas'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have an operation for this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Readonly<Record<M, { responses: unknown }>> ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends PathOf<M>> = paths[P][M];

/** The JSON of the 2xx answers; text where there is only text. */
export type AnswerOf<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R } ? ContentOf<R[keyof R]> : never;
type ContentOf<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : C extends { 'text/plain': infer T }
      ? T
      : never
  : never;

export type BodyOf<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never;

export type QueryOf<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } } ? Extract<Q, object> : never;

/** An object that belongs to the caller; its members are never respelled. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type Intent = Schemas['Intent'];
export type IntentRequest = Schemas['IntentRequest'];
export type EnforceRequest = Schemas['EnforceRequest'];
export type Decision = Schemas['Decision'];
export type DryRun = Schemas['DryRun'];
export type DecisionOnRecord = Schemas['DecisionOnRecord'];
export type Obligation = Schemas['Obligation'];
export type SignedPromise = Schemas['Promise'];
export type SubmittedIntent = Schemas['SubmittedIntent'];
export type Approval = Schemas['Approval'];
export type ApprovalDetail = Schemas['ApprovalDetail'];
export type Receipt = Schemas['Receipt'];
export type ProofAccepted = Schemas['ProofAccepted'];
export type Agent = Schemas['Agent'];
export type Trust = Schemas['Trust'];
export type ToolAnnotations = Exclude<Schemas['ToolCall']['annotations'], undefined>;
