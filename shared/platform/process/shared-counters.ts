// Counters that several processes share through their supervisor, in fixed windows: the supervisor counts, processes ask.
import type { ChildProcess } from 'node:child_process';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type SupervisedProcess, tellSupervisor } from './supervisor-channel.ts';

/** A window of a key: its first unit begins it. */
export interface CounterSpec {
  /** Names the counter. */
  readonly prefix: string;
  /** Units of a window. */
  readonly points: number;
  /** Seconds of a window. */
  readonly duration: number;
}

/** Takes units, or gives them back when the number is negative. */
type Ask = readonly [spec: CounterSpec, key: string, units: number];
/** Units taken in this window, milliseconds until it ends, and whether there was room. */
type Told = readonly [consumed: number, endsInMs: number, allowed: boolean];

interface CountMessage {
  readonly type: 'count';
  readonly id: number;
  readonly asks: readonly Ask[];
}

interface CountedMessage {
  readonly type: 'counted';
  readonly id: number;
  readonly told: readonly Told[];
}

function isOf<M extends { type: string }>(type: M['type'], message: unknown): message is M {
  return (message as { type?: unknown } | null)?.type === type;
}

/** The side of the supervisor. @returns a function that serves a process */
export function countForProcesses(): (child: ChildProcess) => void {
  const counters = new Map<string, RateLimiterMemory>();
  const counterOf = ({ prefix, points, duration }: CounterSpec): RateLimiterMemory => {
    const known = counters.get(prefix);
    if (known !== undefined) return known;
    const made = new RateLimiterMemory({ keyPrefix: prefix, points, duration });
    counters.set(prefix, made);
    return made;
  };
  const tell = async ([spec, key, units]: Ask): Promise<Told> => {
    const counter = counterOf(spec);
    try {
      const { consumedPoints, msBeforeNext } = await (units < 0
        ? counter.reward(key, -units)
        : counter.consume(key, units));
      return [consumedPoints, msBeforeNext, true];
    } catch (refusal) {
      // In memory only a full window rejects.
      const { consumedPoints, msBeforeNext } = refusal as RateLimiterRes;
      return [consumedPoints, msBeforeNext, false];
    }
  };
  return (child) => {
    child.on('message', (message: unknown) => {
      if (!isOf<CountMessage>('count', message)) return;
      void Promise.all(message.asks.map(tell)).then((told) => {
        const answer: CountedMessage = { type: 'counted', id: message.id, told };
        // A process that has ended needs no answer.
        if (child.connected) child.send(answer, () => undefined);
      });
    });
  };
}

/** A counter as the library has it: `consume` rejects with the result when the window is full, and with an Error when nobody counts. */
export interface SharedCounter {
  consume(key: string, units: number): Promise<RateLimiterRes>;
  reward(key: string, units: number): Promise<RateLimiterRes>;
}

/** A supervisor that answers slower than this counts as away: it is frozen. */
const TIMEOUT_MS = 1_000;

interface Waiting {
  readonly settle: (told: Told) => void;
  readonly fail: (error: Error) => void;
}

/** The side of a process. What is asked in one turn of the event loop is one message. */
export function askSupervisor(host: SupervisedProcess): (spec: CounterSpec) => SharedCounter {
  let ids = 0;
  let asks: Ask[] = [];
  let askers: Waiting[] = [];
  const sent = new Map<number, readonly Waiting[]>();

  const finish = (id: number, settle: (waiting: Waiting, index: number) => void): void => {
    sent.get(id)?.forEach(settle);
    sent.delete(id);
  };
  const send = (): void => {
    const id = (ids += 1);
    const message: CountMessage = { type: 'count', id, asks };
    sent.set(id, askers);
    asks = [];
    askers = [];
    const away = (): void => finish(id, ({ fail }) => fail(new Error('the supervisor does not count')));
    tellSupervisor(host, message, away);
    // After a pause of this process, answers that have arrived are read first.
    setTimeout(() => setImmediate(away), TIMEOUT_MS).unref();
  };
  host.on('message', (message: unknown) => {
    if (!isOf<CountedMessage>('counted', message)) return;
    finish(message.id, ({ settle, fail }, index) => {
      const told = message.told[index];
      if (told === undefined) fail(new Error('the supervisor has not counted'));
      else settle(told);
    });
  });
  return (spec) => {
    const ask = (key: string, units: number): Promise<RateLimiterRes> =>
      new Promise((resolve, reject) => {
        if (asks.length === 0) setImmediate(send);
        asks.push([spec, key, units]);
        askers.push({
          settle([consumed, endsInMs, allowed]) {
            const result = new RateLimiterRes(Math.max(0, spec.points - consumed), endsInMs, consumed);
            if (allowed) resolve(result);
            else reject(result);
          },
          fail: reject,
        });
      });
    return { consume: ask, reward: (key, units) => ask(key, -units) };
  };
}
