// A guarded function of a conformance case.
import type { Custos, GuardOptions, ObligationHandler } from '../src/index.ts';
import type { Arguments } from './conformance-calls.ts';
import { FunctionError } from './conformance-errors.ts';

const HANDLERS: Readonly<Record<string, ObligationHandler<Arguments>>> = {
  keep: () => undefined,
  throw: () => {
    throw new Error('the obligation can not be kept');
  },
  change: ({ type }, args) => ({ arguments: { ...args, changedBy: type } }),
  fail: () => ({
    result: (result) => {
      throw new Error(JSON.stringify(result));
    },
  }),
  result: ({ type }) => ({ result: (result) => ({ ...(result as object), keptBy: type }) }),
};

function handlersOf(names: unknown): Readonly<Record<string, ObligationHandler<Arguments>>> {
  return Object.fromEntries(
    Object.entries((names ?? {}) as Readonly<Record<string, string>>).flatMap(([type, name]) => {
      const handler = HANDLERS[name];
      return handler === undefined ? [] : [[type, handler]];
    }),
  );
}

/** Calls a guarded function. @param onRun is called each time the function runs */
export async function callGuarded(
  custos: Custos,
  step: Arguments,
  signal: AbortSignal,
  onRun: () => void,
): Promise<unknown> {
  const { arguments: given, obligations, function: kind = 'ok', calls = 1, approvalId, ...options } = step;
  const guarded = custos.guard<Record<string, unknown>, unknown>(
    // The case has the members of GuardOptions.
    { ...(options as unknown as GuardOptions<Record<string, unknown>>), obligations: handlersOf(obligations) },
    (args) => {
      onRun();
      if (kind === 'throw') throw new FunctionError('function failed');
      return { ran: true, arguments: args };
    },
  );
  let result: unknown;
  try {
    for (let call = 0; call < Number(calls); call += 1) {
      const args = structuredClone(given ?? {}) as Record<string, unknown>;
      const running = guarded(args, {
        signal,
        approvalId: call === 0 ? (approvalId as string | undefined) : undefined,
      });
      if (kind === 'mutate') for (const name of [...Object.keys(args), 'added']) args[name] = 'changed by the caller';
      result = await running;
    }
    return result;
  } finally {
    await custos.flush();
  }
}
