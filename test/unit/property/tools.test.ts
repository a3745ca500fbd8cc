// Properties of every tool call: reading never throws, depends on the call alone, and code only makes it stricter.
import { expect } from 'chai';
import fc from 'fast-check';
import { milderIn } from '../../support/milder.ts';
import { canonicalResource, isPattern } from '../../../shared/core/intent/resource.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { type ToolCall, toolMember } from '../../../shared/core/tools/call.ts';
import { compileCatalogues } from '../../../shared/core/tools/catalogue.ts';
import { type ReadCall, readCall } from '../../../shared/core/tools/read-call.ts';
import { READ_KINDS, type ToolEntry } from '../../../shared/core/tools/schema.ts';
import { ACTION_CLASSES, EFFECTS, TRAITS } from '../../../shared/kernel/vocabulary.ts';
import { createReadings } from '../../../shared/domain/decisions/readings.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { catalogueOf, readWith } from '../tools/support.ts';
import { runs } from './runs.ts';

const segment = fc.constantFrom('srv', 'app', 'etc', 'A', 'über', 'x.txt', '%41', '*', '**', 'production', 'passwords');
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
const nasty = fc.constantFrom(
  '',
  '..',
  '../x',
  '/..',
  '%2e%2e/x',
  '%',
  'C:\\x\\..',
  '//h/../x',
  'http://h/../x',
  '\u0000',
  '\uff0e\uff0e/x',
  'rm -rf /; ls',
  'select * from users',
  '$(x)',
);
const anything = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const args = fc.oneof(
  fc.record(
    { path: fc.oneof(path, nasty, anything), code: fc.oneof(fc.string(), nasty, anything) },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.string(), anything),
);
const kinds = fc.constantFrom(...READ_KINDS);
const entries: fc.Arbitrary<ToolEntry> = fc.record(
  {
    action: fc.constantFrom(...ACTION_CLASSES),
    effect: fc.constantFrom(...EFFECTS),
    traits: fc.subarray([...TRAITS]),
    resource: fc.constantFrom('file/{path}', 'file/{path}/*', '{path}', 'file/{path[]}', 'fixed/thing'),
    places: fc.constant(['file/{code}']),
    reads: kinds.map((kind) => ({ code: kind })),
  },
  { requiredKeys: ['action'] },
);
/** So few that many calls share a part of their arguments. */
const fewArgs = fc.record(
  { path: fc.constantFrom<unknown>('/a', '/b', ['/a'], 3), code: fc.constantFrom<unknown>('rm -rf /', 'ls', 'x', 3) },
  { requiredKeys: [] },
);
const PINNED = `sha256:${'0'.repeat(64)}`;
const more: fc.Arbitrary<Partial<ToolCall>> = fc.record(
  {
    name: fc.constantFrom('t', 'pinned', 'other'),
    server: fc.constantFrom('files', 'trusted', 'other'),
    definition_digest: fc.constantFrom(PINNED, `sha256:${'1'.repeat(64)}`),
    annotations: fc.record(
      { title: fc.string(), readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const calls = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fewArgs, fc.constant({})) },
  { weight: 1, arbitrary: fc.tuple(fewArgs, more) },
  { weight: 1, arbitrary: fc.tuple(args, more) },
);
const setWith = (entry: ToolEntry): PolicySet<Lexicon> =>
  // Readings use only the lexicon and the catalogues of a set.
  ({
    lexicon: shippedLexicon(),
    tools: compileCatalogues([
      catalogueOf({ t: entry, pinned: { ...entry, definition: PINNED } }),
      catalogueOf({}, { server: 'trusted', trustAnnotations: true }),
    ]),
  }) as unknown as PolicySet<Lexicon>;
const readings = ({ intent }: ReadCall) => ({ ...intent });

describe('every tool call', () => {
  it('is read without an error, into a resource that policies accept', () => {
    fc.assert(
      fc.property(entries, args, (entry, given) => {
        const { tool, intent } = readWith(entry, given);
        expect(canonicalResource(intent.resource)).to.deep.equal({ ok: true, resource: intent.resource });
        expect(tool.known).to.equal(tool.problem === undefined);
        if (!tool.known) expect(intent.action).to.equal('unknown');
      }),
      runs(200, 0.02),
    );
  });

  it('is read from the call alone: a cache that other calls have filled changes nothing, and the texts are those of the facts', () => {
    fc.assert(
      fc.property(entries, fc.array(calls, { minLength: 4, maxLength: 12 }), (entry, given) => {
        const set = setWith(entry);
        const readings = createReadings();
        for (const [written, beside] of [...given, ...given]) {
          const call: ToolCall = { server: 'files', name: 't', arguments: structuredClone(written), ...beside };
          const { tool, intent } = readCall(call, set.tools, set.lexicon);
          const reading = readings.ofTool({ set, organisation: 'default' }, call, '/tool');
          expect(reading.call).to.deep.equal({
            facts: tool,
            canonical: canonicalize(tool),
            member: canonicalize(toolMember(tool)),
          });
          expect(reading.unassessed).to.deep.include(intent);
        }
      }),
      runs(150, 0.01),
    );
  });

  it('is never milder when an argument is read as code or text', () => {
    fc.assert(
      fc.property(entries, args, kinds, (written, given, kind) => {
        const { reads: _, ...entry } = written;
        const plain = readWith(entry, given);
        const read = readWith({ ...entry, reads: { code: kind } }, given);
        expect(milderIn(readings(read), readings(plain))).to.deep.equal([]);
        if (!plain.tool.known) expect(read.tool.known).to.equal(false);
      }),
      runs(150, 0.02),
    );
  });

  it('is never milder when its tool has changed', () => {
    const definition = `sha256:${'0'.repeat(64)}`;
    fc.assert(
      fc.property(entries, args, (entry, given) => {
        const plain = readWith(entry, given);
        const changed = readWith({ ...entry, definition }, given);
        expect(milderIn(readings(changed), readings(plain))).to.deep.equal([]);
        expect(changed.intent.action).to.equal('unknown');
      }),
      runs(100, 0.01),
    );
  });

  /** Spellings of the same path. */
  const respelled: ((path: string) => string)[] = [
    (text) => text.replace('/', '/./'),
    (text) => text.replaceAll('/', '//').replace(/^\/\//, '/'),
    (text) => `/x/..${text}`,
    (text) => text.replace(/\/[^/]*$/, (last) => `/y/../${last}`),
    (text) => `${text}/`,
    (text) => `${text}/.`,
    (text) => text.replaceAll('a', '%61'),
    (text) => text.toUpperCase().replaceAll('ÜBER', 'über'),
    (text) => text.slice(1),
  ];
  it('has the same resource for every spelling of a path', () => {
    fc.assert(
      fc.property(path, fc.constantFrom(...respelled), (text, spell) => {
        const resourceOf = (written: string) =>
          readWith({ action: 'read', resource: 'file/{path}' }, { path: written });
        expect(resourceOf(spell(text)).intent.resource, spell(text)).to.equal(resourceOf(text).intent.resource);
      }),
      runs(150, 0.02),
    );
  });

  it('is never a pattern because of what an argument says, unless it names the root', () => {
    fc.assert(
      fc.property(fc.oneof(path, fc.string(), nasty), (text) => {
        const { tool, intent } = readWith({ action: 'read', resource: 'file/{path}' }, { path: text });
        if (isPattern(intent.resource)) expect(intent.resource).to.equal('file/*');
        if (/[^\\/.]/.test(text.replaceAll('..', '')) && tool.known && !text.includes('..'))
          expect(isPattern(intent.resource), text).to.equal(false);
      }),
      runs(200, 0.02),
    );
  });
});
