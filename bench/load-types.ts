// What the benchmark and its load generator, which is another process, tell each other.

export interface LoadJob {
  readonly port: number;
  /** Kept-alive connections; each has one request under way at a time. */
  readonly connections: number;
  /** Requests of this time are not counted. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly path: string;
  readonly key: string;
  /** JSON texts, taken in turn. */
  readonly bodies: readonly string[];
  /** Digits in each body that are replaced by a number never used before; of equal length. */
  readonly replace?: string;
  /** The status that counts. Default: 200. */
  readonly status?: number;
  /** Ends after this many requests, if that is before its time. */
  readonly most?: number;
}

export interface LoadResult {
  /** Answers within the measured time, and how long that was. */
  readonly answers: number;
  readonly elapsedMs: number;
  /** Answers of another status and connections that broke, all told. */
  readonly errors: number;
  /** Answers of that status all told, warm-up included: what must be on record. */
  readonly accepted: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** What the first answer of another status said. */
  readonly firstError: string | undefined;
}
