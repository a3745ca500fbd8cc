// The binding of an approval: every fact that a policy can read and all input of the caller, except for a list with reasons.
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  approvalDigest,
  askedText,
  boundStatement,
  earlierApprovalDigest,
  isBeforeBinding,
  NOT_BOUND,
} from '../../../shared/core/decision/approval-bound.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { fullPath, VOCABULARY } from '../../../shared/core/policy/vocabulary.ts';
import { EnforceRequest } from '../../../shared/api/decision.ts';
import { IntentSubmission } from '../../../shared/api/submitted-intent.ts';
import { arbitraryFacts } from '../property/policy-arbitraries.ts';
import { factsWith } from '../policy/support.ts';

const INTENT_ID = 'int_01jq3k00000000000000000000';
const independent = (value: object): string =>
  createHash('sha256')
    .update(canonicalizeIndependently(value) ?? '')
    .digest('hex');

const isNotBound = (path: string): boolean =>
  Object.keys(NOT_BOUND).some((other) => path === other || path.startsWith(`${other}.`));

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (from, key) => (typeof from === 'object' && from !== null ? Reflect.get(from, key) : undefined),
      value,
    );
}

/** A different value of the same kind. */
function another(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, 'x'];
  return typeof value === 'object' && value !== null ? { ...value, x: 1 } : 'x';
}

/** The paths of all values in the facts. */
function pathsIn(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [above];
  const names = Object.entries(value);
  return names.flatMap(([name, member]) => pathsIn(member, above === '' ? name : `${above}.${name}`));
}

const CONTEXT = { ticket: 'OPS-1', nested: { rows: 3 } };
const TOOL = {
  server: 'files',
  name: 'move',
  arguments: { from: '/a', options: { force: true } },
  arguments_digest: 'sha256:1',
  definition_digest: 'sha256:2',
  annotations: { readOnlyHint: false },
  known: true,
  changed: false,
};
const given = () =>
  structuredClone({
    budgets: { refunds: { amount: 1, limit: 10, used: 2, window: '24h' } },
    context: CONTEXT,
    'trust.claimed': { level: 1, score: 200 },
    'intent.second_reading': 'agreed',
    tool: TOOL,
    'agent.attributes': { team: 'finance' },
    resource: { attributes: { owner: 'finance' }, varies: ['class'] },
    client: { address: '192.0.2.7' },
  });
const FACTS = factsWith(given());

describe('the binding of an approval', () => {
  const paths = new Set([...VOCABULARY.map(({ fact, path }) => fullPath(fact, path)), ...pathsIn(FACTS)]);
  for (const path of paths) {
    const bound = !isNotBound(path);
    it(`${bound ? 'includes' : 'does not include'} ${path}`, () => {
      const changed = factsWith({
        ...given(),
        [path]: another(at(FACTS, path)),
      });
      expect(at(changed, path), 'the test changes it').to.not.deep.equal(at(FACTS, path));
      expect(approvalDigest(changed, null) !== approvalDigest(FACTS, null)).to.equal(bound);
    });
  }

  // A list of its own: the tests above take what is not bound from the code.
  it('includes who asks, the words, all that they mean, what they are about, and the context, whatever is evaluated again', () => {
    const MEANING = ['action', 'verb', 'effect', 'traits', 'data_classes', 'flags', 'places', 'resource', 'requested'];
    const ASKED = ['agent.id', 'environment', 'organisation.slug', 'context', 'tool'];
    for (const path of [...ASKED, ...MEANING.map((name) => `intent.${name}`)]) {
      const changed = factsWith({ ...given(), [path]: another(at(FACTS, path)) });
      expect(approvalDigest(changed, null), path).to.not.equal(approvalDigest(FACTS, null));
    }
  });

  it('includes the parse or submitted intent that the request refers to', () => {
    expect(approvalDigest(FACTS, INTENT_ID)).to.not.equal(approvalDigest(FACTS, null));
  });

  it('excludes only existing facts, each with its reason', () => {
    for (const [path, reason] of Object.entries(NOT_BOUND)) {
      expect(at(FACTS, path), path).to.not.equal(undefined);
      expect(reason, path).to.match(/\w{3}/);
    }
  });

  it('includes every member of a request, except those that are evaluated again or do not affect the requested action', () => {
    const bound: Readonly<Record<string, string>> = {
      intent: 'intent.requested',
      action: 'intent.requested',
      resource: 'intent.requested',
      agent_id: 'agent.id',
      agentId: 'agent.id',
      context: 'context',
      tool: 'tool',
      intent_id: 'intentId',
    };
    const apart: Readonly<Record<string, string>> = {
      trust_level: 'a claim, which can only lower the trust that is evaluated again',
      approval_id: 'names the approval itself',
      explain: 'only adds to the answer',
      dry_run: 'is not a decision',
    };
    const members = [...Object.keys(EnforceRequest.properties), ...Object.keys(IntentSubmission.properties)];
    expect(members).to.include.members(Object.keys({ ...bound, ...apart }));
    for (const member of members)
      expect(
        member in apart || at(boundStatement(FACTS, INTENT_ID), bound[member] ?? '') !== undefined,
        member,
      ).to.equal(true);
  });

  it('has the hash of an independent implementation of RFC 8785, which changes with any part of it', () => {
    const asked = fc.tuple(arbitraryFacts(), fc.option(fc.constant(INTENT_ID)), fc.constantFrom('a:b', '\na:b', 'c:b'));
    /** Deliberately a different implementation: removes the unbound facts from a copy. */
    const expected = (facts: Facts, intentId: string | null): object => {
      const copy: object = { ...structuredClone(facts), intentId };
      for (const path of Object.keys(NOT_BOUND)) {
        const [first = '', second] = path.split('.');
        if (second === undefined) Reflect.deleteProperty(copy, first);
        else Reflect.deleteProperty(Reflect.get(copy, first) as object, second);
      }
      return copy;
    };
    fc.assert(
      fc.property(asked, asked, (...both) => {
        const [one, other] = both.map(([changes, intentId, intent]) => {
          const facts = factsWith({ ...changes, 'intent.requested': { intent } });
          const statement = expected(facts, intentId);
          expect(approvalDigest(facts, intentId)).to.equal(independent(statement));
          return { digest: approvalDigest(facts, intentId), text: canonicalizeIndependently(statement) };
        });
        expect(one?.digest === other?.digest).to.equal(one?.text === other?.text);
      }),
    );
  });

  it('differs from the binding of an earlier version, for any request', () => {
    const earlier = factsWith({ 'intent.requested': undefined });
    expect([isBeforeBinding(earlier), isBeforeBinding(FACTS)]).to.deep.equal([true, false]);
    const text =
      '{"agentId":"agent-1","context":{},"environment":"live","intentId":null,"normalized":"data.read.user_profile","organisation":"acme"}';
    const digest = createHash('sha256').update(text).digest('hex');
    expect(earlierApprovalDigest(earlier, null)).to.equal(digest);
    for (const facts of [earlier, factsWith()]) expect(approvalDigest(facts, null)).to.not.equal(digest);
  });
});

describe("the caller's original input", () => {
  it('is one line, for each form of a request', () => {
    expect(
      askedText({ requested: { intent: 'frobnicate:infra/cluster_9' }, normalized: 'infra.unknown.cluster_9' }),
    ).to.equal('frobnicate:infra/cluster_9');
    expect(askedText({ requested: { action: 'Drop', resource: 'DB/Users' }, normalized: 'db.delete.users' })).to.equal(
      'Drop DB/Users',
    );
  });
});
