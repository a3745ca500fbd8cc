// The client libraries in TypeScript, Python and Go run the cases of clients/conformance, each in its runner, started once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { OPERATIONS } from '../../drift/conformance/calls-real.ts';
import type { CallCase } from '../../drift/conformance/call-case.ts';
import { canonicalCases } from '../../drift/conformance/canonical-cases.ts';
import { definitionCases } from '../../drift/conformance/definition-cases.ts';
import { callCases, proofCases } from '../../drift/conformance/files.ts';
import { FILE_KEYS } from '../../drift/conformance/parts.ts';
import {
  examplesFrom,
  type ExampleOf,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';
import { holdRefusedAddress } from '../../support/refused-address.ts';
import { describeUnless } from '../../support/skip.ts';
import { requestsDifference, stepDifference } from './matching.ts';
import { type RealService, startRealService, type Tenant } from './real-service.ts';
import { LANGUAGES, type Runner, startRunner, whyNot } from './runners.ts';

const document = JSON.parse(readFileSync(path.join(findRoot(), 'docs', 'openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
};
const exampleOf: ExampleOf = examplesFrom(document);

/** Operations for browsers, gateways and scrapers, which no client wraps. */
const NOT_WRAPPED = /^GET \/(openapi\.json|schemas\/|metrics|\.well-known\/)|^POST \/access\//;

/** The first difference between what was printed and what is expected, of steps and of requests. */
function differenceIn(
  one: CallCase,
  answer: Readonly<Record<string, unknown>>,
  server: ScriptedServer | undefined,
): string | undefined {
  if (answer['crashed'] !== undefined) return `the runner crashed: ${JSON.stringify(answer['crashed'])}`;
  const printed = (answer['steps'] ?? []) as unknown[];
  for (const [i, step] of one.steps.entries()) {
    const difference = stepDifference(step, printed[i], printed);
    if (difference !== undefined) return `step ${i} (${step.call}): ${difference}`;
  }
  for (const expected of one.requests ?? []) {
    const difference = requestsDifference(expected, server?.requests ?? []);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

interface Ran {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly server: ScriptedServer | undefined;
}

async function runCalls(runner: Runner, one: CallCase, realUrl: string, { env, key }: Tenant): Promise<Ran> {
  const server = typeof one.server === 'object' ? await startScriptedServer(one.server, exampleOf) : undefined;
  const refused = one.server === 'refused' ? await holdRefusedAddress() : undefined;
  try {
    const base = typeof one.server === 'object' ? (one.server.base ?? '') : '';
    const url = ((server ?? refused)?.url ?? realUrl) + base;
    const { server: _, requests: __, ...sent } = one;
    return { answer: await runner.run({ kind: 'calls', url, key, env, case: sent }), server };
  } finally {
    await server?.close();
    await refused?.close();
  }
}

/** Cases that a runner works on at once: many of them wait. */
const AT_ONCE = 12;

/** Runs all cases, some at once. @returns what came of each, by its name; failures are in the promises */
function runAll(cases: readonly CallCase[], run: (one: CallCase) => Promise<Ran>): ReadonlyMap<string, Promise<Ran>> {
  const ends: Promise<unknown>[] = [];
  return new Map(
    cases.map((one, i) => {
      const free = ends[i - AT_ONCE] ?? Promise.resolve();
      const ran = free.then(() => run(one));
      ends.push(ran.catch(() => undefined));
      return [one.name, ran];
    }),
  );
}

describe('The conformance cases of calls', () => {
  it('have different names, and each operation that a client wraps has a case against a real service', () => {
    const cases = callCases();
    expect(new Set(cases.map(({ name }) => name)).size).to.equal(cases.length);
    const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    const wrapped = operations.filter((operation) => !NOT_WRAPPED.test(operation));
    expect(Object.values(OPERATIONS).sort()).to.deep.equal(wrapped.sort());
    const called = new Set(
      cases.filter(({ server }) => server === 'real').flatMap(({ steps }) => steps.map(({ call }) => call)),
    );
    expect(Object.keys(OPERATIONS).filter((call) => !called.has(call))).to.deep.equal([]);
  });
});

/** How a language writes the names of the cases. */
const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  typescript: (name) => name,
  python: (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  go: (name) => name.replace(/^./, (letter) => letter.toUpperCase()),
};

describe('The READMEs of the clients', () => {
  for (const [language, spelled] of Object.entries(SPELLINGS))
    it(`name each method of each resource: ${language}`, () => {
      const text = readFileSync(path.join(findRoot(), 'clients', language, 'README.md'), 'utf8');
      const missing = Object.keys(OPERATIONS).filter((call) => {
        const [resource = '', method] = call.split('.').map(spelled);
        const row = text.split('\n').find((line) => line.startsWith(`| \`${resource}\``));
        return method !== undefined && row?.includes(`\`${method}\``) !== true;
      });
      expect(missing).to.deep.equal([]);
    });
});

/** What a client computes without a service. */
function testFunctions(run: Runner['run']): void {
  it('verifies and refuses proofs with the names of failures that the service gives', async () => {
    const results = await Promise.all(
      proofCases().map(async (one) => {
        const { name, kind, input, keys = FILE_KEYS, ...expected } = one;
        const answer = await run({ kind: 'verify', keys, case: { name, kind, input } });
        // A runner may print more, such as the sentence of a failure.
        const names = Object.keys({ name, ...expected, failure: undefined });
        const printed = Object.fromEntries(
          names.flatMap((member) => (member in answer ? [[member, answer[member]]] : [])),
        );
        return { expected: { name, ...expected }, printed };
      }),
    );
    const wrong = results.filter(({ expected, printed }) => !isDeepStrictEqual(expected, printed));
    expect(wrong.map(({ printed }) => printed)).to.deep.equal(wrong.map(({ expected }) => expected));
  });

  it('writes canonical JSON as the service does, and refuses what it refuses', async () => {
    const results = await Promise.all(
      canonicalCases().map(async (one) => {
        const { name, input } = one;
        return {
          ...one,
          canonical: (await run({ kind: 'canonical', case: { name, input } }))['canonical'] ?? null,
        };
      }),
    );
    const wrong = results.filter((result, i) => !isDeepStrictEqual(result, canonicalCases()[i]));
    expect(wrong).to.deep.equal([]);
  });

  it('gives the definition of a tool the digest that the service gives it', async () => {
    const results = await Promise.all(
      definitionCases().map(async ({ name, input }) => {
        const { digest = null } = await run({ kind: 'definition', case: { name, input } });
        return { name, input, digest };
      }),
    );
    expect(results).to.deep.equal(definitionCases());
  });
}

describe('Clients', () => {
  let real: RealService;
  before(async () => {
    if (LANGUAGES.some((language) => whyNot(language) === undefined)) real = await startRealService();
  });
  after(() => real?.close());

  for (const language of LANGUAGES) {
    describeUnless(whyNot(language), `the ${language.name} client`, () => {
      let runner: Runner;
      let calls: ReadonlyMap<string, Promise<Ran>>;
      const run: Runner['run'] = (line) => runner.run(line);
      before(async () => {
        const tenant = await real.addTenant(`of-${language.name}`);
        const url = real.service.ingress.address;
        runner = startRunner(language);
        calls = runAll(callCases(), (one) => runCalls(runner, one, url, tenant));
      });
      after(async () => {
        // Each closes its scripted server at its end.
        await Promise.allSettled(calls.values());
        const { code, stderr } = await runner.end();
        expect(code, stderr.slice(-2_000)).to.equal(0);
      });

      if (language.differsInCalls !== true) testFunctions(run);

      for (const one of callCases())
        it(one.name, async () => {
          const ran = await calls.get(one.name);
          const difference = ran === undefined ? 'it did not run' : differenceIn(one, ran.answer, ran.server);
          if (difference !== undefined) throw new Error(difference);
        });
    });
  }
});
