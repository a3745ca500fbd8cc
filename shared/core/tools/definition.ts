// The digest that identifies a tool's definition, so that a tool that changes after it was approved is noticed.
import { createHash } from 'node:crypto';
import { canonicalize } from '../proof/canonical.ts';

/** The members of an MCP tool that a definition's digest covers: all that a model or a policy author reads before a call. */
export const DIGEST_MEMBERS = ['name', 'description', 'inputSchema', 'annotations'] as const;

/** A tool as a server lists it; members beyond these are allowed and not covered. */
export type ToolDefinition = Readonly<Partial<Record<(typeof DIGEST_MEMBERS)[number], unknown>>>;

/**
 * `sha256:` and the 64 hexadecimal digits of SHA-256 over the canonical JSON (RFC 8785) of `{name, description, inputSchema, annotations}`.
 * Absent members are left out; null is a value. @throws {TypeError} when a member is not canonical JSON, such as a lone surrogate
 */
export function definitionDigest(definition: ToolDefinition): string {
  const covered = DIGEST_MEMBERS.flatMap((name) => {
    const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return `sha256:${createHash('sha256')
    .update(canonicalize(Object.fromEntries(covered)))
    .digest('hex')}`;
}
