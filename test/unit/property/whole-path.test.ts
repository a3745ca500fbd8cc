// No change that a caller makes to its request makes the answer milder: from the request to the verdict, for random policies.
import { expect } from 'chai';
import fc from 'fast-check';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import { isLong, runs } from './runs.ts';
import {
  type Answered,
  type Asked,
  callers,
  contexts,
  createAsker,
  guardedSets,
  isMilder,
  lexicon,
  policySets,
  RESOURCES,
} from './whole-path-world.ts';
import { policy, type PolicyLike } from '../policy/support.ts';

const VERBS = ['read', 'create', 'update', 'delete', 'send', 'transfer', 'grant', 'revoke', 'execute', 'frobnicate'];
const resources = fc.constantFrom(...RESOURCES);
const intents = fc.tuple(fc.constantFrom(...VERBS), resources).map((pair) => pair.join(':'));
const question = fc.record({ caller: callers, context: contexts, intent: intents });
const seen = new Map<string, Map<string, number>>();

function expectNotMilder(what: string, before: Answered, after: Answered, why: () => string): void {
  const counts = seen.get(what) ?? new Map<string, number>();
  seen.set(what, counts);
  const pair = `${before.verdict} -> ${after.verdict}`;
  counts.set(pair, (counts.get(pair) ?? 0) + 1);
  if (isMilder(after, before))
    expect.fail(`${what}: ${pair} (approved ${before.approved} -> ${after.approved}): ${why()}`);
}

/** Both answers under one set. */
async function compare(what: string, policies: readonly PolicyLike[], first: Asked, second: Asked): Promise<void> {
  const ask = createAsker(policies);
  expectNotMilder(what, await ask(first), await ask(second), () => JSON.stringify({ first, second, policies }));
}

/** Alternative spellings of a character. */
const spellings = fc.uniqueArray(
  fc.constantFrom('upper', 'percent', 'wide', 'double', 'slash', 'back', 'dot', 'colon', 'end'),
  {
    minLength: 1,
    maxLength: 3,
  },
);

function respelled(resource: string, ways: readonly string[], at: number): string {
  let text = resource;
  const change = (pattern: RegExp, make: (match: string) => string): void => {
    const all = [...text.matchAll(pattern)];
    const one = all[at % Math.max(1, all.length)];
    if (one !== undefined) text = text.slice(0, one.index) + make(one[0]) + text.slice(one.index + one[0].length);
  };
  // A slash at the end stays one, because otherwise it would become a refused segment "."; a percent sign is decoded once, so it comes
  // last.
  const late = ['end', 'percent'];
  for (const way of [...ways].sort((a, b) => late.indexOf(a) - late.indexOf(b)))
    switch (way) {
      case 'upper':
        change(/[a-z]/g, (letter) => letter.toUpperCase());
        break;
      case 'percent':
        change(/[a-zA-Z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
        break;
      case 'wide':
        change(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
        break;
      case 'double':
        change(/\//g, () => '//');
        break;
      case 'end':
        text = text.endsWith('*') ? text : `${text}/`;
        break;
      default:
        change(/\//g, () => ({ slash: '/', back: '\\', dot: '.', colon: ':' })[way] ?? '/');
    }
  return text;
}

/** Letters and digits that look like others. */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  a: ['а', 'á', '4', '@'],
  e: ['е', 'é', '3'],
  i: ['і', 'í', '1'],
  o: ['о', 'ó', '0'],
  p: ['р'],
  c: ['с'],
  s: ['ѕ', '5'],
  t: ['7'],
};

function disguised(text: string, at: number, which: number): string {
  const places = [...text].flatMap((letter, i) => (LOOKS[letter] === undefined ? [] : [i]));
  const place = places[at % Math.max(1, places.length)] ?? 0;
  // A digit at the end of a word is a number: file5 is the fifth file.
  const isEnd = !/[a-z]/.test(text.charAt(place + 1));
  const looks = (LOOKS[text.charAt(place)] ?? [text.charAt(place)]).filter((look) => !isEnd || !/\d/.test(look));
  return (
    text.slice(0, place) + (looks[which % Math.max(1, looks.length)] ?? text.charAt(place)) + text.slice(place + 1)
  );
}

const CLASSES: ReadonlySet<string> = new Set(VERBS);
/**
 * Verbs that are at least as strict as their class; for the others (`share`, a grant without privileges) the lexicon is deliberately
 * milder.
 */
const finer = [...lexicon.verbs.values()].filter(({ verb, weak, action, traits }) => {
  const all = actionOf(action, lexicon)?.traits ?? [];
  return /^[a-z]+$/.test(verb) && !weak && !CLASSES.has(verb) && all.every((trait) => traits.includes(trait));
});

const wrongs = fc.constantFrom<unknown>(undefined, null, {}, [{}], { z: {} }, [null]);

describe('any change of a request by its caller', () => {
  after(() => {
    if (!isLong) return;
    for (const [what, counts] of seen) console.log(`      ${what}: ${JSON.stringify(Object.fromEntries(counts))}`);
  });

  it('leaving a member of the context out, or sending another type, never makes the answer milder', async () => {
    const members = fc.constantFrom('x', 'y', 'all of it');
    await fc.assert(
      fc.asyncProperty(policySets, question, members, wrongs, async (policies, first, member, wrong) => {
        const { [member]: _, ...rest }: Record<string, unknown> = first.context;
        const context = member === 'all of it' ? undefined : wrong === undefined ? rest : { ...rest, [member]: wrong };
        // A member that was missing already can not be left out.
        if (member !== 'all of it' && !(member in first.context)) return;
        await compare('a fact left out', policies, first, { ...first, context });
      }),
      runs(75, 0.25),
    );
  });

  it('another spelling of the same resource and action gives the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(policySets, question, spellings, fc.nat({ max: 30 }), async (policies, first, ways, at) => {
        const [verb = '', resource = ''] = first.intent.split(':');
        const written = ways.includes('upper') ? verb.toUpperCase() : verb;
        const colon = ways.includes('percent') ? '%3A' : ways.includes('wide') ? '：' : ':';
        const second = { ...first, intent: `${written}${colon}${respelled(resource, ways, at)}` };
        const ask = createAsker(policies);
        const [before, after] = [await ask(first), await ask(second)];
        expectNotMilder('another spelling', before, after, () => JSON.stringify({ first, second, policies }));
        expect(after, second.intent).to.deep.equal(before);
      }),
      runs(75, 0.2),
    );
  });

  it('a normalized string has the same answer as its action and resource', async () => {
    await fc.assert(
      fc.asyncProperty(policySets, question, async (policies, first) => {
        const [verb = '', resource = ''] = first.intent.split(':');
        const [domain = '', ...rest] = resource.split('/');
        if (verb === 'frobnicate') return;
        await compare('a dotted string', policies, first, { ...first, intent: [domain, verb, ...rest].join('.') });
      }),
      runs(50, 0.1),
    );
  });

  it('letters and digits that look like others never make the answer milder', async () => {
    await fc.assert(
      fc.asyncProperty(
        guardedSets,
        question,
        fc.nat({ max: 30 }),
        fc.nat({ max: 3 }),
        async (policies, first, at, which) => {
          const [verb = '', resource = ''] = first.intent.split(':');
          await compare('look-alikes', policies, first, {
            ...first,
            intent: `${verb}:${disguised(resource, at, which)}`,
          });
          await compare('look-alikes of actions', policies, first, {
            ...first,
            intent: `${disguised(verb, at, which)}:${resource}`,
          });
        },
      ),
      runs(50, 0.05),
    );
  });

  it('a finer verb never makes the answer milder than its action', async () => {
    await fc.assert(
      fc.asyncProperty(guardedSets, question, fc.constantFrom(...finer), async (policies, first, { verb, action }) => {
        const [, resource = ''] = first.intent.split(':');
        const plain = { ...first, intent: `${action}:${resource}` };
        await compare('a finer verb', policies, plain, { ...plain, intent: `${verb}:${resource}` });
      }),
      runs(50, 0.05),
    );
  });

  it('one more DENY, or ESCALATE, never makes the answer milder', async () => {
    const restricting = fc.tuple(policySets, fc.constantFrom('DENY', 'ESCALATE')).map(([policies, type]) =>
      policies.map((one) => ({
        ...one,
        id: `more-${one.id}`,
        rules: one.rules.map((rule) => ({ ...rule, event: { type, params: { code: 'MORE', message: 'more' } } })),
      })),
    );
    await fc.assert(
      fc.asyncProperty(policySets, restricting, question, async (policies, more, asked) => {
        const before = await createAsker(policies)(asked);
        const denials = more.map((one) => ({
          ...one,
          rules: one.rules.map((rule) => ({
            ...rule,
            event: { type: 'DENY', params: { code: 'MORE', message: 'more' } },
          })),
        }));
        const after = await createAsker([...policies, ...denials])(asked);
        expectNotMilder('one more DENY', before, after, () => JSON.stringify({ asked, policies, denials }));
        // Beside a permission, an additional ESCALATE only asks a human; without one it may permit, but a human decides.
        if (before.verdict === 'ALLOW' || before.verdict === 'DEGRADE')
          expectNotMilder(
            'one more ESCALATE',
            { ...before, approved: 'ALLOW' },
            await createAsker([...policies, ...more])(asked),
            () => JSON.stringify({ asked, policies, more }),
          );
      }),
      runs(60, 0.15),
    );
  });

  it('a DENY for all requests denies every request, approved or not', async () => {
    await fc.assert(
      fc.asyncProperty(policySets, question, async (policies, asked) => {
        const { verdict, approved } = await createAsker([...policies, policy('the-deny', 'DENY')])(asked);
        expect([verdict, approved]).to.deep.equal(['DENY', 'DENY']);
      }),
      runs(60, 0.05),
    );
  });
});
