// Entries of tool catalogues that say less than the names of their tools, or whose calls no rule is about.
import { effectRank } from '../../intent/assess/strictness.ts';
import type { KnownVerbs } from '../../intent/lexicon/known-verbs.ts';
import { canonicalResource, overlaps } from '../../intent/resource.ts';
import { parseJsonWithPositions, pointerToken } from '../../../kernel/json.ts';
import { wordsOfName } from '../../tools/name-words.ts';
import { toolResource } from '../../tools/read-call.ts';
import { effectOfEntry, type ToolEntry } from '../../tools/schema.ts';
import { checkCatalogue } from '../check-tools.ts';
import type { CompiledSet } from '../compile.ts';
import type { TextFile } from '../files.ts';
import type { Finding } from '../types.ts';

export interface CatalogueLintDeps {
  readonly verbs: Pick<KnownVerbs, 'effectOf'>;
  readonly compiled: Pick<CompiledSet, 'enforce'>;
}

/** A tool with its entry. */
interface Entry {
  readonly server: string;
  readonly name: string;
  readonly entry: ToolEntry;
}

type Complaint = Required<Pick<Finding, 'code' | 'message' | 'hint'>>;

function milder({ name, entry }: Entry, { verbs: known }: CatalogueLintDeps): Complaint[] {
  const effect = effectOfEntry(entry);
  const word = wordsOfName(name).find((one) => effectRank(known.effectOf(one) ?? 'read') > effectRank(effect));
  if (word === undefined) return [];
  return [
    {
      code: 'TOOL_MILDER',
      message: `the effect of ${JSON.stringify(name)} is ${effect} here, and its name has "${word}", which is ${known.effectOf(word)}`,
      hint: 'look at what the tool does, and write the stricter effect in doubt',
    },
  ];
}

/** A pattern that covers every resource that a template gives. */
function patternOf(template: string): string {
  const brace = template.indexOf('{');
  const known = brace === -1 ? template : `${template.slice(0, template.lastIndexOf('/', brace) + 1)}*`;
  const canonical = canonicalResource(known);
  return canonical.ok ? canonical.resource : '*';
}

function unreached({ server, name, entry }: Entry, { compiled }: CatalogueLintDeps): Complaint[] {
  const { action, resource, places = [], reads } = entry;
  // What code in arguments does decides about the action, too.
  if (reads !== undefined) return [];
  const patterns = [
    resource === undefined ? toolResource({ server, name }) : patternOf(resource),
    ...places.map(patternOf),
  ];
  const isReached = compiled.enforce.rules.some(
    ({ actions, resources }) =>
      (actions.includes('*') || actions.includes(action)) &&
      resources.some((target) => patterns.some((pattern) => overlaps(target, pattern))),
  );
  if (isReached) return [];
  return [
    {
      code: 'TOOL_UNREACHED',
      message: `no rule is about ${action} of ${patterns.join(', ')}, so every call of ${JSON.stringify(name)} is refused`,
      hint: 'widen the target of a policy, or remove the entry',
    },
  ];
}

function lintCatalogue({ path, text }: TextFile, deps: CatalogueLintDeps): Finding[] {
  const { value, locate } = parseJsonWithPositions(text);
  const checked = checkCatalogue(value);
  if (!checked.ok) return [];
  const { server, tools } = checked.item;
  return Object.entries(tools).flatMap(([name, entry]) => {
    const pointer = `/tools${pointerToken(name)}`;
    const { line, column } = locate(pointer);
    const one = { server, name, entry };
    return [...milder(one, deps), ...unreached(one, deps)].map(
      (complaint): Finding => ({ file: path, line, column, pointer, severity: 'warning', ...complaint }),
    );
  });
}

/** Warnings about the catalogues of a set that loads. */
export function catalogueFindings(files: readonly TextFile[], deps: CatalogueLintDeps): Finding[] {
  return files.flatMap((file) => lintCatalogue(file, deps));
}
