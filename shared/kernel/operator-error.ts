// The base of errors that an operator can act on, such as a bad setting.

/** The message is one or more sentences that say what to do. At the shell it is printed without a stack. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
