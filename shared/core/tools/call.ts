// A tool call as a question: its members, its limits, and the facts that policies see of it.
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
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

/** Bytes of the canonical JSON of the arguments. */
export const MAX_ARGUMENTS_BYTES = 262_144;
/** The object of the arguments itself is the first level. */
export const MAX_ARGUMENTS_DEPTH = 32;
export const DEFINITION_DIGEST_PATTERN = '^sha256:[0-9a-f]{64}$';

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** The canonical JSON (RFC 8785) of arguments that are within the limits, or why they are not. */
export function checkedArguments(
  args: ToolCall['arguments'],
): { readonly text: string } | { readonly problem: string } {
  if (isDeeperThan(args, MAX_ARGUMENTS_DEPTH))
    return { problem: `must not have more than ${MAX_ARGUMENTS_DEPTH} levels` };
  const text = canonicalize(args);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_ARGUMENTS_BYTES) return { text };
  return { problem: `must have at most ${MAX_ARGUMENTS_BYTES} bytes as JSON without white space, and has ${bytes}` };
}

/**
 * `sha256:` and the hexadecimal SHA-256 of the canonical JSON (RFC 8785) of the arguments.
 * @param text the canonical JSON of `args`, where it is known @throws {TypeError} on what is not JSON
 */
export function argumentsDigest(args: ToolCall['arguments'], text = canonicalize(args)): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}

/** JCS of the facts of a call, with the canonical JSON of its arguments spliced in: no member but `annotations` sorts before them. */
export function canonicalToolFacts(facts: ToolFacts, argumentsText: string): string {
  const { annotations, arguments: _, ...after } = facts;
  const before = annotations === undefined ? '' : `"annotations":${canonicalize(annotations)},`;
  return `{${before}"arguments":${argumentsText},${canonicalize(after).slice(1)}`;
}

/** The part of a call that a decision repeats, also in its record: the arguments are only there as their digest. */
export function toolMember({ server, name, arguments_digest, known, changed }: ToolFacts): object {
  return { server, name, arguments_digest, known, changed };
}
