// The permission for one tool call. It is used once: by running a function, by reporting a run, or by giving the call up. It lapses.
import { CancelledError, RefusedError } from '../errors.ts';
import { buildCancelledError } from '../runtime.ts';
import type { Decision } from '../types.ts';
import type { KeptObligations } from './obligations.ts';
import type { FixedQuestion } from './question.ts';
import { refused, withheld } from './refusals.ts';
import type { CallReport, Reporter, ReportOptions } from './reports.ts';
import type { Validity } from './validity.ts';

export interface PermissionParts<Args extends object> {
  readonly question: FixedQuestion<Args>;
  readonly decision: Decision;
  readonly kept: KeptObligations<Args>;
  readonly validity: Validity;
  readonly reporter: Reporter;
  readonly options: ReportOptions & { readonly signal?: AbortSignal | undefined };
}

/** A function, or an iterator, such as what a generator function returns: what it does, it does when it is called or read. */
const isLazy = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function');

export class Permission<Args extends object> {
  /** The decision on record that permits the call. */
  readonly decision: Decision;
  /** What the tool has to be called with: a copy of the judged arguments, changed where an obligation demanded it. */
  readonly arguments: Args;
  readonly #parts: PermissionParts<Args>;
  #isUsed = false;
  #givenUp: Promise<void> = Promise.resolve();

  /** Only `authorize` makes permissions. */
  constructor(parts: PermissionParts<Args>) {
    this.#parts = parts;
    this.decision = parts.decision;
    this.arguments = parts.kept.arguments;
  }

  /**
   * Makes sure that the decision still stands: Custos is asked if that was seen more than a few seconds ago. `run` does this by itself; call
   * it right before something else runs the tool. A permission that has lapsed is given up.
   * @throws {RefusedError} when the decision does not stand any more, or (with a `cause`) when that can't be found out
   * @throws {CancelledError}
   */
  async confirm(signal = this.#parts.options.signal): Promise<void> {
    const { question, decision, validity } = this.#parts;
    try {
      const why = await validity(signal);
      if (signal?.aborted === true) throw buildCancelledError(signal);
      if (why !== undefined) throw refused(question, decision, why);
    } catch (cause) {
      void this.notCalled();
      if (cause instanceof RefusedError || cause instanceof CancelledError) throw cause;
      const why = `it is not known whether its decision still stands: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw refused(question, decision, why, { cause });
    }
  }

  /**
   * Runs the function with the arguments, reports the outcome, and returns the result as the obligations demand.
   * @throws {RefusedError} when the permission was used before, or has lapsed
   * @throws {CancelledError} when the signal was aborted before the function ran
   * @throws {RefusedError} with `hasRun`, instead of a result that can't be shown: an obligation could not be kept, or it is a function or an iterator
   * @throws what the function throws, as `applyObligationsToError` returns it
   */
  async run<Result>(fn: (args: Args, decision: Decision) => Result | Promise<Result>): Promise<Result> {
    await this.confirm();
    this.#use();
    let result: Result;
    try {
      result = await fn(this.arguments, this.decision);
    } catch (error) {
      this.#reportCalled({ outcome: 'failure' });
      throw this.applyObligationsToError(error);
    }
    if (isLazy(result)) {
      this.#reportCalled({ outcome: 'failure' });
      const { question, decision } = this.#parts;
      const why = 'its result is a function or an iterator, which would run without the decision; return what it gives';
      throw withheld(question, decision, why);
    }
    this.#reportCalled({ outcome: 'success', result });
    // A result function returns a value of the same kind: it removes parts of the result.
    return (await this.applyObligations(result)) as Result;
  }

  /** For a tool that was run without `run`: the result as the obligations demand. @throws {RefusedError} when one can't be kept */
  async applyObligations(result: unknown): Promise<unknown> {
    const { question, decision, kept } = this.#parts;
    let current = result;
    try {
      for (const apply of kept.resultFunctions) current = await apply(current);
    } catch (error) {
      // What a handler throws may contain the result (that of JSON.parse does), so only its name is told.
      const name = error instanceof Error ? error.constructor.name : typeof error;
      const why = `an obligation of its result could not be kept (${name}), so the result is withheld`;
      throw withheld(question, decision, why);
    }
    return current;
  }

  /**
   * For a tool that was run without `run` and has thrown: what to throw in its place. An error may contain what an obligation removes from
   * results, and can't be redacted: it is then replaced by a RefusedError without a `cause`.
   */
  applyObligationsToError(error: unknown): unknown {
    const { question, decision, kept } = this.#parts;
    if (kept.resultFunctions.length === 0) return error;
    return withheld(
      question,
      decision,
      'failed; its error is withheld, because an obligation of its result can not be applied to it',
    );
  }

  /**
   * For a tool that was run without `run`: reports the outcome, however long the tool has taken.
   * @throws {RefusedError} when the permission was used before
   */
  report(report: CallReport): void {
    this.#use();
    this.#reportCalled(report);
  }

  /**
   * Gives the permission up: reports that the tool was not called. Without effect on a permission that was used.
   * @returns when that is reported, which gives budgets back. It need not be awaited, and never fails.
   */
  notCalled(): Promise<void> {
    const { question, decision, reporter, options } = this.#parts;
    if (!this.#isUsed) {
      this.#isUsed = true;
      this.#givenUp = reporter.notCalled(question, decision, options);
    }
    return this.#givenUp;
  }

  #use(): void {
    const { question, decision } = this.#parts;
    if (this.#isUsed) throw refused(question, decision, 'its permission was used before, and is good for one call');
    this.#isUsed = true;
  }

  #reportCalled(report: CallReport): void {
    const { question, decision, reporter, options } = this.#parts;
    reporter.called(question, decision, report, options);
  }
}
