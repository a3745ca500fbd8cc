// A tool call as a question: its members, and the facts that policies see of it.
import { createHash } from 'node:crypto';
import { canonicalize } from '../proof/canonical.ts';

/** Hints that a server gives about its own tool (MCP, ToolAnnotations). */
export const ANNOTATION_HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
export type ToolAnnotations = Readonly<Partial<Record<(typeof ANNOTATION_HINTS)[number], boolean> & { title: string }>>;

export interface ToolCall {
  readonly server: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `sha256:` and 64 hexadecimal digits (definition.ts): the definition that the guard has seen. */
  readonly definition_digest?: string;
  readonly annotations?: ToolAnnotations;
}

/** What policies see of a call, and what is stored with the decision. */
export interface ToolFacts extends ToolCall {
  readonly arguments_digest: string;
  /** Whether a catalogue says what the call does. */
  readonly known: boolean;
  /** Whether the catalogue pins a definition, and the call came with another one or with none. */
  readonly changed: boolean;
  /** Why it is not known, in words; no policy sees it. */
  readonly problem?: string;
}

export const DEFINITION_DIGEST_PATTERN = '^sha256:[0-9a-f]{64}$';

/** `sha256:` and the hexadecimal SHA-256 of the canonical JSON (RFC 8785) of the arguments. @throws {TypeError} on what is not JSON */
export function argumentsDigest(args: ToolCall['arguments']): string {
  return `sha256:${createHash('sha256').update(canonicalize(args)).digest('hex')}`;
}
