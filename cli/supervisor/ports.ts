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

/**
 * Tries until the port can be used. @returns the port in use @throws {SetupError} a sentence
 * @param attempt such as tryPort: gives the port, or the code of an error
 */
export async function untilUsable(
  { host, port }: Place,
  { waitMs, stop }: Patience,
  attempt: (place: Place) => Promise<number | string> = tryPort,
): Promise<number> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const result = await attempt({ host, port });
    if (typeof result === 'number') return result;
    if (stop.aborted) return port;
    if (result !== 'EADDRINUSE') throw new SetupError(`Cannot listen on ${host} port ${port}: ${result}.`);
    if (performance.now() >= deadline)
      throw new SetupError(
        `Port ${port} of ${host} is in use by another program. Choose another with PORT; PORT=0 picks a free one.`,
      );
    await delay(50);
  }
}

/**
 * Ports for `count` processes: `first` and the following ones; with 0 free ones.
 * @param isDemanded false: a port that is in use is replaced by a free one
 * @param variable names the setting in the error @throws {SetupError} a sentence
 */
export async function portsFrom(
  { host, port: first }: Place,
  count: number,
  isDemanded: boolean,
  variable: string,
): Promise<number[]> {
  const ports: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const wanted = first === 0 ? 0 : first + index;
    const result = wanted > 65_535 ? 'EADDRINUSE' : await tryPort({ host, port: wanted });
    if (typeof result === 'number') ports.push(result);
    else if (isDemanded)
      throw new SetupError(
        `Port ${wanted} of ${host} cannot be used (${result}): ${count} processes need the ports from ${variable} on. Choose another; 0 picks free ones.`,
      );
    else ports.push(Number(await tryPort({ host, port: 0 })));
  }
  return ports;
}
