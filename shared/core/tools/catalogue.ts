// Compiled catalogues: what the tools of each server do, ready to read calls.
import type { Effect } from '../../kernel/vocabulary.ts';
import { type Step, stepsOfPointer } from './arguments.ts';
import { effectOfEntry, type ReadKind, type ToolCatalogueFile, type ToolEntry } from './schema.ts';
import { parseTemplate, type Template } from './template.ts';

/** An argument that is read as code or text. */
export interface ReadArgument {
  readonly pointer: string;
  readonly steps: readonly Step[];
  readonly kind: ReadKind;
}

export interface CompiledTool {
  readonly entry: ToolEntry;
  readonly effect: Effect;
  readonly resource: Template | undefined;
  readonly places: readonly Template[];
  readonly reads: readonly ReadArgument[];
  /** Where the arguments are that the templates and `reads` look at: calls that agree there are read alike. */
  readonly inputs: readonly (readonly Step[])[];
}

export interface CompiledCatalogue {
  readonly server: string;
  readonly trustAnnotations: boolean;
  readonly tools: ReadonlyMap<string, CompiledTool>;
}

/** By server. */
export type ToolCatalogues = ReadonlyMap<string, CompiledCatalogue>;

function templateOf(text: string): Template {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)} ${parsed.message}`);
  return parsed.template;
}

const inputsOf = ({ parts }: Template): (readonly Step[])[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.steps]));

function compileTool(entry: ToolEntry): CompiledTool {
  const resource = entry.resource === undefined ? undefined : templateOf(entry.resource);
  const places = (entry.places ?? []).map(templateOf);
  const reads = Object.entries(entry.reads ?? {}).map(([pointer, kind]) => {
    const steps = stepsOfPointer(pointer);
    if (steps === undefined) throw new Error(`${JSON.stringify(pointer)} names no argument`);
    return { pointer, steps, kind };
  });
  const templates = resource === undefined ? places : [resource, ...places];
  return {
    entry,
    effect: effectOfEntry(entry),
    resource,
    places,
    reads,
    inputs: [...templates.flatMap(inputsOf), ...reads.map(({ steps }) => steps)],
  };
}

/** Compiles checked catalogues. @throws {Error} when one was not checked, and is wrong */
export function compileCatalogues(files: readonly ToolCatalogueFile[]): ToolCatalogues {
  return new Map(
    files.map(({ server, trustAnnotations = false, tools }) => [
      server,
      {
        server,
        trustAnnotations,
        tools: new Map(Object.entries(tools).map(([name, entry]) => [name, compileTool(entry)])),
      },
    ]),
  );
}
