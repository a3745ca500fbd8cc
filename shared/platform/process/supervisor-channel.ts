// The channel to the supervisor. It ends with a supervisor that was killed, while this process still finishes its running requests.

/** The part of `process` that talks with the supervisor. `send` can't be called: without a callback, a closed channel ends the process. */
export interface SupervisedProcess extends Pick<NodeJS.Process, 'on'> {
  /** Absent without a supervisor. */
  readonly send?: unknown;
}

type Send = (
  message: object,
  handle: undefined,
  options: undefined,
  callback: (error: Error | null) => void,
) => boolean;

/** Sends a message, if there is a supervisor. @param onLost called when it does not get the message */
export function tellSupervisor(host: SupervisedProcess, message: object, onLost: () => void = () => undefined): void {
  const send = host.send as Send | undefined;
  if (send === undefined) onLost();
  else send.call(host, message, undefined, undefined, (error) => error !== null && onLost());
}
