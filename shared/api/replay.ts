// Schemas of replays.
import { Type } from 'typebox';
import { REPLAY_STATUSES } from '../domain/drafts/replay-jobs.ts';
import { DraftDigest, NamedDraft, ReplayReportSchema } from '../domain/drafts/reports.ts';
import { DURATION_PATTERN } from '../kernel/durations.ts';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, Instant, named, Nullable, StringEnum, Timestamp } from './common.ts';
import { ValidatePoliciesRequest } from './policy-set.ts';

export const ReplayRequest = closed(
  {
    files: Type.Optional(ValidatePoliciesRequest.properties.files),
    digest: Type.Optional(DraftDigest),
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
  replayId: Type.String({ description: 'For GET /v1/policies/replays/{id}.' }),
  status: StringEnum(REPLAY_STATUSES, { description: 'How far the job is.' }),
  draft: NamedDraft,
  progress: closed(
    {
      replayed: Type.Integer({ minimum: 0, description: 'Decisions that are done.' }),
      total: Type.Integer({ minimum: 0, description: 'All of the range.' }),
    },
    { description: 'Counted in decisions.' },
  ),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  error: Nullable(Type.String({ description: 'Why it failed.' })),
  report: Nullable(ReplayReportSchema),
});
