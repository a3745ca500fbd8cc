// The digest of a tool's definition: what it covers, and that equal definitions have equal digests however they are written.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { definitionDigest, type ToolDefinition } from '../../../shared/core/tools/definition.ts';
import { parseJson } from '../../../shared/kernel/json.ts';
import { definitionCases } from '../../drift/conformance/definition-cases.ts';

const TOOL = {
  name: 'write_file',
  description: 'Writes a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  annotations: { readOnlyHint: false },
};

describe('the digest of a tool definition', () => {
  it('is that of the conformance cases of the clients, which are written by hand', () => {
    // Each of these inputs is an object.
    for (const { name, input, digest } of definitionCases().filter((one) => one.digest !== null))
      expect(definitionDigest(parseJson(input) as ToolDefinition), name).to.equal(digest);
  });

  it('leaves out absent members: undefined is absent, null and inherited members are not the same as absent ones', () => {
    const plain = definitionDigest({ name: 'a' });
    expect(plain).to.equal(`sha256:${createHash('sha256').update('{"name":"a"}').digest('hex')}`);
    expect(definitionDigest({ name: 'a', description: undefined })).to.equal(plain);
    expect(definitionDigest({ name: 'a', description: null })).to.not.equal(plain);
    expect(definitionDigest(Object.create({ description: 'inherited' }, { name: { value: 'a' } }))).to.equal(plain);
  });

  for (const [member, value] of [
    ['name', 'write_files'],
    ['description', 'Writes a file.'],
    ['inputSchema', { type: 'object', properties: { path: { type: 'string' }, mode: {} } }],
    ['annotations', { readOnlyHint: true }],
  ] as const)
    it(`changes with ${member}`, () => {
      expect(definitionDigest({ ...TOOL, [member]: value })).to.not.equal(definitionDigest(TOOL));
    });

  it('refuses a definition that has no canonical text', () => {
    expect(() => definitionDigest({ name: 'a', description: '\ud800' })).to.throw(TypeError);
  });
});
