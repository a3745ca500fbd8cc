// A solver over finite domains: finds facts on which conditions hold, proves that there are none, or stops when its budget is used up.
import type { Assignment, Dimension } from './dimensions.ts';

/** A statement about one dimension: the values for which it is true. */
export interface Atom {
  readonly kind: 'atom';
  readonly key: string;
  readonly truth: readonly boolean[];
}
export type Formula = Atom | { readonly kind: 'all' | 'any'; readonly of: readonly Formula[] };

export interface Problem {
  readonly dimensions: readonly Dimension[];
  readonly formula: Formula;
  /** Accepts or rejects a solution; a rejection proves nothing. */
  readonly accept?: (found: readonly Assignment[]) => boolean;
  /** Called at every step. */
  readonly onStep?: () => void;
  /** The largest number of steps. */
  readonly budget?: number;
  /** The largest number of rejected solutions. */
  readonly patience?: number;
}
/** `none` is a proof; `unknown`: none was found, but that is not proven. */
export type Solution =
  | { readonly kind: 'found'; readonly values: readonly Assignment[] }
  | { readonly kind: 'none' | 'unknown' };

const DEFAULT_BUDGET = 4_000;
const DEFAULT_PATIENCE = 40;

export const TRUE: Formula = { kind: 'all', of: [] };

export function negationOf(formula: Formula): Formula {
  if (formula.kind === 'atom') return { ...formula, truth: formula.truth.map((is) => !is) };
  return { kind: formula.kind === 'all' ? 'any' : 'all', of: formula.of.map(negationOf) };
}

/** The remaining possible values, by dimension. */
type Domains = ReadonlyMap<string, readonly number[]>;

/** True, false, or the part of the formula that is still undecided. */
function reduce(formula: Formula, domains: Domains): Formula | boolean {
  if (formula.kind === 'atom') {
    const domain = domains.get(formula.key) ?? [];
    let yes = 0;
    for (const value of domain) if (formula.truth[value] === true) yes += 1;
    if (yes === domain.length) return true;
    return yes === 0 ? false : formula;
  }
  const isAll = formula.kind === 'all';
  const left: Formula[] = [];
  for (const part of formula.of) {
    const reduced = reduce(part, domains);
    if (reduced === isAll) continue;
    if (typeof reduced === 'boolean') return reduced;
    left.push(reduced);
  }
  const [only] = left;
  if (only === undefined) return isAll;
  return left.length === 1 ? only : { kind: formula.kind, of: left };
}

function restrict(domains: Domains, atom: Atom, truth: boolean): Domains {
  const values = (domains.get(atom.key) ?? []).filter((value) => (atom.truth[value] === true) === truth);
  return new Map(domains).set(atom.key, values);
}

/** The atoms that must be true for the formula to be true. */
function neededOf(formula: Formula): readonly Atom[] {
  if (formula.kind === 'atom') return [formula];
  return formula.kind === 'all' ? formula.of.flatMap(neededOf) : [];
}

/** The values on which all of the atoms are true; undefined when there are none. Applied at once, because a copy per atom would be slow. */
function restrictToAll(domains: Domains, atoms: readonly Atom[]): Domains | undefined {
  const left = new Map(domains);
  for (const { key, truth } of atoms) {
    const values = (left.get(key) ?? []).filter((value) => truth[value] === true);
    if (values.length === 0) return undefined;
    left.set(key, values);
  }
  return left;
}
function firstAtom(formula: Formula): Atom | undefined {
  if (formula.kind === 'atom') return formula;
  for (const part of formula.of) {
    const atom = firstAtom(part);
    if (atom !== undefined) return atom;
  }
  return undefined;
}

export function solve(problem: Problem): Solution {
  const { dimensions, formula, accept, onStep, budget = DEFAULT_BUDGET, patience = DEFAULT_PATIENCE } = problem;
  let steps = 0;
  let refused = 0;

  /** Picks values for all dimensions from the possible ones: the first of each, and others while they are rejected. */
  function pick(domains: Domains): readonly Assignment[] | undefined {
    const values = dimensions.flatMap(({ key, values: all }) => all[domains.get(key)?.[0] ?? -1] ?? []);
    if (values.length < dimensions.length) return undefined;
    if (accept === undefined || accept(values)) return values;
    refused += 1;
    for (const { key } of dimensions) {
      const [, ...others] = domains.get(key) ?? [];
      if (others.length === 0) continue;
      if (refused > patience) return undefined;
      const first = domains.get(key)?.slice(0, 1) ?? [];
      return pick(new Map(domains).set(key, others)) ?? pick(new Map(domains).set(key, first));
    }
    return undefined;
  }

  function search(open: Formula, from: Domains): readonly Assignment[] | undefined {
    let domains = from;
    let reduced = reduce(open, domains);
    while (typeof reduced !== 'boolean') {
      steps += 1;
      onStep?.();
      if (steps > budget || refused > patience) return undefined;
      const must = neededOf(reduced);
      if (must.length === 0) break;
      const restricted = restrictToAll(domains, must);
      if (restricted === undefined) return undefined;
      domains = restricted;
      reduced = reduce(reduced, domains);
    }
    if (reduced === true) return pick(domains);
    if (reduced === false) return undefined;
    const atom = firstAtom(reduced);
    if (atom === undefined) return undefined;
    return search(reduced, restrict(domains, atom, true)) ?? search(reduced, restrict(domains, atom, false));
  }

  if (dimensions.some((dimension) => dimension.values.length === 0)) return { kind: 'none' };
  const all = new Map(dimensions.map(({ key, values }) => [key, values.map((_, i) => i)]));
  const values = search(formula, all);
  if (values !== undefined) return { kind: 'found', values };
  const isProven = steps <= budget && refused === 0 && dimensions.every((dimension) => dimension.exact);
  return { kind: isProven ? 'none' : 'unknown' };
}
