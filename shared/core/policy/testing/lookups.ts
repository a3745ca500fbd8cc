// Resolves the names in a test file and reads its intents: every lookup returns a value or reports a problem.
import { pointerToken } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/near.ts';
import type { ToolFacts } from '../../tools/call.ts';
import { attributeProblems } from '../attribute-values.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import type { Declarations } from '../declarations.ts';
import type { RiskFacts } from '../types.ts';
import { timeOf } from '../values.ts';
import { agentProblem, withFacts } from './facts.ts';
import type { ReadIntent, Setting } from './facts.ts';
import type { TestProblem } from './load.ts';
import type { PolicyTestFile, TestSituation } from './schema.ts';
import type { TestAgent, TestCall, TestIntent } from './schema-parts.ts';
import { TEST_DEFAULTS } from './defaults.ts';

/** Reads intents as the service does for an organisation, with the lexicon of the tested policies. */
export interface IntentReader {
  readonly declarations: Declarations;
  readonly registry: ResourceRegistry;
  /** `domain.action.object` or `action:resource`. */
  ofString(
    text: string,
    organisation: string,
  ): { readonly ok: true; readonly intent: RiskFacts['intent'] } | { readonly ok: false; readonly message: string };
  /** Free text. */
  ofText(text: string, organisation: string): RiskFacts['intent'];
  ofTool(
    call: TestCall,
    organisation: string,
  ):
    | { readonly ok: true; readonly intent: RiskFacts['intent']; readonly tool: ToolFacts | undefined }
    | { readonly ok: false; readonly message: string };
}

/** A named group of fixtures; an unknown name is reported. */
class Fixtures<T> {
  private readonly byName: ReadonlyMap<string, T>;
  private readonly noun: string;

  constructor(noun: string, given: Readonly<Record<string, T>> | undefined) {
    this.noun = noun;
    this.byName = new Map(Object.entries(given ?? {}));
  }
  get(name: string): T | undefined {
    return this.byName.get(name);
  }
  missing(pointer: string, name: string): TestProblem {
    const message = `there is no fixture ${JSON.stringify(name)} of ${this.noun}${didYouMean(name, [...this.byName.keys()])}`;
    return { pointer, code: 'UNKNOWN_FIXTURE', message };
  }
}

/** Thrown by a lookup and caught around its case, so that one wrong case does not affect the others. */
class CaseProblem extends Error {
  readonly problem: TestProblem;
  constructor(problem: TestProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

interface LookupDeps {
  readonly content: PolicyTestFile;
  readonly reader: IntentReader;
  /** Collects the problems. */
  readonly problems: TestProblem[];
}

/** The lookups of one file. */
export class Lookups {
  private readonly content: PolicyTestFile;
  private readonly reader: IntentReader;
  private readonly problems: TestProblem[];
  private readonly agents;
  private readonly keys;
  private readonly contexts;
  private readonly intents;
  /** Parsed fixtures by name and organisation. */
  private readonly readings = new Map<string, Map<string, ReadIntent | undefined>>();

  constructor({ content, reader, problems }: LookupDeps) {
    this.content = content;
    this.reader = reader;
    this.problems = problems;
    const { fixtures } = content;
    this.agents = new Fixtures('agents', fixtures?.agents);
    this.keys = new Fixtures('keys', fixtures?.keys);
    this.contexts = new Fixtures('contexts', fixtures?.contexts);
    this.intents = new Fixtures('intents', fixtures?.intents);
    for (const [name, agent] of Object.entries(fixtures?.agents ?? {}))
      this.attempt(() => this.checkAgent(agent, `/fixtures/agents${pointerToken(name)}`));
  }

  /** Undefined for an unreadable fixture, which was reported. Each organisation reads it with its own lexicon. */
  private readFixture(name: string, intent: TestIntent, organisation: string): ReadIntent | undefined {
    const byOrganisation = this.readings.get(name) ?? new Map<string, ReadIntent | undefined>();
    this.readings.set(name, byOrganisation);
    if (!byOrganisation.has(organisation)) {
      byOrganisation.set(organisation, undefined);
      this.attempt(() => {
        const read = this.read(intent, `/fixtures/intents${pointerToken(name)}`, organisation);
        byOrganisation.set(organisation, read);
      });
    }
    return byOrganisation.get(organisation);
  }

  /** Must be called after all cases: checks the fixtures that no case has read. */
  checkUnread(): void {
    const { fixtures, organisation = TEST_DEFAULTS.organisation } = this.content;
    for (const [name, intent] of Object.entries(fixtures?.intents ?? {}))
      if (!this.readings.has(name)) this.readFixture(name, intent, organisation);
  }

  /** Runs one part and keeps its problem, so that the other parts continue. Returns undefined after a problem. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CaseProblem)) throw error;
      this.problems.push(error.problem);
      return undefined;
    }
  }

  private ofString(text: string, pointer: string, organisation: string): ReadIntent {
    const read = this.reader.ofString(text, organisation);
    if (!read.ok) throw new CaseProblem({ pointer, code: 'BAD_INTENT', message: read.message });
    return { intent: read.intent, risk: {} };
  }

  /** @throws {CaseProblem} */
  callOf(call: TestCall, pointer: string, organisation: string): ReadIntent {
    const read = this.reader.ofTool(call, organisation);
    if (!read.ok) throw new CaseProblem({ pointer: `${pointer}/arguments`, code: 'BAD_INTENT', message: read.message });
    return { intent: read.intent, ...(read.tool && { tool: read.tool }), risk: {} };
  }

  private read(intent: TestIntent, pointer: string, organisation: string): ReadIntent {
    if (typeof intent === 'string') return this.ofString(intent, pointer, organisation);
    const plain =
      'text' in intent
        ? { intent: this.reader.ofText(intent.text, organisation), risk: {} }
        : 'tool' in intent
          ? this.callOf(intent.tool, `${pointer}/tool`, organisation)
          : this.ofString(intent.intent, `${pointer}/intent`, organisation);
    return this.changed(plain, intent.facts, `${pointer}/facts`);
  }

  /** The intent with its facts overridden. @throws {CaseProblem} */
  changed(read: ReadIntent, facts: TestSituation['facts'], pointer: string): ReadIntent {
    if (facts === undefined) return read;
    const { problems, ...changed } = withFacts(read, facts);
    const [first, ...others] = problems.map(
      ({ path, message }): TestProblem => ({ pointer: pointer + pointerToken(path), code: 'BAD_VALUE', message }),
    );
    if (first === undefined) return changed;
    this.problems.push(...others);
    throw new CaseProblem(first);
  }

  /** Undefined when the fixture is unreadable. */
  intentOf(intent: TestIntent, pointer: string, organisation: string): ReadIntent | undefined {
    if (typeof intent !== 'string' || /[.:]/.test(intent)) return this.read(intent, pointer, organisation);
    const fixture = this.intents.get(intent);
    if (fixture === undefined) throw new CaseProblem(this.intents.missing(pointer, intent));
    return this.readFixture(intent, fixture, organisation);
  }

  private checkAgent(agent: TestAgent, pointer: string): TestAgent {
    const wrong = agentProblem(agent);
    if (wrong === undefined) {
      this.checkAttributes('agent', agent.attributes ?? {}, `${pointer}/attributes`);
      return agent;
    }
    throw new CaseProblem({ pointer: `${pointer}/${wrong.member}`, code: 'BAD_VALUE', message: wrong.message });
  }

  private checkAttributes(of: 'agent' | 'resource', values: Readonly<Record<string, unknown>>, pointer: string): void {
    const [first, ...others] = attributeProblems(of, values, this.reader.declarations).map(
      ({ name, message }): TestProblem => ({ pointer: pointer + pointerToken(name), code: 'BAD_VALUE', message }),
    );
    if (first === undefined) return;
    this.problems.push(...others);
    throw new CaseProblem(first);
  }

  private resourceOf({ resource }: TestSituation, pointer: string): TestSituation['resource'] {
    if (resource !== undefined) this.checkAttributes('resource', resource, `${pointer}/resource`);
    return resource;
  }

  /** @throws {CaseProblem} */
  agentOf(agent: string | TestAgent, pointer: string): Pick<Setting, 'agent' | 'agentName'> {
    if (typeof agent !== 'string') return { agent: this.checkAgent(agent, pointer), agentName: TEST_DEFAULTS.agentId };
    const fixture = this.agents.get(agent);
    if (fixture === undefined) throw new CaseProblem(this.agents.missing(pointer, agent));
    return { agent: fixture, agentName: agent };
  }

  private instant(text: string, pointer: string): number {
    const nowMs = timeOf(text);
    if (nowMs !== undefined) return nowMs;
    const message = 'must be a time such as 2026-03-02T23:30:00Z (RFC 3339)';
    throw new CaseProblem({ pointer, code: 'BAD_TIME', message });
  }

  private named<T extends object>(given: string | T | undefined, from: Fixtures<T>, pointer: string): T | undefined {
    if (typeof given !== 'string') return given;
    const fixture = from.get(given);
    if (fixture === undefined) throw new CaseProblem(from.missing(pointer, given));
    return fixture;
  }

  organisationOf({ organisation = this.content.organisation ?? TEST_DEFAULTS.organisation }: TestSituation): string {
    return organisation;
  }

  /** Everything of a setting except agent and environment. @throws {CaseProblem} */
  surroundings(
    situation: TestSituation,
    pointer: string,
  ): Pick<
    Setting,
    'organisation' | 'nowMs' | 'key' | 'client' | 'resource' | 'registry' | 'context' | 'history' | 'budgets' | 'claim'
  > {
    const { content } = this;
    const now = situation.now ?? content.now;
    const nowPointer = situation.now === undefined ? '/now' : `${pointer}/now`;
    return {
      organisation: this.organisationOf(situation),
      nowMs: this.instant(now ?? TEST_DEFAULTS.now, nowPointer),
      key: this.named(situation.key, this.keys, `${pointer}/key`) ?? {},
      client: situation.client,
      resource: this.resourceOf(situation, pointer),
      registry: this.reader.registry,
      context: this.named(situation.context, this.contexts, `${pointer}/context`) ?? {},
      history: situation.history,
      budgets: situation.budgets,
      claim: situation.claim,
    };
  }
}
