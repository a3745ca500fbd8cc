// Validates one file of the folder `resources`: first against its published schema, then its name and the declared attributes.
import { compileSchema } from '../../kernel/compile-schema.ts';
import { pointerToken } from '../../kernel/json.ts';
import { canonicalResource } from '../intent/resource.ts';
import { type ResourceFile, ResourceSchema } from '../resources/schema.ts';
import { attributeProblems } from './attribute-values.ts';
import type { Declarations } from './declarations.ts';
import { type Checked, isNoise, type Problem, problemOf, withoutEchoes } from './schema-problems.ts';

const validator = compileSchema<ResourceFile>(ResourceSchema);

/** The canonical name of an entry, or why there is none. */
export function entryName(text: string): ReturnType<typeof canonicalResource> {
  const canonical = canonicalResource(text);
  if (!canonical.ok || canonical.resource !== '*') return canonical;
  return { ok: false, message: 'must not be "*": what holds for every resource says nothing about any' };
}

/** What is wrong with the attributes of an entry, with pointers below the entry. */
export function entryProblems(
  { class: kind, owner, attributes = {} }: Omit<ResourceFile, 'name'>,
  declarations: Declarations,
): Pick<Problem, 'pointer' | 'message'>[] {
  const own: readonly string[] = Object.keys(attributes).filter((name) => name === 'class' || name === 'owner');
  const named = { ...(kind === undefined ? {} : { class: kind }), ...(owner === undefined ? {} : { owner }) };
  const others = Object.fromEntries(Object.entries(attributes).filter(([name]) => !own.includes(name)));
  return [
    ...own.map((name) => ({ pointer: `/attributes/${name}`, message: `stands beside "attributes": move it out` })),
    ...attributeProblems('resource', named, declarations).map(({ name, message }) => ({
      pointer: `/${name}`,
      message,
    })),
    ...attributeProblems('resource', others, declarations).map(({ name, message }) => ({
      pointer: `/attributes${pointerToken(name)}`,
      message,
    })),
  ];
}

/** Checks one parsed file and reports all problems. The item has its canonical name. */
export function checkResource(document: unknown, declarations: Declarations): Checked<ResourceFile> {
  const validate = validator();
  if (!validate(document)) {
    const errors = withoutEchoes((validate.errors ?? []).filter((error) => !isNoise(error)));
    return { ok: false, problems: errors.map((error) => problemOf(document, error)) };
  }
  const name = entryName(document.name);
  const problems: Problem[] = entryProblems(document, declarations).map((one) => ({ code: 'BAD_VALUE', ...one }));
  if (!name.ok) problems.unshift({ code: 'BAD_RESOURCE', pointer: '/name', message: name.message });
  return name.ok && problems.length === 0
    ? { ok: true, item: { ...document, name: name.resource } }
    : { ok: false, problems };
}
