// The linter, case by case: its findings, their positions and witnesses, and valid sets without findings. Includes the guide's examples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseJsonWithPositions } from '../../../shared/kernel/json.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { LINT_CODES, lintPolicySet } from '../../../shared/core/policy/lint.ts';
import type { LintFinding, Witness } from '../../../shared/core/policy/lint.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { all, is, level } from './lint-case.ts';
import { CASES as FIRST_CASES } from './lint-cases.ts';
import { OPENING_CASES } from './lint-cases-openings.ts';
import { RESOURCE_CASES } from './lint-cases-resources.ts';
import { TOOL_CASES } from './lint-cases-tools.ts';
import { SURROUNDINGS, WORD_CASES } from './lint-cases-words.ts';
import { filesOf, policy, setOf } from './support.ts';
import type { PolicyLike } from './support.ts';

const CASES = [...FIRST_CASES, ...OPENING_CASES, ...WORD_CASES, ...TOOL_CASES, ...RESOURCE_CASES];

const reported = (findings: readonly LintFinding[]): string[] =>
  findings.map(({ severity, code, policy: id, pointer }) => `${severity} ${code} ${id} ${pointer}`);

function witnessIn({ witness, message }: LintFinding): Witness {
  if (witness === undefined) throw new Error(`no witness: ${message}`);
  return witness;
}

/** Evaluates a witness with json-rules-engine, which the linter itself does not use. */
async function expectTrue(policies: readonly PolicyLike[], finding: LintFinding): Promise<void> {
  const witness = witnessIn(finding);
  const fewer = policies
    .map((one) => ({
      ...one,
      rules: one.rules.filter(({ name }) => one.id !== finding.policy || name !== finding.rule),
    }))
    .filter((one) => one.rules.length > 0);
  const isIntake = typeof witness.answer === 'number';
  const [answer, without] = await Promise.all(
    [policies, fewer].map(async (some) => {
      const evaluator = createEvaluator({ set: setOf(some) });
      return isIntake
        ? (await evaluator.assessRisk(witness.facts)).score
        : (await evaluator.evaluate(witness.facts)).verdict;
    }),
  );
  expect({ answer, without }, witness.shows).to.deep.equal({ answer: witness.answer, without: witness.without });
}

/** All cases as one set, and its findings: each takes a second. */
const together = lazily(() =>
  setOf(CASES.flatMap(({ policies: some }, i) => some.map((one) => ({ ...one, id: `${one.id}-${i}` })))),
);
const foundTogether = lazily(() => lintPolicySet(together()));

function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

describe('policy lint', () => {
  for (const { name, policies, says } of CASES) {
    it(`${name}: ${says.length === 0 ? 'no finding' : says.join(', ')}`, async () => {
      const findings = lintPolicySet(setOf(policies), SURROUNDINGS);
      expect(reported(findings), findings.map(({ message }) => message).join('; ')).to.deep.equal(says);
      for (const finding of findings) await expectTrue(policies, finding);
    });
  }

  it('has the same findings in any order of files and rules, and when repeated', () => {
    const policies = CASES.filter(({ says }) => says.length > 0).flatMap(({ policies: some }, i) =>
      some.map((one) => ({ ...one, id: `${one.id}-${i}`, target: { ...one.target, organisations: [`o${i}`] } })),
    );
    const findings = lintPolicySet(setOf(policies));
    expect(findings.length).to.be.greaterThan(20);
    expect(lintPolicySet(setOf([...policies].reverse()))).to.deep.equal(findings);
  });

  it('reports only errors when only errors are requested', () => {
    const errors = lintPolicySet(together(), { errorsOnly: true });
    expect(errors.length).to.be.greaterThan(10);
    expect(new Set(errors.map(({ severity }) => severity))).to.deep.equal(new Set(['error']));
    const isError = ({ severity }: LintFinding): boolean => severity === 'error';
    expect(reported(errors)).to.deep.equal(reported(foundTogether().filter(isError)));
  });

  it('reports a subset of its findings when its budget is small', () => {
    const everything = reported(lintPolicySet(together(), { budget: Number.POSITIVE_INFINITY }));
    expect(reported(foundTogether())).to.deep.equal(everything);
    const counts = [0, 1_000, 10_000, 50_000].map((budget) => {
      const findings = reported(lintPolicySet(together(), { budget }));
      expect(everything.filter((one) => one.startsWith('error'))).to.include.members(
        findings.filter((one) => one.startsWith('error')),
      );
      return findings.length;
    });
    expect(counts[0]).to.equal(0);
    expect(counts[3]).to.be.lessThan(everything.length);
  });

  it('searches all errors before warnings, whatever the budget of the warnings', () => {
    const isError = ({ severity }: LintFinding): boolean => severity === 'error';
    const findings = foundTogether();
    const hurried = lintPolicySet(together(), { warningsBudget: 20_000 });
    expect(reported(hurried.filter(isError))).to.deep.equal(reported(findings.filter(isError)));
    expect(hurried.length).to.be.lessThan(findings.length);
  });

  it('charges evaluations to its budget, so that many rules with one target take bounded time', () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      policy(
        `p-${i}`,
        ['DENY', 'ALLOW', 'ESCALATE'][i % 3] ?? 'DENY',
        all(is(`context.a${i % 50}`, 'equal', i % 50), is(`context.b${(7 * i) % 90}`, 'equal', i)),
      ),
    );
    const set = setOf(many);
    const { enforce } = set.compiled;
    let candidates = 0;
    const counting: typeof enforce = {
      ...enforce,
      find(request) {
        const found = enforce.find(request);
        candidates += found.length;
        return found;
      },
    };
    lintPolicySet({ policies: set.policies, compiled: { ...set.compiled, enforce: counting } }, { budget: 1_000_000 });
    // An evaluation in progress may exceed the budget.
    expect(candidates).to.be.within(1, 1_000_000 / 8 + 10 * many.length);
  });

  it('points into the file', () => {
    const policies = [policy('p', 'DENY', all(is('intent.effect', 'equal', 'read'), level('greaterThan', 7)))];
    const [finding] = lintPolicySet(setOf(policies));
    const text = filesOf(policies)[0]?.text ?? '';
    const { line } = parseJsonWithPositions(text).locate(finding?.pointer ?? '');
    expect(
      text
        .split('\n')
        .slice(line - 1, line + 3)
        .join(' '),
    ).to.match(/"trust".*"level"/);
  });

  describe('guide', () => {
    const guide = readFileSync(join(findRoot(), 'docs', 'guides', 'lint-findings.md'), 'utf8');
    const sections = guide.split(/^## /m).slice(1);
    const sectionOf = (code: string): string => sections.find((section) => section.startsWith(`${code}\n`)) ?? '';
    const policiesIn = (block: string): PolicyLike[] => {
      const document: unknown = JSON.parse(block);
      // The guide's own examples; an example that is not a policy does not load.
      return (Array.isArray(document) ? document : [document]) as PolicyLike[];
    };

    for (const code of LINT_CODES) {
      it(`provokes ${code} by its first example with the documented message, and not by the corrected one`, async () => {
        const section = sectionOf(code);
        const [bad, good] = [...section.matchAll(/```json\n(.*?)```/gs)].map((match) => policiesIn(match[1] ?? ''));
        if (bad === undefined || good === undefined) throw new Error(`${code} has not two examples`);
        const findings = lintPolicySet(setOf(bad), SURROUNDINGS);
        expect(findings.map((finding) => finding.code)).to.deep.equal([code]);
        const [finding] = findings;
        if (finding === undefined) throw new Error('no finding');
        const { message, severity, pointer } = finding;
        const witness = witnessIn(finding);
        expect(section).to.match(new RegExp(`^Severity: ${severity}`, 'm'));
        expect(section).to.include(`Finding at \`${finding.policy}\` \`${pointer}\`: ${message}.`);
        const shown = /Counter-example: `(.*?)` in (\w+) with `(.*?)`: (\w+), and (\w+) without/.exec(section) ?? [];
        expect([...shown.slice(1, 3), JSON.parse(shown[3] ?? 'null'), ...shown.slice(4)]).to.deep.equal([
          witness.intent,
          witness.environment,
          witness.relevant,
          witness.answer,
          witness.without,
        ]);
        await expectTrue(bad, finding);
        expect(reported(lintPolicySet(setOf(good), SURROUNDINGS))).to.deep.equal([]);
      });
    }

    it('documents only existing codes', () => {
      const codes = sections.map((section) => section.split('\n')[0] ?? '').filter((title) => /^[A-Z_]+$/.test(title));
      // Its section is tested with the terms.
      expect(codes).to.have.members([...LINT_CODES, 'UNUSED_TERM']);
    });
  });
});
