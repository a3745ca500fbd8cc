// Imported documents of the Agent Governance Toolkit against its own rule: the first of all rules that matches decides, by priority.
import { expect } from 'chai';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { importAgt } from '../../../shared/core/policy/import/agt.ts';
import { withNamedConditions } from '../../../shared/core/policy/import/named.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { compileLexicon, factsWith, LEXICON } from '../policy/support.ts';
import { runs } from './runs.ts';

interface Comparison {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}
type Condition =
  | Comparison
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };
interface Rule {
  readonly name: string;
  readonly action: string;
  readonly priority: number;
  readonly condition: Condition;
}
interface Document {
  readonly name: string;
  readonly defaults: { readonly action: string };
  readonly rules: readonly Rule[];
}
type Values = Readonly<Record<string, unknown>>;

const PYTHON: Readonly<Record<string, (actual: never, value: never) => boolean>> = {
  eq: (actual, value) => actual === value,
  ne: (actual, value) => actual !== value,
  gt: (actual, value) => actual > value,
  lte: (actual, value) => actual <= value,
  in: (actual, value: readonly unknown[]) => value.includes(actual),
  not_in: (actual, value: readonly unknown[]) => !value.includes(actual),
  contains: (actual: string, value: string) => actual.includes(value),
  // `$` also stands before a last line feed.
  matches: (actual: string, value: string) => new RegExp(value.replace(/\$$/, '(?:$|(?=\\n$))')).test(actual),
  exists: () => true,
};

function matches(condition: Condition, values: Values): boolean {
  if ('all' in condition) return condition.all.every((part) => matches(part, values));
  if ('any' in condition) return condition.any.some((part) => matches(part, values));
  if ('not' in condition) return !matches(condition.not, values);
  const actual = values[condition.field];
  return actual !== undefined && PYTHON[condition.operator]?.(actual as never, condition.value as never) === true;
}

const VERDICTS: Readonly<Record<string, string>> = { allow: 'ALLOW', deny: 'DENY', escalate: 'ESCALATE' };
const STRICTNESS = ['ALLOW', 'ESCALATE', 'DENY'];

/** The toolkit's answer: the first document says what no rule decides. */
function toolkits(documents: readonly Document[], values: Values): string | undefined {
  const all = documents.flatMap(({ rules }) => rules).sort((a, b) => b.priority - a.priority);
  const first = all.find(({ condition }) => matches(condition, values));
  return VERDICTS[first?.action ?? documents[0]?.defaults.action ?? ''];
}

const comparison = fc.oneof(
  fc.record({
    field: fc.constant('tool_name'),
    operator: fc.constantFrom('eq', 'ne'),
    value: fc.constantFrom('read', 'write'),
  }),
  fc.record({
    field: fc.constant('tool_name'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.constant(['read', 'list']),
  }),
  fc.record({ field: fc.constant('amount'), operator: fc.constantFrom('eq', 'ne', 'gt', 'lte'), value: fc.nat(3) }),
  fc.record({
    field: fc.constant('message'),
    operator: fc.constant('contains'),
    value: fc.constantFrom('a', '.', 'b+'),
  }),
  fc.record({
    field: fc.constant('message'),
    operator: fc.constant('matches'),
    value: fc.constantFrom('^a', 'b$', 'a.b'),
  }),
  fc.record({ field: fc.constantFrom('amount', 'message'), operator: fc.constant('exists') }),
);
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    comparison,
    fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('condition') }),
  ),
}));
const documentNamed = (name: string): fc.Arbitrary<Document> =>
  fc.record({
    name: fc.constant(name),
    defaults: fc.record({ action: fc.constantFrom('allow', 'deny') }),
    rules: fc.array(
      fc.record({
        name: fc.constant('rule'),
        action: fc.constantFrom('allow', 'deny', 'escalate'),
        priority: fc.nat(3),
        condition,
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
const questions = fc.record({
  tool_name: fc.constantFrom('read', 'write', 'list'),
  amount: fc.option(fc.nat(3), { nil: undefined }),
  message: fc.option(fc.constantFrom('ab', 'ba', 'a.b', 'b+\n', ''), { nil: undefined }),
});

async function verdicts(documents: readonly Document[], asked: readonly Values[]): Promise<string[]> {
  const sources = documents.map((document) => ({ name: `${document.name}.yaml`, text: stringify(document) }));
  const { files } = importAgt(sources, { lexicon: shippedLexicon(), fields: {} });
  const loaded = loadPolicySet(
    withNamedConditions(files).map(({ path, json }) => ({ path, text: JSON.stringify(json) })),
    LEXICON,
    { compileLexicon },
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
  const evaluator = createEvaluator({ set: loaded.set });
  const found: string[] = [];
  for (const { tool_name: name, ...context } of asked) {
    const tool = { server: 'any', name, arguments: {}, arguments_digest: 'sha256:', known: true, changed: false };
    const given = Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
    found.push((await evaluator.evaluate(factsWith({ context: given, tool }))).verdict);
  }
  return found;
}

describe('imported documents of the Agent Governance Toolkit', () => {
  it('decide as it does where all fields are there, and never more permissively', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentNamed('one'),
        fc.array(questions, { minLength: 1, maxLength: 6 }),
        async (document, asked) => {
          const found = await verdicts([document], asked);
          for (const [i, question] of asked.entries()) {
            const wanted = toolkits([document], question) ?? '';
            const isWhole = Object.values(question).every((value) => value !== undefined);
            if (isWhole) expect(found[i], JSON.stringify(question)).to.equal(wanted);
            else expect(STRICTNESS.indexOf(found[i] ?? '')).to.be.at.least(STRICTNESS.indexOf(wanted));
          }
        },
      ),
      runs(150),
    );
  });

  it('that belong together never decide more permissively than it does, in whichever order it loads them', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentNamed('one'),
        documentNamed('two'),
        fc.array(questions, { minLength: 1, maxLength: 4 }),
        async (one, two, asked) => {
          const found = await verdicts([one, two], asked);
          for (const [i, question] of asked.entries())
            for (const order of [
              [one, two],
              [two, one],
            ])
              expect(STRICTNESS.indexOf(found[i] ?? ''), JSON.stringify(question)).to.be.at.least(
                STRICTNESS.indexOf(toolkits(order, question) ?? ''),
              );
        },
      ),
      runs(150),
    );
  });
});
