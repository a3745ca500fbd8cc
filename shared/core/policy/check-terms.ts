// Validates terms.json: first against its published schema, then its conditions, cycles of names, and sizes.
import { compileSchema } from '../../kernel/compile-schema.ts';
import { pointerToken } from '../../kernel/json.ts';
import { type TermsFile, TermsSchema } from './terms-schema.ts';
import { conditionProblems, schemaProblems } from './check.ts';
import type { Declarations } from './declarations.ts';
import type { Checked, Problem } from './schema-problems.ts';
import { sizeProblem, sizer, usesIn } from './term-uses.ts';
import { type Terms, termsOf } from './terms.ts';

const validator = compileSchema<TermsFile>(TermsSchema);

const pointerOf = (name: string): string => `/conditions${pointerToken(name)}/condition`;

/** Each cycle once, at the use that closes it. */
function cycleProblems(terms: Terms): Problem[] {
  const problems: Problem[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    const term = terms.conditionOf(name);
    if (term === undefined || done.has(name)) return;
    path.push(name);
    for (const use of usesIn(term.condition, pointerOf(name))) {
      const at = path.indexOf(use.name);
      if (at === -1) visit(use.name);
      else {
        const circle = [...path.slice(at), use.name].join(' -> ');
        const message = `"${use.name}" leads back to itself: ${circle}; it is defined at ${terms.placeOf('conditions', use.name)}`;
        problems.push({ code: 'TERM_CYCLE', pointer: use.pointer, message });
      }
    }
    path.pop();
    done.add(name);
  };
  for (const name of terms.conditions) visit(name);
  return problems;
}

function sizeProblems(terms: Terms): Problem[] {
  const sizeOf = sizer(terms);
  return terms.conditions.flatMap((name) => {
    const term = terms.conditionOf(name);
    return term === undefined ? [] : sizeProblem(sizeOf(term.condition), pointerOf(name));
  });
}

/**
 * Checks the parsed file and reports all problems.
 * @param declarations the declared attributes; without terms
 * @param locate the position of a pointer in the file, for messages
 */
export function checkTerms(
  document: unknown,
  declarations: Declarations,
  locate?: Parameters<typeof termsOf>[1],
): Checked<TermsFile> {
  const validate = validator();
  if (!validate(document))
    return { ok: false, problems: schemaProblems(document, validate.errors ?? [], declarations) };
  const terms = termsOf(document, locate);
  const scope = { stage: 'enforce', declarations: { ...declarations, terms } } as const;
  const problems = terms.conditions.flatMap((name) =>
    conditionProblems(terms.conditionOf(name)?.condition, scope, pointerOf(name), () => true),
  );
  const cycles = cycleProblems(terms);
  problems.push(...cycles, ...(cycles.length === 0 ? sizeProblems(terms) : []));
  return problems.length === 0 ? { ok: true, item: document } : { ok: false, problems };
}
