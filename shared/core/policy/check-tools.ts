// Validates one tool catalogue: first against its published schema, then its names, templates and pointers.
import { compileSchema } from '../../kernel/compile-schema.ts';
import { isCallerId } from '../../kernel/ids.ts';
import { pointerToken } from '../../kernel/json.ts';
import { stepsOfPointer } from '../tools/arguments.ts';
import { type ToolCatalogueFile, ToolCatalogueSchema, type ToolEntry } from '../tools/schema.ts';
import { parseTemplate } from '../tools/template.ts';
import { type Checked, isNoise, type Problem, problemOf, withoutEchoes } from './schema-problems.ts';

const validator = compileSchema<ToolCatalogueFile>(ToolCatalogueSchema);

function templateProblem(text: string, pointer: string): Problem[] {
  const parsed = parseTemplate(text);
  return parsed.ok ? [] : [{ code: 'BAD_TEMPLATE', pointer, message: parsed.message }];
}

function readsProblem(written: string, pointer: string): Problem[] {
  const steps = stepsOfPointer(written);
  if (steps !== undefined) return [];
  const near = written.startsWith('/') ? `: write ${JSON.stringify(written.slice(1))}` : '';
  return [{ code: 'BAD_POINTER', pointer, message: `names no argument${near}` }];
}

function entryProblems({ resource, places = [], reads = {} }: ToolEntry, at: string): Problem[] {
  return [
    ...(resource === undefined ? [] : templateProblem(resource, `${at}/resource`)),
    ...places.flatMap((place, i) => templateProblem(place, `${at}/places/${i}`)),
    ...Object.keys(reads).flatMap((pointer) => readsProblem(pointer, `${at}/reads${pointerToken(pointer)}`)),
  ];
}

const NOT_A_NAME =
  'is no name: 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:"';

/** Checks one parsed catalogue and reports all problems. */
export function checkCatalogue(document: unknown): Checked<ToolCatalogueFile> {
  const validate = validator();
  if (!validate(document)) {
    const problems = withoutEchoes((validate.errors ?? []).filter((error) => !isNoise(error))).map((error) =>
      problemOf(document, error),
    );
    return { ok: false, problems };
  }
  const named = (name: string, pointer: string): Problem[] =>
    isCallerId(name) ? [] : [{ code: 'BAD_TOOL_NAME', pointer, message: NOT_A_NAME }];
  const problems = [
    ...named(document.server, '/server'),
    ...Object.entries(document.tools).flatMap(([name, entry]) => {
      const at = `/tools${pointerToken(name)}`;
      return [...named(name, at), ...entryProblems(entry, at)];
    }),
  ];
  return problems.length === 0 ? { ok: true, item: document } : { ok: false, problems };
}
