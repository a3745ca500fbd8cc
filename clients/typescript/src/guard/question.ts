// A question about one tool call, fixed before it is asked: later changes by the caller have no effect on it.
import { canonicalize, copyJson, digestOf } from '../json.ts';
import type { JsonObject, ToolAnnotations } from '../types.ts';

export interface ToolQuestion<Args extends object = JsonObject> {
  readonly agentId: string;
  /** The name that the operator gave the source of the tool: that of its catalogue. */
  readonly server: string;
  /** The name of the tool. */
  readonly name: string;
  /** What the tool is called with: an object that JSON can represent, of at most 256 kB. */
  readonly arguments: Args;
  /** `sha256:` and SHA-256, hex, of the canonical definition of the tool, for catalogues that pin it. */
  readonly definitionDigest?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Facts for policies (`context.*`). */
  readonly context?: JsonObject | undefined;
}

/** A question with copies of everything that belongs to the caller. */
export interface FixedQuestion<Args extends object> extends ToolQuestion<Args> {
  readonly argumentsDigest: string;
}

/** The limit of the service, for canonical JSON. */
const MAX_ARGUMENTS_BYTES = 262_144;

/** @throws {TypeError} on arguments or facts that JSON can't represent, or that are too large */
export function fixQuestion<Args extends object>(question: ToolQuestion<Args>): FixedQuestion<Args> {
  const { agentId, server, name, definitionDigest, annotations, context } = question;
  const args = copyJson(question.arguments, '/arguments');
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new TypeError('the arguments are not an object');
  const text = canonicalize(args);
  if (new TextEncoder().encode(text).length > MAX_ARGUMENTS_BYTES)
    throw new TypeError(`the arguments have more than ${MAX_ARGUMENTS_BYTES} bytes as JSON`);
  return {
    agentId,
    server,
    name,
    // A copy has the same members, except for those that were undefined.
    arguments: args as Args,
    argumentsDigest: digestOf(text),
    ...(definitionDigest === undefined ? {} : { definitionDigest }),
    ...(annotations === undefined ? {} : { annotations: copyJson(annotations, '/annotations') as ToolAnnotations }),
    ...(context === undefined ? {} : { context: copyJson(context, '/context') as JsonObject }),
  };
}

/** The body of POST /v1/enforce. */
export function bodyOf(question: FixedQuestion<object>, approvalId: string | undefined): object {
  const { agentId, server, name, definitionDigest, annotations, context } = question;
  return {
    agentId,
    tool: { server, name, arguments: question.arguments, definitionDigest, annotations },
    context,
    approvalId,
  };
}
