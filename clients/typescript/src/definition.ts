// The digest of a tool's definition. A catalogue pins it, so that a tool that changes after it was approved is noticed.
import { canonicalText, copyJson, digestOf } from './json.ts';

/** A tool as an MCP server lists it. Members beyond these are allowed, and not covered by the digest. */
export interface ToolDefinition {
  readonly name?: unknown;
  readonly description?: unknown;
  /** A JSON Schema. */
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

/** All that a model reads before a call. */
const COVERED = ['name', 'description', 'inputSchema', 'annotations'] as const;

/**
 * `sha256:` and the SHA-256, hex, of the canonical JSON of `{name, description, inputSchema, annotations}`: what a catalogue has in `definition`.
 * Members that are undefined are left out; null is a value.
 * @throws {TypeError} on what JSON can't represent, and on what has no name: all objects without these members would have one digest
 */
export function definitionDigest(definition: ToolDefinition): string {
  if (typeof definition !== 'object' || definition === null || typeof definition.name !== 'string')
    throw new TypeError('the definition of a tool is an object with a name');
  // Also members that are getters of a class: without them all its objects would have one digest.
  const covered = COVERED.map((name) => [name, definition[name]]);
  return digestOf(canonicalText(copyJson(Object.fromEntries(covered))));
}
