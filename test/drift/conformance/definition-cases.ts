// Conformance cases: the digest of a tool's definition. The text that is hashed is written by hand.
import { createHash } from 'node:crypto';

export interface DefinitionCase {
  readonly name: string;
  /** The JSON text of a tool, as a server lists it. */
  readonly input: string;
  /** null: it is refused. */
  readonly digest: string | null;
}

/** By name: a tool, and the canonical JSON of what its digest covers. */
const CASES: Readonly<Record<string, readonly [input: string, covered: string | null]>> = {
  'all members': [
    '{"name":"write_file","description":"Writes a file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"annotations":{"readOnlyHint":false}}',
    '{"annotations":{"readOnlyHint":false},"description":"Writes a file","inputSchema":{"properties":{"path":{"type":"string"}},"type":"object"},"name":"write_file"}',
  ],
  'in another order, with members that are not covered': [
    '{"_meta":{"a":1},"annotations":{},"title":"Write","outputSchema":{},"inputSchema":{"type":"object"},"name":"write_file"}',
    '{"annotations":{},"inputSchema":{"type":"object"},"name":"write_file"}',
  ],
  'a name alone': ['{"name":"a"}', '{"name":"a"}'],
  'a null, which is not absent': ['{"name":"a","description":null}', '{"description":null,"name":"a"}'],
  'an empty description, which is not absent': ['{"name":"a","description":""}', '{"description":"","name":"a"}'],
  'names in another spelling, which are not covered': [
    '{"name":"a","input_schema":{},"Description":"x"}',
    '{"name":"a"}',
  ],
  'signs that HTML escapes': [
    '{"name":"a","description":"<b> & \\u2028"}',
    '{"description":"<b> & \u2028","name":"a"}',
  ],
  'numbers of a schema': [
    '{"name":"a","inputSchema":{"maximum":1E2,"minimum":-0.0,"multipleOf":0.10}}',
    '{"inputSchema":{"maximum":100,"minimum":0,"multipleOf":0.1},"name":"a"}',
  ],
  'a member __proto__': [
    '{"name":"a","inputSchema":{"__proto__":{"x":1}}}',
    '{"inputSchema":{"__proto__":{"x":1}},"name":"a"}',
  ],
  'no members': ['{}', null],
  'no name': ['{"Name":"a","description":"x"}', null],
  'a name that is no text': ['{"name":1}', null],
  'a member that is there twice': ['{"name":"a","name":"b"}', null],
  'a lone surrogate': ['{"name":"a","description":"\\ud800"}', null],
  'a number that is none': ['{"name":"a","inputSchema":{"maximum":1e400}}', null],
  'a list': ['[]', null],
  'a text': ['"name"', null],
  null: ['null', null],
};

export function definitionCases(): DefinitionCase[] {
  return Object.entries(CASES).map(([name, [input, covered]]) => ({
    name: `definition: ${name}`,
    input,
    digest: covered === null ? null : `sha256:${createHash('sha256').update(covered).digest('hex')}`,
  }));
}
