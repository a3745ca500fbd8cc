// Gauges about state that all processes share, such as rows: read at a scrape, and cached for a moment.
import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface SharedGauge<T> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly samples: (state: T) => Iterable<Sample>;
}

export interface SharedState<T> {
  readonly read: () => Promise<T>;
  readonly gauges: readonly SharedGauge<T>[];
  /** How long a state is used without reading it again. Default: 500, so that each scrape of a second reads it once. */
  readonly freshMs?: number;
  readonly monotonicMs: () => number;
}

const FRESH_MS = 500;
/** A scrape does not wait longer for a state. It is below a second, the shortest scrape interval and time-out in use. */
const DEADLINE_MS = 800;
/** While reads fail or are late, the last state is used for this much longer: a busy moment must not end an alert. */
const KEPT_MS = 4_000;

/** Adds the gauges. They are absent when the state cannot be read, such as while the database is away. */
export function watchState<T>(registry: Registry, state: SharedState<T>): void {
  const read = cached(state);
  for (const { name, help, labelNames = [], samples } of state.gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const value = await read();
        // `reset` would leave a gauge without labels at 0.
        if (labelNames.length === 0) this.remove();
        else this.reset();
        if (value === undefined) return;
        for (const sample of samples(value)) this.set({ ...sample.labels }, sample.value);
      },
    });
  }
}

/** Reads a state at most once at a time. Undefined: no state is recent enough. */
function cached<T>({ read, freshMs = FRESH_MS, monotonicMs }: SharedState<T>): () => Promise<T | undefined> {
  let last: { readonly value: T; readonly atMs: number } | undefined;
  let reading: Promise<void> | undefined;
  const lastWithin = (ageMs: number) => (last !== undefined && monotonicMs() - last.atMs < ageMs ? last : undefined);
  const start = async (): Promise<void> => {
    const atMs = monotonicMs();
    try {
      last = { value: await read(), atMs };
    } catch {
      // The next scrape reads again.
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    const fresh = lastWithin(freshMs);
    if (fresh !== undefined) return fresh.value;
    reading ??= start();
    await within(reading, DEADLINE_MS);
    return lastWithin(freshMs + KEPT_MS)?.value;
  };
}

async function within(work: Promise<void>, timeoutMs: number): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, delay(timeoutMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
  ended.abort();
}
