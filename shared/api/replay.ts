// Schemas of replays and shadow mode.
import { type TSchema, Type } from 'typebox';
import { DURATION_PATTERN } from '../domain/keys/durations.ts';
import { REPLAY_STATUSES } from '../domain/drafts/replay-jobs.ts';
import { ENVIRONMENTS, VERDICTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, Instant, JsonObject, named, Nullable, StringEnum, Timestamp } from './common.ts';
import { FindingSchema, ValidatePoliciesRequest } from './policy-set.ts';

const Count = Type.Integer({ minimum: 0 });
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of a policy set, SHA-256, lower-case hex.' });
const Verdict = StringEnum(VERDICTS);

function tableOf(properties: Record<string, TSchema>, description: string) {
  return closed(
    { items: Type.Array(closed(properties)), more: Count, beyond: Count },
    {
      description: `${description} The largest first. \`more\`: further entries, not shown; \`beyond\`: changes of entries that were too many to be counted one by one.`,
    },
  );
}

const CHANGE = { decisions: Count, stricter: Count, looser: Count };
const OWNER = { organisation: Type.String(), environment: Type.String() };

const ReplayReason = closed({
  policy: Type.String(),
  rule: Type.String(),
  effect: Verdict,
  code: Type.String(),
  message: Type.String(),
});
const ReplaySaid = closed({
  verdict: Verdict,
  reasons: Type.Array(ReplayReason, { description: 'The first five.' }),
  obligations: Type.Array(JsonObject()),
});

const DIFFERENCE = {
  decisions: closed({
    total: Count,
    evaluated: Count,
    standing: Type.Integer({
      minimum: 0,
      description: 'Answers that do not depend on policies: halts, refused approvals, failed evaluations.',
    }),
    notEvaluable: closed({ total: Count, factsErased: Count, damaged: Count, notReproduced: Count }),
  }),
  changed: closed({ ...CHANGE, obligations: Count }),
  otherReasons: Type.Integer({ minimum: 0, description: 'The same verdict and obligations for other reasons.' }),
  transitions: Type.Array(closed({ from: Verdict, to: Verdict, decisions: Count })),
  rules: tableOf(
    { policy: Type.String(), rule: Type.String(), effect: Verdict, newly: Count, noLonger: Count },
    'Changed decisions by rules that are newly, or no longer, among their reasons.',
  ),
  agents: tableOf({ ...OWNER, agentId: Type.String(), ...CHANGE }, 'Changed decisions by agent.'),
  resources: tableOf({ resource: Type.String(), ...CHANGE }, 'Changed decisions by resource.'),
  environments: tableOf({ ...OWNER, ...CHANGE }, 'Changed decisions by organisation and environment.'),
  examples: Type.Array(
    closed({
      decisionId: Type.String(),
      evaluatedAt: Timestamp,
      ...OWNER,
      agentId: Type.String(),
      intent: Type.String(),
      resource: Type.String(),
      before: ReplaySaid,
      after: ReplaySaid,
    }),
    {
      description:
        'For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.',
    },
  ),
};

export const ReplayReportSchema = named('ReplayReport', {
  draft: closed({ digest: Digest, policies: Count }),
  range: closed({
    from: Nullable(Timestamp),
    to: Timestamp,
    organisation: Nullable(Type.String()),
    environment: Nullable(Type.String()),
    agentId: Nullable(Type.String()),
    limit: Nullable(Count),
  }),
  ...DIFFERENCE,
  sets: Type.Array(closed({ digest: Digest, decisions: Count, lexicon: StringEnum(['same', 'other', 'unknown']) }), {
    description: 'The policy sets of the decisions, and whether their lexicon is that of the draft.',
  }),
  notes: Type.Array(Type.String()),
});

export const ReplayRequest = closed(
  {
    files: Type.Optional(ValidatePoliciesRequest.properties.files),
    digest: Type.Optional(Digest),
    since: Type.Optional(
      Type.String({
        pattern: DURATION_PATTERN,
        description: 'Length of the range that ends now; default without `from`: 7d.',
        examples: ['7d'],
      }),
    ),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    environment: Type.Optional(StringEnum(ENVIRONMENTS, { description: 'Absent: live.' })),
    agentId: Type.Optional(CallerId),
  },
  {
    $id: 'ReplayRequest',
    description: 'The draft, as files or as the digest of a set that was in force; and which decisions.',
  },
);

export const ReplaySchema = named('Replay', {
  replayId: Type.String(),
  status: StringEnum(REPLAY_STATUSES),
  draft: closed({ digest: Digest }),
  progress: closed({ replayed: Count, total: Count }),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  error: Nullable(Type.String()),
  report: Nullable(ReplayReportSchema),
});

export const ReplayParams = closed({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const ShadowStatusSchema = named('ShadowStatus', {
  running: Type.Boolean({ description: 'Whether a worker is evaluating a draft for comparison with the active set.' }),
  draft: Nullable(closed({ digest: Digest })),
  share: Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of live decisions that is evaluated.' })),
  findings: Type.Array(FindingSchema, { description: 'Why the folder cannot be evaluated; empty when it can.' }),
  drafts: Type.Array(
    closed({
      digest: Digest,
      policies: Count,
      share: Type.Number(),
      since: Timestamp,
      until: Timestamp,
      skipped: Type.Integer({
        minimum: 0,
        description: 'Records passed over because the worker was too far behind.',
      }),
      ...DIFFERENCE,
    }),
    { description: 'The changes by each draft, latest evaluation first.' },
  ),
});
