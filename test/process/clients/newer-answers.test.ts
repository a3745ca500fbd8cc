// A client of this version reads the answers of later minor versions: every answer of the description, changed as the rules allow.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import type { CallCase, CallStep } from '../../drift/conformance/call-case.ts';
import { OPERATIONS } from '../../drift/conformance/calls-real.ts';
import { callCases } from '../../drift/conformance/files.ts';
import { examplesFrom, startScriptedServer } from '../../support/scripted-server.ts';
import { describeUnless } from '../../support/skip.ts';
import { type Description, type NewerAnswer, newerAnswers, UNKNOWN_VALUE } from './newer-answers.ts';
import { LANGUAGES, type Runner, startRunner, whyNot } from './runners.ts';

const description = JSON.parse(readFileSync(path.join(findRoot(), 'docs', 'openapi.json'), 'utf8')) as Description;
const exampleOf = examplesFrom(description);

/** The arguments with which a case calls an operation; what they take from earlier steps is a text, or an empty receipt. */
function argumentsOf(call: string): Readonly<Record<string, unknown>> {
  const calls = callCases().flatMap(({ steps }) => steps.filter((one) => one.call === call));
  const given = calls.find(({ expect: { result } }) => result !== undefined) ?? calls[0];
  const filled: unknown = JSON.parse(JSON.stringify(given?.arguments ?? {}), (name, value: unknown) => {
    if (typeof value !== 'string' || !value.includes('${')) return value;
    return name === 'receipt' ? {} : 'text';
  });
  return filled as Readonly<Record<string, unknown>>;
}

/** As many questions as the answer has decisions: a client refuses another number. */
function argumentsFor(call: string, answer: unknown): Readonly<Record<string, unknown>> {
  const given = argumentsOf(call);
  if (call !== 'enforce.evaluateBatch') return given;
  const { requests } = given as { readonly requests: readonly unknown[] };
  const { decisions } = answer as { readonly decisions: readonly unknown[] };
  return { requests: decisions.map(() => requests[0]) };
}

/** A call without `dry_run` takes no answer of a dry run, and the client has no other call that is answered so. */
const isAnswerOf = (call: string, { body }: NewerAnswer): boolean =>
  call !== 'enforce.evaluate' || !Object.hasOwn(body as object, 'dry_run');

/** The calls of an operation whose answers are JSON, and every answer that a later version may give to it. */
const CASES = Object.entries(OPERATIONS)
  .map(([call, operation]) => ({
    call,
    answers: newerAnswers(operation, description).filter((one) => isAnswerOf(call, one)),
  }))
  .filter(({ answers }) => answers.length > 0);

async function failuresOf(runner: Runner, { call, answers }: (typeof CASES)[number]): Promise<readonly string[]> {
  const replies = answers.map(({ status, body }) => ({ status, body }));
  const server = await startScriptedServer({ replies }, exampleOf);
  try {
    const steps = answers.map(({ body }): CallStep => ({ call, arguments: argumentsFor(call, body), expect: {} }));
    const sent: Omit<CallCase, 'server'> = { name: call, client: { retries: 0 }, steps };
    const ran = await runner.run({
      kind: 'calls',
      url: server.url,
      key: 'cus_live_a-key-of-a-test',
      env: {},
      case: sent,
    });
    const printed = (ran['steps'] ?? []) as readonly { readonly result?: unknown; readonly error?: object }[];
    return answers.flatMap(({ change, unknownValues }, i) => {
      const { result, error } = printed[i] ?? {};
      if (error !== undefined || result === undefined) return [`${call}, ${change}: ${JSON.stringify(error ?? ran)}`];
      const kept = JSON.stringify(result).split(UNKNOWN_VALUE).length - 1;
      return kept === unknownValues ? [] : [`${call}, ${change}: ${kept} of ${unknownValues} values are kept`];
    });
  } finally {
    await server.close();
  }
}

describe('Answers of later minor versions', () => {
  it('are there for every operation that a client wraps, except those whose answer is a text', () => {
    const covered = new Set(CASES.map(({ call }) => call));
    expect(Object.keys(OPERATIONS).filter((call) => !covered.has(call))).to.deep.equal(['log.checkpoint']);
    const changes = new Set(CASES.flatMap(({ answers }) => answers.map(({ change }) => change)));
    expect([...changes]).to.include.members([
      'unknown members',
      'no optional member',
      'unknown values of enumerations',
    ]);
  });

  for (const language of LANGUAGES)
    describeUnless(whyNot(language), `the ${language.name} client`, () => {
      let runner: Runner;
      before(() => {
        runner = startRunner(language);
      });
      after(async () => {
        const { code, stderr } = await runner.end();
        expect(code, stderr.slice(-2_000)).to.equal(0);
      });

      for (const one of CASES)
        it(`are read by ${one.call}`, async () => {
          expect(await failuresOf(runner, one)).to.deep.equal([]);
        });
    });
});
