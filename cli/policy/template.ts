// Templates of `custos policy new`: one rule for each effect, with trust levels for which it matches and does not.
import type { Condition, Policy, PolicyTarget } from '../../shared/core/policy/schema.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';

export type TemplateEffect = Verdict | 'RISK';
export const TEMPLATE_EFFECTS: readonly TemplateEffect[] = ['DENY', 'ALLOW', 'ESCALATE', 'DEGRADE', 'RISK'];

type VerdictEvent = Extract<Policy, { stage: 'enforce' }>['rules'][number]['event'];

interface Template {
  readonly rule: string;
  readonly condition: Condition;
  /** The predicate of the description: `<request> <purpose>.` */
  readonly purpose: string;
  /** A trust level for which the rule matches, and one for which it does not. */
  readonly levels: { readonly matching: number; readonly other: number };
}

const trust = (operator: string, value: number): Condition => ({ fact: 'trust', path: 'level', operator, value });

/** The event of RISK depends on the request; see `draftOf`. */
const TEMPLATES: Readonly<Record<Verdict, Template & { readonly event: VerdictEvent }>> & { readonly RISK: Template } =
  {
    DENY: {
      rule: 'untrusted-agents-may-not',
      condition: trust('lessThan', 4),
      event: { type: 'DENY', params: { code: 'TRUST_TOO_LOW', message: 'needs trust level 4 or more' } },
      purpose: 'is refused to agents below trust level 4',
      levels: { matching: 2, other: 5 },
    },
    ALLOW: {
      rule: 'trusted-agents-may',
      condition: trust('greaterThanInclusive', 3),
      event: { type: 'ALLOW', params: { code: 'AGENT_TRUSTED', message: 'agents from trust level 3 may' } },
      purpose: 'is open to agents from trust level 3',
      levels: { matching: 4, other: 1 },
    },
    ESCALATE: {
      rule: 'a-human-decides',
      condition: trust('lessThan', 5),
      event: {
        type: 'ESCALATE',
        params: { code: 'APPROVAL_NEEDED', message: 'below trust level 5 this needs the approval of a human' },
      },
      purpose: 'needs a human when the agent is below trust level 5',
      levels: { matching: 4, other: 6 },
    },
    DEGRADE: {
      rule: 'only-a-part',
      condition: trust('lessThan', 5),
      event: {
        type: 'DEGRADE',
        params: {
          code: 'PART_ONLY',
          message: 'below trust level 5 only a part may be had',
          obligations: [{ type: 'max_rows', limit: 100 }],
        },
      },
      purpose: 'is limited to 100 rows for agents below trust level 5',
      levels: { matching: 4, other: 6 },
    },
    RISK: {
      rule: 'counts-as-risk',
      condition: { fact: 'intent', path: 'effect', operator: 'notEqual', value: 'read' },
      purpose: 'adds to the risk when it is no mere reading',
      levels: { matching: 4, other: 1 },
    },
  };

export interface Draft {
  readonly policy: Policy;
  readonly rule: string;
  readonly factor: string | undefined;
  readonly levels: Template['levels'];
}

export interface DraftInput {
  readonly id: string;
  readonly effect: TemplateEffect;
  readonly target: PolicyTarget;
  /** Path of the schema for editors, relative to the file. */
  readonly schema: string;
  readonly description: string | undefined;
}

/** `delete, update of db/payroll/*` */
function requestText({ actions, resources }: PolicyTarget): string {
  const verbs = actions.includes('*') ? 'Every action' : actions.join(', ');
  const words = `${verbs} of ${resources.join(', ')}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The name of a risk factor: lower-case letters, digits and "_", beginning with a letter. */
const factorOf = (id: string): string => id.replaceAll(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+/, '') || 'risk';

/** A policy with one rule. The caller must check it, because its names come from a person. */
export function draftOf({ id, effect, target, schema, description }: DraftInput): Draft {
  const { rule, condition, purpose, levels } = TEMPLATES[effect];
  const head = { $schema: schema, id, description: description ?? `${requestText(target)} ${purpose}.` };
  const first = { name: rule, conditions: { all: [condition] } };
  if (effect !== 'RISK') {
    const { event } = TEMPLATES[effect];
    const policy: Policy = { ...head, stage: 'enforce', target, rules: [{ ...first, event }] };
    return { policy, rule, factor: undefined, levels };
  }
  const factor = factorOf(id);
  const params = { factor, score: 150, message: `changes ${target.resources.join(', ')}` };
  const policy: Policy = { ...head, stage: 'intake', target, rules: [{ ...first, event: { type: effect, params } }] };
  return { policy, rule, factor, levels };
}
