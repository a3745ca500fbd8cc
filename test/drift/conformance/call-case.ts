// The shape of the cases in clients/conformance/calls.json; its README.md describes every member.

export interface ScriptedReply {
  /** `METHOD /path`; absent: any request. */
  readonly when?: string;
  readonly status?: number;
  /** null: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** JSON, or a text that is sent as it is. */
  readonly body?: unknown;
  /** operationId: `body` replaces members of that operation's example. */
  readonly like?: string;
  /** Completes `body` to a decision about the question of the request. */
  readonly decision?: true;
  /** Members in front of those of the body, as they are written there. */
  readonly before?: string;
  /** A text in front of the body. */
  readonly prefix?: string;
  readonly delayMs?: number;
  /** Time between the ten pieces of the body. */
  readonly pieceMs?: number;
  readonly truncate?: number;
  readonly reset?: true;
  readonly bytes?: number;
}

export interface ExpectedError {
  /** Alternatives are separated by `|`. */
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface CallStep {
  readonly call: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly cancelAfterMs?: number;
  readonly expect: {
    readonly result?: unknown;
    readonly error?: ExpectedError;
    readonly ran?: number;
    readonly elapsedMs?: readonly [least: number, most: number];
  };
}

export interface ExpectedRequests {
  readonly method: string;
  readonly path: string;
  readonly count: number | readonly [least: number, most: number];
  /** Different Idempotency-Keys; each of them is present. */
  readonly distinct?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text that none of the bodies contains. */
  readonly without?: string;
  /** A part of the last request's body. */
  readonly body?: unknown;
}

export interface CallCase {
  readonly name: string;
  readonly server:
    | 'real'
    | 'refused'
    | {
        readonly replies: readonly ScriptedReply[];
        readonly last?: 'repeat' | 'refuse';
        /** What follows the server's address in the `url` of the client. */
        readonly base?: string;
      };
  readonly client?: { readonly timeoutMs?: number; readonly retries?: number; readonly wallClockOffsetHours?: number };
  readonly key?: string;
  readonly steps: readonly CallStep[];
  readonly requests?: readonly ExpectedRequests[];
}
