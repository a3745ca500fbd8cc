// What `custos policy new` writes: a first rule of each effect, and the two questions that show both of its sides.
import type { Condition, EventParams, Policy, PolicyTarget } from '../../shared/policy/schema.ts';
import type { Verdict } from '../../shared/vocabulary.ts';

export type TemplateEffect = Verdict | 'RISK';
export const TEMPLATE_EFFECTS: readonly TemplateEffect[] = ['DENY', 'ALLOW', 'ESCALATE', 'DEGRADE', 'RISK'];

interface Template {
  readonly rule: string;
  readonly condition: Condition;
  readonly params: EventParams;
  /** `<what is asked for> <purpose>.` */
  readonly purpose: string;
  /** Trust levels of an agent for which the rule matches, and of one for which it does not. */
  readonly levels: { readonly matching: number; readonly other: number };
}

const trust = (operator: string, value: number): Condition => ({ fact: 'trust', path: 'level', operator, value });

const TEMPLATES: Readonly<Record<Verdict, Template>> = {
  DENY: {
    rule: 'untrusted-agents-may-not',
    condition: trust('lessThan', 4),
    params: { code: 'TRUST_TOO_LOW', message: 'needs trust level 4 or more' },
    purpose: 'is refused to agents below trust level 4',
    levels: { matching: 2, other: 5 },
  },
  ALLOW: {
    rule: 'trusted-agents-may',
    condition: trust('greaterThanInclusive', 3),
    params: { code: 'AGENT_TRUSTED', message: 'agents from trust level 3 may' },
    purpose: 'is open to agents from trust level 3',
    levels: { matching: 4, other: 1 },
  },
  ESCALATE: {
    rule: 'a-human-decides',
    condition: trust('lessThan', 5),
    params: { code: 'APPROVAL_NEEDED', message: 'below trust level 5 this needs the approval of a human' },
    purpose: 'needs a human when the agent is below trust level 5',
    levels: { matching: 4, other: 6 },
  },
  DEGRADE: {
    rule: 'only-a-part',
    condition: trust('lessThan', 5),
    params: {
      code: 'PART_ONLY',
      message: 'below trust level 5 only a part may be had',
      obligations: [{ type: 'max_rows', limit: 100 }],
    },
    purpose: 'is limited to 100 rows for agents below trust level 5',
    levels: { matching: 4, other: 6 },
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
  /** Where editors find the schema, as seen from the file. */
  readonly schema: string;
  readonly description: string | undefined;
}

/** `delete, update of db/payroll/*` */
function whatIsAsked({ actions, resources }: PolicyTarget): string {
  const verbs = actions.includes('*') ? 'Whatever is asked' : actions.join(', ');
  const words = `${verbs} of ${resources.join(', ')}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A policy with one rule. It is checked by the caller: the names come from a person. */
export function draftOf({ id, effect, target, schema, description }: DraftInput): Draft {
  const head = { $schema: schema, id };
  if (effect === 'RISK') {
    const rule = 'counts-as-risk';
    const factor = id.replaceAll(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+/, '') || 'risk';
    const conditions = { all: [{ fact: 'intent', path: 'effect', operator: 'notEqual', value: 'read' }] };
    const params = { factor, score: 150, message: `changes ${target.resources.join(', ')}` };
    return {
      policy: {
        ...head,
        description: description ?? `${whatIsAsked(target)} adds to the risk when it is no mere reading.`,
        stage: 'intake',
        target,
        rules: [{ name: rule, conditions, event: { type: 'RISK', params } }],
      },
      rule,
      factor,
      levels: { matching: 4, other: 1 },
    };
  }
  const { rule, condition, params, purpose, levels } = TEMPLATES[effect];
  const { code, message, obligations = [] } = params;
  const event: Extract<Policy, { stage: 'enforce' }>['rules'][number]['event'] =
    effect === 'DEGRADE'
      ? { type: effect, params: { code, message, obligations } }
      : { type: effect, params: { code, message } };
  return {
    policy: {
      ...head,
      description: description ?? `${whatIsAsked(target)} ${purpose}.`,
      stage: 'enforce',
      target,
      rules: [{ name: rule, conditions: { all: [condition] }, event }],
    },
    rule,
    factor: undefined,
    levels,
  };
}
