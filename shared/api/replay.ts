// Schemas of replays.
import { Type } from 'typebox';
import { REPLAY_STATUSES } from '../domain/drafts/replay-jobs.ts';
import { DraftDigest, ReplayReportSchema } from '../domain/drafts/reports.ts';
import { DURATION_PATTERN } from '../domain/keys/durations.ts';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, Instant, named, Nullable, StringEnum, Timestamp } from './common.ts';
import { ValidatePoliciesRequest } from './policy-set.ts';

const Count = Type.Integer({ minimum: 0 });

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
  replayId: Type.String(),
  status: StringEnum(REPLAY_STATUSES),
  draft: closed({ digest: DraftDigest }),
  progress: closed({ replayed: Count, total: Count }),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  error: Nullable(Type.String()),
  report: Nullable(ReplayReportSchema),
});
