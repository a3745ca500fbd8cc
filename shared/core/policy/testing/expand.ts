// Expands test files into single cases: fixtures resolved, intents read, matrices unfolded. Pure; the reader is a dependency.
import { pointerToken } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/near.ts';
import type { Environment, Verdict } from '../../../kernel/vocabulary.ts';
import { pathReader } from '../path-reader.ts';
import type { Finding, RiskFacts } from '../types.ts';
import { lookUp, type VocabularyEntry } from '../vocabulary.ts';
import { factsOf } from './facts.ts';
import type { ReadIntent, RiskChange, Setting } from './facts.ts';
import { findingsOf } from '../files.ts';
import type { TestProblem, TestSource } from './load.ts';
import { Lookups } from './lookups.ts';
import type { IntentReader } from './lookups.ts';
import type { MatrixCell, PolicyTestFile, PolicyTestMatrix } from './schema.ts';
import type { Expectation } from './schema-parts.ts';
import { splitPath } from './settable.ts';
import { MAX_CASES_PER_FILE, TEST_DEFAULTS } from './defaults.ts';

export interface TestCase {
  readonly source: TestSource;
  /** Unique in its file; for a matrix `name: agent, intent, environment`. */
  readonly name: string;
  /** Where it is written: pointer to the case, the matrix or a cell of it. */
  readonly pointer: string;
  readonly facts: RiskFacts;
  readonly risk: RiskChange;
  readonly expected: Expectation;
  /** Reads a fact as the rules of the set do. @param path full, such as `agent.attributes.team` */
  readonly readFact: (facts: object, path: string) => unknown;
}

export type Expanded =
  | { readonly ok: true; readonly cases: readonly TestCase[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The expansion of one file. */
class FileExpansion {
  readonly cases: TestCase[] = [];
  readonly problems: TestProblem[] = [];
  private readonly source: TestSource;
  private readonly reader: IntentReader;
  private readonly lookups: Lookups;
  private readonly readFact: TestCase['readFact'];

  constructor(source: TestSource, reader: IntentReader) {
    this.source = source;
    this.reader = reader;
    this.lookups = new Lookups({ content: source.content, reader, problems: this.problems });
    this.readFact = (facts, path) => {
      const entry = this.entryOf(path);
      return pathReader(path, typeof entry === 'string' ? undefined : entry)(facts);
    };
  }

  private entryOf(fullPath: string): VocabularyEntry | string {
    const { fact, path } = splitPath(fullPath);
    return lookUp(fact, path, 'enforce', this.reader.declarations);
  }

  /** Attributes that no declaration has: they would always be missing. */
  private checkSeen({ facts }: Expectation, pointer: string): void {
    for (const path of Object.keys(facts ?? {})) {
      const entry = this.entryOf(path);
      if (typeof entry === 'string')
        this.problems.push({
          pointer: `${pointer}/expect/facts${pointerToken(path)}`,
          code: 'UNKNOWN_FACT',
          message: entry,
        });
    }
  }

  private add(
    test: Pick<TestCase, 'name' | 'pointer' | 'expected'>,
    read: ReadIntent | undefined,
    setting: Setting,
  ): void {
    if (read === undefined) return;
    const { source, readFact } = this;
    this.cases.push({ ...test, source, readFact, facts: factsOf(read.intent, setting, read.tool), risk: read.risk });
  }

  private environment(): Environment {
    return this.source.content.environment ?? TEST_DEFAULTS.environment;
  }

  /** The cases or matrices that conform to the schema, each with its pointer. */
  private sound<M extends 'cases' | 'matrix'>(
    member: M,
  ): (readonly [NonNullable<PolicyTestFile[M]>[number], pointer: string])[] {
    const { content, broken } = this.source;
    const parts: readonly NonNullable<PolicyTestFile[M]>[number][] = content[member] ?? [];
    return parts
      .map((part, i) => [part, `/${member}/${i}`] as const)
      .filter(([, pointer]) => broken?.has(pointer) !== true);
  }

  private singleCases(): void {
    const { lookups } = this;
    for (const [written, pointer] of this.sound('cases')) {
      const { name, environment = this.environment(), expect = 'DENY' } = written;
      const agent = lookups.attempt(() => lookups.agentOf(written.agent, `${pointer}/agent`));
      const surroundings = lookups.attempt(() => lookups.surroundings(written, pointer));
      const organisation = lookups.organisationOf(written);
      const read = lookups.attempt(() => {
        const { tool } = written;
        const intent =
          tool === undefined
            ? lookups.intentOf(written.intent ?? '', `${pointer}/intent`, organisation)
            : lookups.callOf(tool, `${pointer}/tool`, organisation);
        return intent && lookups.changed(intent, written.facts, `${pointer}/facts`);
      });
      if (agent === undefined || surroundings === undefined) continue;
      const expected = typeof expect === 'string' ? { verdict: expect } : expect;
      this.checkSeen(expected, pointer);
      this.add({ name, pointer, expected }, read, { ...agent, ...surroundings, environment });
    }
  }

  /** Reports a cell to which no case belongs, because it would never be compared. */
  private checkCells(matrix: PolicyTestMatrix, environments: readonly Environment[], pointer: string): void {
    const unknown = (at: string, message: string): void => {
      this.problems.push({ pointer: at, code: 'UNKNOWN_CELL', message });
    };
    for (const [agent, row] of Object.entries(matrix.expect)) {
      const rowAt = `${pointer}/expect${pointerToken(agent)}`;
      if (!matrix.agents.includes(agent))
        unknown(
          rowAt,
          `${JSON.stringify(agent)} is not one of the agents of this matrix${didYouMean(agent, matrix.agents)}`,
        );
      for (const [intent, cell] of typeof row === 'string' ? [] : Object.entries(row)) {
        const cellAt = rowAt + pointerToken(intent);
        if (!matrix.intents.includes(intent))
          unknown(
            cellAt,
            `${JSON.stringify(intent)} is not one of the intents of this matrix${didYouMean(intent, matrix.intents)}`,
          );
        if (typeof cell === 'string') continue;
        for (const environment of Object.keys(cell))
          if (!environments.some((known) => known === environment))
            unknown(`${cellAt}/${environment}`, `${environment} is not one of the environments of this matrix`);
      }
    }
  }

  private matrixCases(matrix: PolicyTestMatrix, pointer: string): void {
    const environments = matrix.environments ?? [this.environment()];
    this.checkCells(matrix, environments, pointer);
    const surroundings = this.lookups.surroundings(matrix, pointer);
    const rows = new Map(Object.entries(matrix.expect));
    for (const [a, agentName] of matrix.agents.entries()) {
      for (const [i, intentName] of matrix.intents.entries()) {
        const row = rows.get(agentName);
        const cell = cellOf(row, intentName);
        const rowAt = `${pointer}/expect${pointerToken(agentName)}`;
        const cellAt = typeof row === 'string' ? rowAt : rowAt + pointerToken(intentName);
        this.lookups.attempt(() => {
          const agent = this.lookups.agentOf(agentName, `${pointer}/agents/${a}`);
          const read = this.lookups.intentOf(intentName, `${pointer}/intents/${i}`, surroundings.organisation);
          const changed = read && this.lookups.changed(read, matrix.facts, `${pointer}/facts`);
          for (const environment of environments) {
            const name = `${matrix.name}: ${agentName}, ${intentName}, ${environment}`;
            const expected = { verdict: verdictIn(cell, environment) };
            const test = { name, pointer: cell === undefined ? pointer : cellAt, expected };
            this.add(test, changed, { ...agent, ...surroundings, environment });
          }
        });
      }
    }
  }

  private checkNames(): void {
    const seen = new Set<string>();
    const check = (name: string, pointer: string): void => {
      if (seen.has(name))
        this.problems.push({
          pointer,
          code: 'DUPLICATE_NAME',
          message: `the name ${JSON.stringify(name)} is used twice`,
        });
      seen.add(name);
    };
    for (const member of ['cases', 'matrix'] as const)
      for (const [{ name }, pointer] of this.sound(member)) check(name, `${pointer}/name`);
  }

  /** A few short lists may multiply to too many cases: reported at the matrix that exceeds the limit, before any case is built. */
  private isTooMany(): boolean {
    let count = this.source.content.cases?.length ?? 0;
    for (const [{ agents, intents, environments = [''] }, pointer] of this.sound('matrix')) {
      count += agents.length * intents.length * environments.length;
      if (count <= MAX_CASES_PER_FILE) continue;
      const size = [agents.length, intents.length, environments.length].join(' x ');
      const message = `there are ${count.toLocaleString('en')} cases up to here (agents x intents x environments: ${size}), and a file has at most ${MAX_CASES_PER_FILE.toLocaleString('en')}: split it, or name fewer`;
      this.problems.push({ pointer, code: 'TOO_MANY_CASES', message });
      return true;
    }
    return false;
  }

  run(): this {
    this.checkNames();
    if (this.isTooMany()) return this;
    this.singleCases();
    for (const [matrix, pointer] of this.sound('matrix')) this.lookups.attempt(() => this.matrixCases(matrix, pointer));
    this.lookups.checkUnread();
    return this;
  }
}

/** A row that is a verdict is the cell of all intents. */
function cellOf(row: PolicyTestMatrix['expect'][string] | undefined, intent: string): MatrixCell | undefined {
  if (typeof row !== 'object') return row;
  return Object.hasOwn(row, intent) ? row[intent] : undefined;
}

/** Unlisted combinations expect DENY. */
function verdictIn(cell: MatrixCell | undefined, environment: Environment): Verdict {
  return typeof cell === 'string' ? cell : (cell?.[environment] ?? 'DENY');
}

function onceEach(problems: readonly TestProblem[]): TestProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem])).values()];
}

/** All cases of all files in order, or everything that is wrong, by file and position. */
export function expandTestFiles(sources: readonly TestSource[], reader: IntentReader): Expanded {
  const cases: TestCase[] = [];
  const findings: Finding[] = [];
  const names = new Map<string, string>();
  for (const source of sources) {
    const expansion = new FileExpansion(source, reader).run();
    const other = names.get(source.content.name);
    if (other === undefined) names.set(source.content.name, source.path);
    else {
      const message = `the name ${JSON.stringify(source.content.name)} is also that of ${other}`;
      expansion.problems.push({ pointer: '/name', code: 'DUPLICATE_NAME', message });
    }
    findings.push(...findingsOf(source, onceEach(expansion.problems)));
    // Pushed one by one: a file may hold more cases than a call takes arguments.
    for (const one of expansion.cases) cases.push(one);
  }
  return findings.length === 0 ? { ok: true, cases } : { ok: false, findings };
}
