// Validates attributes.json: first against its published schema, then which types may have values, and names that contradict each other.
import { compileSchema } from '../../kernel/compile-schema.ts';
import { pointerToken } from '../../kernel/json.ts';
import { type AttributeDeclaration, type AttributesFile, AttributesSchema } from '../attributes/schema.ts';
import { type Checked, isNoise, type Problem, problemOf, withoutEchoes } from './schema-problems.ts';

const validator = compileSchema<AttributesFile>(AttributesSchema);

/** Attributes of resources that exist without a declaration; a declaration may only restrict their values. */
const TEXTS_OF_RESOURCES = ['class', 'owner'];

const schema = (pointer: string, message: string): Problem => ({ code: 'SCHEMA', pointer, message });

function valuesProblem({ type, values }: AttributeDeclaration, at: string): Problem[] {
  if (values === undefined || type === 'text' || type === 'list') return [];
  return [schema(`${at}/values`, `only a text or a list has "values", and this is a ${type}`)];
}

/** A declared member is a plain value, so no member of it can be declared. */
function nestedProblem(path: string, paths: readonly string[], at: string): Problem[] {
  const outer = paths.find((other) => path.startsWith(`${other}.`));
  return outer === undefined ? [] : [schema(at, `"${outer}" is declared as a plain value, which has no members`)];
}

function meaningProblems({ agent = {}, resource = {}, context = {} }: AttributesFile): Problem[] {
  const paths = Object.keys(context);
  return [
    ...Object.entries({ agent, resource, context }).flatMap(([kind, declared]) =>
      Object.entries(declared).flatMap(([name, one]) => valuesProblem(one, `/${kind}${pointerToken(name)}`)),
    ),
    ...TEXTS_OF_RESOURCES.flatMap((name) => {
      const declared = Object.hasOwn(resource, name) ? resource[name] : undefined;
      if (declared === undefined || declared.type === 'text') return [];
      return [schema(`/resource/${name}/type`, `"${name}" is always a text`)];
    }),
    ...paths.flatMap((path) => nestedProblem(path, paths, `/context${pointerToken(path)}`)),
  ];
}

/** Checks one parsed file and reports all problems. */
export function checkAttributes(document: unknown): Checked<AttributesFile> {
  const validate = validator();
  if (!validate(document)) {
    const errors = withoutEchoes((validate.errors ?? []).filter((error) => !isNoise(error)));
    return { ok: false, problems: errors.map((error) => problemOf(document, error)) };
  }
  const problems = meaningProblems(document);
  return problems.length === 0 ? { ok: true, item: document } : { ok: false, problems };
}
