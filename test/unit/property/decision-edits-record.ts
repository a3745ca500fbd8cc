// Edits of a decision's record, its row and its answer.
import { Buffer } from 'node:buffer';
import { bodyOf, type Edit, expect, isOrdinary, withBody } from './decision-edit.ts';

export const RECORD_EDITS: readonly Edit[] = [
  ...(['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] as const).map(
    (verdict): Edit => ({
      name: `the verdict becomes ${verdict}`,
      make: (made) =>
        bodyOf(made).verdict === verdict
          ? undefined
          : expect(
              'VERDICT_DIFFERS',
              withBody(made, (body) =>
                Object.assign(body, { verdict, allowed: verdict === 'ALLOW' || verdict === 'DEGRADE' }),
              ),
            ),
    }),
  ),
  {
    name: 'any member of the record, in the database',
    make: (made) =>
      expect(
        'RECORD_ALTERED',
        withBody(made, (body) => (body.reasons[0].message += '!'), true),
      ),
  },
  {
    name: 'the record, no longer canonical',
    make: ({ evidence }) =>
      expect('RECORD_NOT_CANONICAL', {
        ...evidence,
        record: { bytes: Buffer.concat([evidence.record.bytes, Buffer.from(' ')]) },
      }),
  },
  {
    name: 'an unknown member',
    make: (made) =>
      expect(
        'RECORD_NOT_CANONICAL',
        withBody(made, (body) => (body.note = 'x')),
      ),
  },
  {
    name: "the row's request alone",
    make: ({ evidence }) =>
      evidence.columns === undefined
        ? undefined
        : expect('ROW_DIFFERS', { ...evidence, columns: { ...evidence.columns, requestId: 'another' } }),
  },
  {
    name: "the record's request, in the database",
    make: (made) =>
      expect(
        'RECORD_ALTERED',
        withBody(made, (body) => (body.request_id = 'another'), true),
      ),
  },
  {
    name: 'a request that is not a text',
    make: (made) =>
      expect(
        'RECORD_NOT_CANONICAL',
        withBody(made, (body) => (body.request_id = 1)),
      ),
  },
  {
    name: "the row's verdict alone",
    make: ({ evidence }) => {
      const { columns } = evidence;
      if (columns === undefined) return undefined;
      const verdict = columns.verdict === 'ALLOW' ? 'DENY' : 'ALLOW';
      return expect('ROW_DIFFERS', { ...evidence, columns: { ...columns, verdict } });
    },
  },
  ...(['policy', 'rule', 'code', 'message'] as const).map(
    (member): Edit => ({
      name: `a reason's ${member}`,
      make: (made) =>
        isOrdinary(made) || bodyOf(made).reasons[0].code === 'AGENT_NOT_ACTIVE'
          ? expect(
              'REASONS_DIFFER',
              withBody(made, (body) => (body.reasons[0][member] += 'x')),
            )
          : undefined,
    }),
  ),
  {
    name: 'a reason is left out',
    make: (made) =>
      bodyOf(made).reasons.length > 1
        ? expect(
            'REASONS_DIFFER',
            withBody(made, (body) => body.reasons.shift()),
          )
        : undefined,
  },
  {
    name: 'an obligation is added',
    make: (made) =>
      expect(
        'OBLIGATIONS_DIFFER',
        withBody(made, (body) => body.obligations.push({ type: 'zzz' })),
      ),
  },
  {
    name: 'an obligation is dropped',
    make: (made) =>
      bodyOf(made).obligations.length > 0
        ? expect(
            'OBLIGATIONS_DIFFER',
            withBody(made, (body) => body.obligations.shift()),
          )
        : undefined,
  },
  {
    name: '"allowed"',
    make: (made) =>
      expect(
        'ANSWER_INCONSISTENT',
        withBody(made, (body) => (body.allowed = !body.allowed)),
      ),
  },
  {
    name: 'the time it expires',
    make: (made) =>
      expect(
        'ANSWER_INCONSISTENT',
        withBody(made, (body) => (body.expires_at = '2100-01-01T00:00:00.000Z')),
      ),
  },
];
