// Types of a policy difference: decisions before and after a draft, and the report about them. Plain data.
import { type TSchema, Type } from 'typebox';
import { closed, JsonObject, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';
import { VERDICTS } from '../../kernel/vocabulary.ts';
import { type Aspect, ASPECTS } from './aspects.ts';
import { type Evaluation, ReasonSchema } from './types.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Verdict = (description: string) => StringEnum(VERDICTS, { description });
const OWNER = {
  organisation: Type.String({ description: 'Its slug.' }),
  environment: Type.String({ description: 'live, test or dev.' }),
};
const AgentId = Type.String({ description: 'The agent.' });
const Resource = Type.String({ description: 'The canonical resource.' });

/** `stricter` and `looser`: in the order ALLOW, DEGRADE, ESCALATE, DENY. */
const ChangeSchema = closed({
  decisions: Count('Changed decisions.'),
  stricter: Count('Those whose verdict is stricter under the draft.'),
  looser: Count('Those whose verdict is looser under the draft.'),
});
export type Change = Shape<typeof ChangeSchema>;

const SaidSchema = closed({
  verdict: Verdict('The verdict.'),
  reasons: Type.Array(ReasonSchema, { description: 'The first five.' }),
  obligations: Type.Array(JsonObject(), { description: 'Its obligations.' }),
});
export type Said = Shape<typeof SaidSchema>;

/** Sorted by size, largest first, then by name. */
export interface Table<Item> {
  readonly items: readonly Item[];
  /** Number of entries that are not shown. */
  readonly more: number;
  /** Changes of entries that were not counted individually because there were too many. */
  readonly beyond: number;
}

function tableOf<P extends Record<string, TSchema>>($id: string, properties: P, description: string) {
  return closed(
    {
      items: Type.Array(closed(properties), { description: 'The largest first.' }),
      more: Count('Further entries, not shown.'),
      beyond: Count('Changes of entries that were too many to be counted one by one.'),
    },
    { $id, description },
  );
}

export const DifferenceSchema = closed({
  decisions: closed(
    {
      total: Count('All of the range.'),
      evaluated: Count('Those that were evaluated again.'),
      standing: Type.Integer({
        minimum: 0,
        description: 'Answers that do not depend on policies: halts, refused approvals, failed evaluations.',
      }),
      notEvaluable: closed(
        {
          total: Count('All of them.'),
          factsErased: Count('Retention has erased their facts.'),
          damaged: Count('Record or facts were altered; `custos decision verify` gives details.'),
          notReproduced: Count('Their facts do not give the recorded result under the set that made them.'),
        },
        { description: 'Those that could not be evaluated again.' },
      ),
    },
    { $id: 'ReplayReportDecisions', description: 'How many decisions were looked at.' },
  ),
  changed: closed(
    {
      ...ChangeSchema.properties,
      obligations: Count('DEGRADE, with other obligations.'),
      approvers: Count('ESCALATE, with other approvers.'),
      ttl: Count('ESCALATE, with another lifetime.'),
      budgets: Count('From other budgets.'),
    },
    { $id: 'ReplayReportChanged', description: 'How many would be different.' },
  ),
  otherReasons: Type.Integer({ minimum: 0, description: 'The same verdict and obligations for other reasons.' }),
  transitions: Type.Array(
    closed({
      from: Verdict('The recorded verdict.'),
      to: Verdict('The verdict under the draft.'),
      decisions: Count('How many.'),
    }),
    { description: 'The changes of verdicts.' },
  ),
  rules: tableOf(
    'ReplayReportRules',
    {
      policy: Type.String({ description: 'The id of the policy.' }),
      rule: Type.String({ description: 'The name of its rule.' }),
      effect: Verdict('What it demands.'),
      newly: Count('Decisions that have it as a reason under the draft only.'),
      noLonger: Count('Decisions that have it as a reason in the record only.'),
    },
    'Changed decisions by rules that are newly, or no longer, among their reasons.',
  ),
  agents: tableOf(
    'ReplayReportAgents',
    { ...OWNER, agentId: AgentId, ...ChangeSchema.properties },
    'Changed decisions by agent.',
  ),
  resources: tableOf(
    'ReplayReportResources',
    { resource: Resource, ...ChangeSchema.properties },
    'Changed decisions by resource.',
  ),
  environments: tableOf(
    'ReplayReportEnvironments',
    { ...OWNER, ...ChangeSchema.properties },
    'Changed decisions by organisation and environment.',
  ),
  examples: Type.Array(
    closed(
      {
        decisionId: Type.String({ description: 'The decision.' }),
        evaluatedAt: Timestamp,
        ...OWNER,
        agentId: AgentId,
        intent: Type.String({ description: 'The normalized intent.' }),
        resource: Resource,
        tool: Type.Optional(
          closed(
            {
              server: Type.String({ description: 'The source of the tool.' }),
              name: Type.String({ description: 'Its name.' }),
            },
            { description: 'The tool that was called; absent for other questions.' },
          ),
        ),
        before: closed(SaidSchema.properties, { description: 'As it was recorded.' }),
        after: closed(SaidSchema.properties, { description: 'Under the draft.' }),
        differs: Type.Optional(Type.Array(StringEnum(ASPECTS), { description: 'In what they differ.' })),
      },
      { $id: 'ReplayReportExamples' },
    ),
    {
      description:
        'For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.',
    },
  ),
});
export type DifferenceReport = Shape<typeof DifferenceSchema>;
export type Example = DifferenceReport['examples'][number];

/** A decision that was evaluated again. `before` is the recorded result, `after` the result under the draft. */
export interface Compared extends Omit<Example, 'before' | 'after' | 'differs'> {
  readonly before: Evaluation;
  readonly after: Evaluation;
  readonly differs: readonly Aspect[];
}

/**
 * Why a decision could not be evaluated again. `factsErased`: retention deleted its facts. `damaged`: the record or the facts
 * were altered after they were written; `custos decision verify` gives details. `notReproduced`: it was made under this very
 * set, and its facts do not reproduce the recorded result.
 */
export type NotEvaluable = Exclude<keyof DifferenceReport['decisions']['notEvaluable'], 'total'>;

/** Limits on the entries that a difference counts individually and shows. */
export interface DifferenceLimits {
  /** Distinct agents, resources and rules that are counted individually; later ones are counted together. */
  readonly counted: number;
  /** Entries of a table in the report. */
  readonly shown: number;
  /** Examples of each transition. */
  readonly examples: number;
}
