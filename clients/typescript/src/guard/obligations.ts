// Obligations of a decision: each must have a handler, or the call is refused.
import type { Decision, Obligation } from '../types.ts';

/** How a call is carried out under an obligation. */
export interface Terms<Args extends object> {
  /** In place of the arguments that were judged. */
  readonly arguments?: Args;
  /** Applied to the result before the caller gets it. */
  readonly result?: (result: unknown) => unknown;
}

/**
 * Keeps one obligation. A handler that throws refuses the call.
 * @param args those that were judged, or those of an earlier handler
 */
export type ObligationHandler<Args extends object> = (
  obligation: Obligation,
  args: Args,
  // A handler that changes nothing returns nothing.
) => Terms<Args> | undefined | void | Promise<Terms<Args> | undefined | void>;

/** By type of obligation, for example `max_rows`. */
export type ObligationHandlers<Args extends object> = Readonly<Record<string, ObligationHandler<Args>>>;

export interface KeptObligations<Args extends object> {
  readonly arguments: Args;
  readonly resultFunctions: readonly ((result: unknown) => unknown)[];
}

/** @throws {Error} when an obligation has no handler, and what a handler throws */
export async function keepObligations<Args extends object>(
  { obligations }: Decision,
  args: Args,
  handlers: ObligationHandlers<Args>,
): Promise<KeptObligations<Args>> {
  // All before the first handler runs: a handler may have effects of its own.
  const kept = obligations.map((obligation) => {
    const handler = Object.hasOwn(handlers, obligation.type) ? handlers[obligation.type] : undefined;
    if (handler === undefined) throw new Error(`there is no handler for its obligation ${obligation.type}`);
    return { obligation, handler };
  });
  let current = args;
  const resultFunctions: ((result: unknown) => unknown)[] = [];
  for (const { obligation, handler } of kept) {
    const terms = await handler(obligation, current);
    if (terms?.arguments !== undefined) current = terms.arguments;
    if (terms?.result !== undefined) resultFunctions.push(terms.result);
  }
  return { arguments: current, resultFunctions };
}
