// Removes from lists the tools that Custos denies for all arguments.
import { objectOf } from '../../shared/kernel/json.ts';
import type { Custos } from './custos.ts';
import type { Definition } from './definitions.ts';
import type { Message } from '../mcp/frames.ts';
import { elementsOf, memberOf, splice } from '../mcp/json-text.ts';
import { type Passed } from '../mcp/messages.ts';

export type HideDenied = (message: Message, current: (name: string) => Definition) => Promise<Passed>;

export interface HideOptions {
  readonly agentId: string;
  readonly server: string;
  readonly custos: Pick<Custos, 'dryRuns'>;
  readonly log: (line: string) => void;
}

/** Facts whose values can't depend on the arguments of a call. A rule with any other fact may decide otherwise for other arguments. */
const INDEPENDENT = new Set(['agent', 'trust', 'key', 'organisation', 'environment']);
const INDEPENDENT_OF_TOOL = new Set(['server', 'name', 'changed', 'present']);

interface Condition {
  readonly fact?: unknown;
  readonly path?: unknown;
  readonly result?: unknown;
  readonly missing?: unknown;
}

function isIndependent({ fact, path, missing }: Condition): boolean {
  if (missing !== false || typeof fact !== 'string') return false;
  if (INDEPENDENT.has(fact)) return true;
  return (
    fact === 'tool' && typeof path === 'string' && (INDEPENDENT_OF_TOOL.has(path) || path.startsWith('annotations.'))
  );
}

/** Whether a dry run with explanation shows a DENY rule that matched on nothing that the arguments could change. */
export function isDeniedAlways(answer: unknown): boolean {
  const body = objectOf(answer);
  if (body?.['dry_run'] !== true || body['verdict'] !== 'DENY' || !Array.isArray(body['explanation'])) return false;
  // The catalogue has the tool but could not read the call without arguments; with arguments it may.
  if (objectOf(body['tool'])?.['known'] === true && objectOf(body['intent'])?.['action'] === 'unknown') return false;
  return body['explanation'].map(objectOf).some((rule) => {
    if (rule === undefined || rule['effect'] !== 'DENY' || rule['matched'] !== true) return false;
    const conditions: unknown = rule['conditions'];
    if (!Array.isArray(conditions) || conditions.length === 0) return false;
    return conditions.map(objectOf).every((condition) => condition !== undefined && isIndependent(condition));
  });
}

export function createHideDenied({ agentId, server, custos, log }: HideOptions): HideDenied {
  let hasComplained = false;
  return async (message, current) => {
    const tools: unknown = objectOf(message.value['result'])?.['tools'];
    if (!Array.isArray(tools)) return { kind: 'same' };
    const questions = tools.map((tool: unknown) => {
      const name = String(objectOf(tool)?.['name']);
      const definition = current(name);
      const { digest, annotations } =
        definition.kind === 'known' ? definition : { digest: undefined, annotations: undefined };
      return { agentId, server, call: { name, arguments: {} }, definitionDigest: digest, annotations };
    });
    const seen = await custos.dryRuns(questions);
    if (typeof seen === 'string') {
      // Showing a tool permits nothing: each call is decided on its own.
      if (!hasComplained) log(`Lists of tools are shown as a whole. ${seen}`);
      hasComplained = true;
      return { kind: 'same' };
    }
    const hidden = seen.map(isDeniedAlways);
    return hidden.includes(true) ? { kind: 'other', text: without(message.text, hidden) } : { kind: 'same' };
  };
}

/** The text of a list without some of its tools; the others keep their bytes. */
function without(text: string, hidden: readonly boolean[]): string {
  const result = memberOf(text, 'result');
  const tools = result && memberOf(text, 'tools', result.start);
  if (tools === undefined) return text;
  const list = text.slice(tools.start, tools.end);
  const kept = elementsOf(list).flatMap(({ start, end }, i) => (hidden[i] === true ? [] : [list.slice(start, end)]));
  return splice(text, tools, `[${kept.join(',')}]`);
}
