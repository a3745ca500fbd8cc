// The difference of two JSON documents line by line, and of two policies part by part. Pure.

export interface Line {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Changed lines with context; `skipped` equal lines before them are left out. */
export interface Hunk {
  readonly skipped: number;
  readonly lines: readonly Line[];
}

/** With more changes the result would not be readable; the cost is quadratic in the changes. */
const MAX_CHANGES = 1_000;
const CONTEXT_LINES = 3;

/**
 * The shortest edit script between two lists of lines: the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986). With more than MAX_CHANGES changes, all lines are removed and added.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (text: string): Line => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function between(a: readonly string[], b: readonly string[]): Line[] {
  const most = Math.min(a.length + b.length, MAX_CHANGES);
  const reached: Int32Array[] = [];
  const middle = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const get = (k: number): number => furthest[middle + k] ?? 0;
  for (let d = 0; d <= most; d += 1) {
    reached.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && get(k - 1) < get(k + 1)) ? get(k + 1) : get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, reached, middle);
    }
  }
  const removed = a.map((text): Line => ({ kind: 'removed', text }));
  return [...removed, ...b.map((text): Line => ({ kind: 'added', text }))];
}

/** Reconstructs the edit script from the end, along the furthest points of each step. */
function backtrack(a: readonly string[], b: readonly string[], reached: readonly Int32Array[], middle: number): Line[] {
  const lines: Line[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = reached.length - 1; d > 0; d -= 1) {
    const get = (k: number): number => reached[d]?.[middle + k] ?? 0;
    const k = x - y;
    const from = k === -d || (k !== d && get(k - 1) < get(k + 1)) ? k + 1 : k - 1;
    const fromX = get(from);
    const fromY = fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      lines.push({ kind: 'same', text: a[x] ?? '' });
    }
    if (x > fromX) lines.push({ kind: 'removed', text: a[fromX] ?? '' });
    else lines.push({ kind: 'added', text: b[fromY] ?? '' });
    [x, y] = [fromX, fromY];
  }
  for (; x > 0; x -= 1) lines.push({ kind: 'same', text: a[x - 1] ?? '' });
  return lines.reverse();
}

/** The changed parts of a difference, each with context. */
export function hunksOf(lines: readonly Line[]): Hunk[] {
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same')
      isNear.fill(true, Math.max(0, at - CONTEXT_LINES), Math.min(lines.length, at + CONTEXT_LINES + 1));
  const hunks: Hunk[] = [];
  let skipped = 0;
  let current: Line[] | undefined;
  for (const [at, line] of lines.entries()) {
    if (isNear[at] !== true) {
      skipped += 1;
      current = undefined;
      continue;
    }
    if (current === undefined) {
      current = [];
      hunks.push({ skipped, lines: current });
      skipped = 0;
    }
    current.push(line);
  }
  return hunks;
}

/** The lines of a document as formatted JSON; none for null. */
export function linesOf(document: object | null): string[] {
  return document === null ? [] : JSON.stringify(document, null, 2).split('\n');
}

export interface PartChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** `rule x`, or a member of the policy such as `target`. */
  readonly part: string;
}

type Named = Readonly<Record<string, unknown>>;

/** The added, removed and changed rules and other members of a policy. */
export function partsOf(before: object, after: object): PartChange[] {
  // Both are valid policies.
  const [old, now] = [before as Named, after as Named];
  const members = compare(omitRules(old), omitRules(now), (name) => name);
  return [...members, ...compare(rulesOf(old), rulesOf(now), (name) => `rule ${name}`)];
}

function omitRules(policy: Named): Map<string, unknown> {
  return new Map(Object.entries(policy).filter(([name]) => name !== 'rules'));
}

function rulesOf(policy: Named): Map<string, unknown> {
  return new Map((policy['rules'] as readonly { name: string }[]).map((rule) => [rule.name, rule]));
}

function compare(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  nameOf: (name: string) => string,
): PartChange[] {
  const changes: PartChange[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (!after.has(name)) changes.push({ kind: 'removed', part: nameOf(name) });
    else if (!before.has(name)) changes.push({ kind: 'added', part: nameOf(name) });
    else if (JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
      changes.push({ kind: 'changed', part: nameOf(name) });
  }
  return changes;
}
