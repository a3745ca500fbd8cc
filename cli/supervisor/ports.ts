// Finds ports that are free, for an error in one sentence before a process fails on one that is not.
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '../../shared/platform/embedded/account.ts';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens for a moment. @returns the port, or the code of the error */
export function tryPort({ host, port }: Place): Promise<number | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

export interface Patience {
  /** How long a port that is in use is tried again: the processes of a supervisor that was killed may still be ending. */
  readonly waitMs: number;
  readonly stop: AbortSignal;
}

const NO_PATIENCE: Patience = { waitMs: 0, stop: new AbortController().signal };

/** Gives the port, or the code of an error. */
type Attempt = (place: Place) => Promise<number | string>;

/** Tries while the port is in use, until patience ends. @returns the port in use, or the code of the error */
async function tryFor(place: Place, { waitMs, stop }: Patience, attempt: Attempt): Promise<number | string> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const result = await attempt(place);
    if (result !== 'EADDRINUSE' || stop.aborted || performance.now() >= deadline) return result;
    await delay(50);
  }
}

/**
 * Tries until the port can be used. @returns the port in use @throws {SetupError} a sentence
 * @param attempt such as tryPort
 */
export async function untilUsable(place: Place, patience: Patience, attempt: Attempt = tryPort): Promise<number> {
  const { host, port } = place;
  const result = await tryFor(place, patience, attempt);
  if (typeof result === 'number') return result;
  if (patience.stop.aborted) return port;
  if (result !== 'EADDRINUSE') throw new SetupError(`Cannot listen on ${host} port ${port}: ${result}.`);
  throw new SetupError(
    `Port ${port} of ${host} is in use by another program. Choose another with PORT; PORT=0 picks a free one.`,
  );
}

/** Ports that several processes take one after the other. */
export interface PortRange extends Place {
  readonly count: number;
  /** false: a port that is in use is replaced by a free one. */
  readonly isDemanded: boolean;
  /** The setting of the first port. */
  readonly variable: string;
}

/**
 * Ports for `count` processes: `port` and the following ones; with 0 free ones.
 * @param taken ports that this service has, each with its setting
 * @param patience with a port that is demanded
 * @throws {SetupError} a sentence
 */
export async function portsFrom(
  { host, port: first, count, isDemanded, variable }: PortRange,
  taken: ReadonlyMap<number, string> = new Map(),
  patience: Patience = NO_PATIENCE,
): Promise<number[]> {
  const ports: number[] = [];
  const free = async (): Promise<number> => Number(await tryPort({ host, port: 0 }));
  for (let index = 0; index < count; index += 1) {
    const wanted = first === 0 ? 0 : first + index;
    const why = await whyNot({ host, port: wanted }, taken, isDemanded ? patience : NO_PATIENCE);
    if (why === undefined) ports.push(wanted === 0 ? await free() : wanted);
    else if (isDemanded)
      throw new SetupError(
        `Port ${wanted} of ${host} can't be used: ${why}. ${counted(count)} from ${variable} on. Choose another; 0 picks ${count === 1 ? 'a free one' : 'free ones'}.`,
      );
    else ports.push(await free());
  }
  return ports;
}

const counted = (count: number): string =>
  count === 1 ? 'A process needs the port' : `${count} processes need the ports`;

/** @returns why a port can't be used; undefined: it can be */
async function whyNot(
  place: Place,
  taken: ReadonlyMap<number, string>,
  patience: Patience,
): Promise<string | undefined> {
  if (place.port > 65_535) return 'the last port is 65535';
  const owner = taken.get(place.port);
  if (owner !== undefined) return `this service has it for ${owner}`;
  const result = await tryFor(place, patience, tryPort);
  if (typeof result === 'number') return undefined;
  return result === 'EADDRINUSE' ? 'another program uses it' : result;
}
