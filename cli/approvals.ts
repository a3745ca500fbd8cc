// `custos approvals list|show|approve|reject`: approvals from the shell, directly on the database.
import type { Owner } from '../shared/kernel/owner.ts';
import { Option } from '@commander-js/extra-typings';
import { approvalView } from '../shared/api/approval-view.ts';
import { MAX_REASON } from '../shared/api/approval.ts';
import { maskArguments } from '../shared/core/tools/mask.ts';
import type { DecisionBody } from '../shared/api/decision.ts';
import { APPROVAL_STATES } from '../shared/core/decision/approval.ts';
import { askedText } from '../shared/core/decision/approval-bound.ts';
import { printable } from '../shared/core/proof/encoding.ts';
import { unpackRecord } from '../shared/core/decision/packed-record.ts';
import { bodyOfPrefix } from '../shared/core/proof/record.ts';
import { listApprovals } from '../shared/domain/approvals/list.ts';
import {
  absentApproval,
  boundOf,
  decideApproval,
  factsOf,
  readApproval,
  type ShownApproval,
} from '../shared/domain/approvals/store.ts';
import { type ApprovalProgress, canBeMet, readProgress, votesOf } from '../shared/domain/approvals/votes.ts';
import { readOwners } from '../shared/domain/retention/times.ts';
import { FIRST_SLUG } from '../shared/domain/keys/organisations.ts';
import type { Environment } from '../shared/kernel/vocabulary.ts';
import type { Sql } from '../shared/platform/db/database.ts';
import { operatorName, requireOrganisation, runAdmin } from './admin.ts';
import { say, UsageError } from './exit.ts';
import { environmentOption, wholeNumber } from './options.ts';
import { printJson, printLine, printTable } from './output.ts';
import { decidePolicyChange, policyChangeOf, showPolicyChange } from './policy/decide.ts';
import { decideRemotely, showRemotely } from './policy/decide-remotely.ts';
import { withRemote } from './policy/remote.ts';
import type { CommandBody } from './program.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;
const WITHDRAWS = 'An approval that was given and is not used yet is withdrawn.';
const APPROVAL_ID_HELP = 'such as apr_01jq3k...';

const listApprovalsCommand: CommandBody = {
  define: (command) =>
    command
      .option('--org, --organisation <slug>', 'the organisation', FIRST_SLUG)
      .addOption(environmentOption('the environment').default('live' as const))
      .addOption(new Option('--status <status>', 'only approvals with this status').choices(APPROVAL_STATES))
      .option('--agent <agentId>', 'only approvals of this agent')
      .option('--limit <n>', `at most this many, up to ${MAX_LIMIT}`, wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
      .option('--json', 'print JSON')
      .action(({ organisation, environment, status, agent, limit, json }) =>
        runAdmin(async ({ db, nowMs }) => {
          const { id: organisationId } = await requireOrganisation(db, organisation);
          const agentIds = agent === undefined ? undefined : [agent];
          const rows = await listApprovals(db, { organisationId, environment, status, agentIds, nowMs }, limit);
          const progressOf = await readProgress(db, rows, nowMs);
          if (json) return printJson(rows.map((row) => jsonOf(row, progressOf(row), nowMs)));
          if (rows.length === 0) say(`No such approvals in ${environment}; --environment selects another environment.`);
          printTable(
            ['APPROVAL', 'STATUS', 'AGENT', 'ASKED', 'EXPIRES', 'APPROVED'],
            rows.map((row) => {
              const progress = progressOf(row);
              const { approvalId, status: state, agentId, expiresAt } = approvalView(row, progress, nowMs);
              const asked = printable(askedText(bodyOf(row).intent));
              return [approvalId, state, printable(agentId), asked, expiresAt, progressText(progress)];
            }),
          );
        }),
      ),
};

const showApprovalCommand: CommandBody = {
  define: (command) =>
    withRemote(command.argument('<approvalId>', APPROVAL_ID_HELP))
      .option('--json', 'print JSON')
      .action((approvalId, { json, ...options }) => {
        if (options.url !== undefined) return showRemotely(options, approvalId, json);
        return runAdmin(async ({ db, nowMs }) => {
          const change = await policyChangeOf({ db, nowMs }, approvalId);
          if (change !== undefined) return showPolicyChange({ db, nowMs }, change, json);
          const row = await requireApproval(db, await ownerOf(db, approvalId), approvalId);
          const progress = (await readProgress(db, [row], nowMs))(row);
          if (json) return printJson(jsonOf(row, progress, nowMs));
          const canBe = await canBeMet(db, row, nowMs);
          for (const [name, value] of linesOf(row, progress, { canBe, nowMs }))
            printLine(`${`${name}:`.padEnd(12)}${printable(value)}`);
        });
      }),
};

const decideApprovalCommand = (state: 'approved' | 'rejected'): CommandBody => ({
  ...(state === 'rejected' && { notes: WITHDRAWS }),
  define: (command) =>
    withRemote(command.argument('<approvalId>', APPROVAL_ID_HELP))
      .requiredOption('--reason <text>', 'why; it is recorded in the log')
      .option('--json', 'print JSON')
      .action((approvalId, { reason, json, ...options }) => {
        if (reason.trim() === '' || [...reason].length > MAX_REASON)
          throw new UsageError(`--reason must have 1 to ${MAX_REASON} characters and not be blank.`);
        if (options.url !== undefined) return decideRemotely(options, approvalId, { state, reason, json });
        return runAdmin(async ({ db, nowMs }) => {
          const change = await policyChangeOf({ db, nowMs }, approvalId);
          if (change !== undefined) return decidePolicyChange({ db, nowMs }, change, { state, reason, json });
          const by = operatorName();
          const row = await db.transaction(async (sql) => {
            const owner = await ownerOf(sql, approvalId);
            await decideApproval(sql, owner, approvalId, { state, by, reason, nowMs });
            return requireApproval(sql, owner, approvalId);
          });
          if (json) return printJson(jsonOf(row, (await readProgress(db, [row], nowMs))(row), nowMs));
          printLine(approvalId);
          say(`${state}: ${printable(`${row.agent_id}, ${askedText(bodyOf(row).intent)}`)}, by ${by}.`);
        });
      }),
});

const OWNER = 'SELECT organisation_id, environment FROM approval WHERE approval_id = $1';

/** Approval ids are unique in the installation, and the shell's user operates all of it, so no tenant is named. */
async function ownerOf(sql: Sql, approvalId: string): Promise<Owner> {
  const [row] = await sql.query<{ organisation_id: string; environment: Environment }>(OWNER, [approvalId]);
  if (row === undefined) {
    for (const owner of await readOwners(sql)) {
      const { code, message } = await absentApproval(sql, owner, approvalId);
      if (code === 'E4006')
        throw new UsageError(`There is no approval ${printable(approvalId)}, or retention has erased it: ${message}`);
    }
    throw new UsageError(`There is no approval ${printable(approvalId)}. "custos approvals list" shows the ids.`);
  }
  return { organisationId: row.organisation_id, environment: row.environment };
}

async function requireApproval(sql: Sql, owner: Owner, approvalId: string): Promise<ShownApproval> {
  const row = await readApproval(sql, owner, approvalId);
  if (row === undefined) throw await absentApproval(sql, owner, approvalId);
  return row;
}

type Body = Pick<DecisionBody, 'intent' | 'reasons' | 'trust'>;

/** The body of the ESCALATE that opened the approval. The service wrote this record, so its shape is known. */
function bodyOf(row: ShownApproval): Body {
  return bodyOfPrefix(unpackRecord(row.record)) as Body;
}

/** Members of the intent that only the facts have. Empty lists are left out. */
function factLines(row: ShownApproval): [string, string][] {
  const facts = factsOf(row);
  if (facts === undefined) return [];
  const { data_classes: classes, flags, places } = facts.intent;
  const { tool } = facts;
  const call: [string, string][] =
    tool === undefined
      ? []
      : [
          ['tool', `${tool.name} of ${tool.server}${tool.problem === undefined ? '' : `: ${tool.problem}`}`],
          ...(tool.changed ? [['changed', 'its definition is not the one that was approved'] as [string, string]] : []),
          ['arguments', JSON.stringify(maskArguments(tool.arguments).arguments)],
        ];
  const lists = Object.entries({ classes, flags, places }).flatMap(([name, list]) =>
    list.length === 0 ? [] : [[name, list.join(', ')] as [string, string]],
  );
  return [...call, ...lists];
}

/** The demand that is furthest from being met, such as `1 of 2`. */
function progressText(progress: ApprovalProgress): string {
  const last = progress?.toSorted((a, b) => b.missing - a.missing)[0];
  return last === undefined ? '-' : `${last.counted.length} of ${last.demand.at_least}`;
}

/** Who must approve and who has, by rule. */
function approverLines(row: ShownApproval, progress: ApprovalProgress, canBe: boolean): [string, string][] {
  const lines = (progress ?? []).map(({ demand, counted }): [string, string] => {
    const { policy, rule, keys, tags, at_least: atLeast } = demand;
    const named = [...keys.map((key) => `key ${key}`), ...tags.map((tag) => `tag ${tag}`)].join(', ');
    return ['approvers', `${counted.length} of ${atLeast} of ${named} (${policy}/${rule})`];
  });
  if (!canBe) lines.push(['approvers', 'not enough valid admin keys are named: nobody can complete this approval']);
  return [
    ...lines,
    ...votesOf(row).map(({ by, at, reason }): [string, string] => ['vote', `${at} by ${by}: ${reason}`]),
  ];
}

function linesOf(
  row: ShownApproval,
  progress: ApprovalProgress,
  { canBe, nowMs }: { readonly canBe: boolean; readonly nowMs: number },
): [string, string][] {
  const body = bodyOf(row);
  const { intent, reasons, trust } = body;
  const view = approvalView(row, progress, nowMs);
  const asked =
    intent.requested === undefined ? 'not recorded by an earlier version' : JSON.stringify(askedText(intent));
  const lines: [string, string][] = [
    ['asked', asked],
    ['approval', view.approvalId],
    ['status', view.status],
    ['expires', view.expiresAt],
    ['agent', view.agentId],
    ['key', view.keyId],
    ['intent', intent.normalized],
    ['action', intent.verb === intent.action ? intent.action : `${intent.action} (${intent.verb})`],
    ['resource', intent.resource],
    ['effect', intent.effect],
  ];
  if (intent.traits.length > 0) lines.push(['traits', intent.traits.join(', ')]);
  lines.push(
    ...factLines(row),
    ['risk', `${intent.risk.level} (${intent.risk.score})`],
    ['trust', `level ${trust.effective_level}, score ${trust.score}`],
    ...reasons.map(({ code, message }): [string, string] => ['because', `${code}: ${message}`]),
    ['context', row.facts === null ? 'erased' : JSON.stringify(factsOf(row)?.context)],
    ['decision', row.decision_id],
  );
  if (view.intentId !== null) lines.push(['intent id', view.intentId]);
  lines.push(...approverLines(row, progress, canBe));
  if (view.decidedAt !== null) lines.push(['decided', `${view.decidedAt} by ${view.decidedBy}: ${view.reason}`]);
  if (view.usedAt !== null) lines.push(['used', `${view.usedAt} by ${view.usedBy}: ${view.usedDecisionId}`]);
  return lines;
}

function jsonOf(row: ShownApproval, progress: ApprovalProgress, nowMs: number): object {
  const { intent, reasons, trust } = bodyOf(row);
  return {
    requested: intent.requested ?? null,
    ...approvalView(row, progress, nowMs),
    environment: row.environment,
    decisionId: row.decision_id,
    intent,
    bound: boundOf(row),
    trust,
    reasons,
  };
}

export const commands = {
  list: listApprovalsCommand,
  show: showApprovalCommand,
  approve: decideApprovalCommand('approved'),
  reject: decideApprovalCommand('rejected'),
};
