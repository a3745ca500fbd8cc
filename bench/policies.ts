// A policy folder of any size and request bodies for it, the same in every run.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../shared/platform/config/root.ts';
import { GUARDED_SERVER } from './guard.ts';
import { randomNumbers } from './numbers.ts';

const ACTIONS = ['read', 'update', 'create', 'delete', 'send', 'execute'] as const;
/** Number of policies whose target is everything: candidates for every request, as an installation's general rules are. */
const GENERAL = 2;
const AGENTS = 200;
const INTENTS = 48;
const AMOUNTS = 100;

/** Placeholder for a number that is new in every request; the load generator replaces its last nine digits. */
export const UNSEEN_AMOUNT = '1000000000';

interface Condition {
  readonly fact: string;
  readonly path: string;
  readonly operator: string;
  readonly value: unknown;
}

const when = (fact: string, at: string, operator: string, value: unknown): Condition => ({
  fact,
  path: at,
  operator,
  value,
});

function rule(name: string, type: string, all: readonly Condition[], more: object = {}): object {
  const params = { code: `BENCH_${type}`, message: `${name} says ${type.toLowerCase()}`, ...more };
  return { name, conditions: { all }, event: { type, params } };
}

function projectOf(index: number): { action: string; resource: string } {
  return { action: ACTIONS[index % ACTIONS.length] ?? 'read', resource: `team-${index % 97}/project-${index}` };
}

/** The policy of one project: three rules; the facts of a request decide which one matches. */
function projectPolicy(index: number): object {
  const { action, resource } = projectOf(index);
  const permit = index % 5 === 0 ? 'DEGRADE' : 'ALLOW';
  const obligations = permit === 'DEGRADE' ? { obligations: [{ type: 'max_rows', limit: 100 + index }] } : {};
  return {
    id: `project-${index}`,
    description: `What may be done in project ${index}.`,
    stage: 'enforce',
    target: { actions: [action], resources: [`${resource}/*`] },
    rules: [
      rule(
        'members-may',
        permit,
        [
          when('trust', 'level', 'greaterThanInclusive', 1),
          when('context', 'amount', 'lessThan', 9_000_000_000),
          when('agent', 'status', 'in', ['ACTIVE', 'UNREGISTERED']),
        ],
        obligations,
      ),
      rule('large-amounts', 'ESCALATE', [when('context', 'amount', 'greaterThan', 9_000_000_000 - index)]),
      rule('no-trust', 'DENY', [when('trust', 'level', 'lessThan', 1)]),
    ],
  };
}

function generalPolicies(): object[] {
  const target = { actions: ['*'], resources: ['*'] };
  return [
    {
      id: 'general-risk',
      description: 'Deleting is a risk.',
      stage: 'intake',
      target,
      rules: [
        {
          name: 'deletes',
          conditions: { all: [when('intent', 'effect', 'equal', 'destructive')] },
          event: { type: 'RISK', params: { factor: 'effect', score: 300, message: 'destroys something' } },
        },
      ],
    },
    {
      id: 'general-guard',
      description: 'What is too risky is for a human.',
      stage: 'enforce',
      target,
      rules: [rule('high-risk', 'ESCALATE', [when('intent', 'risk.level', 'equal', 'high')])],
    },
  ];
}

/** `count` policies: two whose target is everything, and one for each of the projects. */
function makePolicies(count: number): object[] {
  const projects = Array.from({ length: count - GENERAL }, (_, index) => projectPolicy(index));
  return [...generalPolicies(), ...projects];
}

/** The tool that does an action with a record. */
function toolOf(action: string): string {
  return `${action}_record`;
}

/** For the calls through the guard: their resource is that of no other policy, so that no other request is evaluated against it. */
const TOOL_POLICY = {
  id: 'bench-tools',
  description: 'The tool of the benchmark.',
  stage: 'enforce',
  target: { actions: ['read'], resources: ['bench/echo'] },
  rules: [rule('tool-may', 'ALLOW', [when('tool', 'name', 'equal', 'echo')])],
};
const CATALOGUE = {
  server: GUARDED_SERVER,
  description: 'The everything server.',
  tools: {
    echo: { action: 'read', resource: 'bench/echo' },
    ...Object.fromEntries(ACTIONS.map((action) => [toolOf(action), { action, resource: '{record}' }])),
  },
};

/** Writes a policy folder: the policies, a catalogue, and the shipped lexicon. */
export function writePolicyFolder(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(findRoot(), 'policies', 'lexicon'), path.join(folder, 'lexicon'), { recursive: true });
  mkdirSync(path.join(folder, 'tools'), { recursive: true });
  writeFileSync(path.join(folder, 'tools', `${GUARDED_SERVER}.json`), JSON.stringify(CATALOGUE));
  for (const policy of [...makePolicies(count), TOOL_POLICY]) {
    const { id } = policy as { id: string };
    writeFileSync(path.join(folder, `${id}.json`), JSON.stringify(policy));
  }
}

/** Whole numbers from 0 to below a limit, the same in every run. */
function wholeNumbers(seed: number): (below: number) => number {
  const next = randomNumbers(seed);
  return (below) => Math.floor(next() * below);
}

/**
 * Bodies for POST /v1/enforce: 200 agents, 48 intents spread over all policies (every eighth fits no project), claims
 * and amounts.
 * @param unseen whether the amount of each is the placeholder `UNSEEN_AMOUNT`
 */
export function enforceBodies(policyCount: number, size: number, unseen = false): string[] {
  const next = wholeNumbers(7);
  const projects = policyCount - GENERAL;
  return Array.from({ length: size }, () => {
    const nth = next(INTENTS);
    const { action, resource } = projectOf(Math.floor((nth * projects) / INTENTS));
    const target = nth % 8 === 7 ? `unknown/${nth}` : `${resource}/record-${nth}`;
    const body = {
      intent: `${action}:${target}`,
      agent_id: `bench-agent-${next(AGENTS)}`,
      ...(next(3) === 0 ? { trust_level: next(8) } : {}),
      context: {
        ticket: `OPS-${1_000 + next(50)}`,
        amount: unseen ? Number(UNSEEN_AMOUNT) : 1 + next(AMOUNTS),
      },
    };
    return JSON.stringify(body);
  });
}

/** Bytes of the arguments of a call. */
const ARGUMENTS_BYTES = 1_024;

/** The questions of `enforceBodies` as tool calls with a kilobyte of arguments. */
export function toolCallBodies(policyCount: number, size: number): string[] {
  return enforceBodies(policyCount, size).map((text, i) => {
    const { intent, ...rest } = JSON.parse(text) as { intent: string };
    const colon = intent.indexOf(':');
    const record = { record: intent.slice(colon + 1), fields: { number: i, tags: ['a', 'b'], draft: false }, text: '' };
    const filler = `Note ${i}. ${'Lorem ipsum dolor sit amet. '.repeat(ARGUMENTS_BYTES / 16)}`;
    const args = { ...record, text: filler.slice(0, ARGUMENTS_BYTES - JSON.stringify(record).length) };
    return JSON.stringify({
      ...rest,
      tool: { server: GUARDED_SERVER, name: toolOf(intent.slice(0, colon)), arguments: args },
    });
  });
}

const SENTENCES = [
  'Read user profile data',
  'Delete all inactive users from the production database',
  'Send an email to the customer about the invoice',
  'Please update the shipping address of order 4711',
  'List the open tickets of the support queue',
  'Do not touch the backups, only read the report of last week',
  'rm -rf /var/log/app',
  'SELECT name FROM customers WHERE id = 7',
  'Grant the intern access to the payroll folder',
  'Transfer 250 EUR to the supplier',
  'Create a new branch and open a pull request',
  'Could you restart the staging server and then check its health?',
];

/** Bodies for POST /v1/intent. */
export function intentBodies(size: number): string[] {
  const next = wholeNumbers(11);
  return Array.from({ length: size }, () =>
    JSON.stringify({
      raw_intent: `${SENTENCES[next(SENTENCES.length)]} (${next(40)})`,
      agent_id: `bench-agent-${next(AGENTS)}`,
    }),
  );
}
