// The messages between the benchmark and its load generator, which is another process.

export interface LoadJob {
  readonly port: number;
  /** Kept-alive connections; each has one request in flight at a time. */
  readonly connections: number;
  /** Requests during this time are not counted. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly path: string;
  readonly key: string;
  /** JSON texts, sent in turn. */
  readonly bodies: readonly string[];
  /** Digits in each body that are replaced by a new number of equal length in every request. */
  readonly replace?: string;
  /** The expected status. Default: 200. */
  readonly status?: number;
  /** Requests per second, evenly spread, if as many are answered. Absent: each follows the answer to the one before. */
  readonly rate?: number;
}

export interface LoadResult {
  /** Answers with the expected status within the measured time, and that time. */
  readonly answers: number;
  readonly elapsedMs: number;
  /** All answers with another status, and broken connections. */
  readonly errors: number;
  /** All answers with the expected status, warm-up included. Each must be on record. */
  readonly accepted: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The first answer with another status. */
  readonly firstError: string | undefined;
}
