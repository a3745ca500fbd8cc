// `custos approvals list|show|approve|reject`: approvals from the shell, on the database itself.
import { type Command, Option } from 'commander';
import { APPROVAL_STATES, type ApprovalState } from '../shared/core/decision/approval.ts';
import { listApprovals } from '../shared/domain/approvals/list.ts';
import {
  type ApprovalOwner,
  boundOf,
  decideApproval,
  factsOf,
  noSuchApproval,
  readApproval,
  type ShownApproval,
} from '../shared/domain/approvals/store.ts';
import { requestedText } from '../shared/core/decision/approval-bound.ts';
import type { Sql, Statement } from '../shared/platform/db/database.ts';
import { FIRST_SLUG } from '../shared/domain/keys/organisations.ts';
import { printable } from '../shared/core/proof/encoding.ts';
import type { IntentFacts } from '../shared/core/policy/types.ts';
import { MAX_REASON } from '../shared/api/approval.ts';
import { approvalView } from '../shared/api/approval-view.ts';
import { ENVIRONMENTS, type Environment } from '../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin, userName } from './admin.ts';
import { say, UsageError } from './frame.ts';
import { printJson, printTable } from './output.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

interface Json {
  readonly json?: boolean;
}

interface ListOptions extends Json {
  readonly organisation: string;
  readonly environment: Environment;
  readonly status?: ApprovalState;
  readonly agent?: string;
  readonly limit: string;
}

interface DecideOptions extends Json {
  readonly reason: string;
}

export function registerApprovals(program: Command): void {
  const approvals = program.command('approvals').description('list, show, approve and reject approvals');

  approvals
    .command('list')
    .description('list approvals of an organisation and environment, newest first')
    .option('--org, --organisation <slug>', 'the organisation', FIRST_SLUG)
    .addOption(new Option('--environment <environment>', 'whose records').choices(ENVIRONMENTS).default('live'))
    .addOption(new Option('--status <status>', 'only these').choices(APPROVAL_STATES))
    .option('--agent <agentId>', 'only those of this agent')
    .option('--limit <n>', `at most so many, up to ${MAX_LIMIT}`, String(DEFAULT_LIMIT))
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      runAdmin(async ({ db, nowMs }) => {
        const limit = /^\d{1,4}$/.test(options.limit) ? Number(options.limit) : 0;
        if (limit < 1 || limit > MAX_LIMIT) throw new UsageError(`--limit is a number from 1 to ${MAX_LIMIT}.`);
        const { id: organisationId } = await requireOrganisation(db, options.organisation);
        const { environment, status, agent } = options;
        const agentIds = agent === undefined ? undefined : [agent];
        const rows = await listApprovals(db, { organisationId, environment, status, agentIds, nowMs }, limit);
        if (options.json) return printJson(rows.map((row) => jsonOf(row, nowMs)));
        if (rows.length === 0) say(`No such approvals in ${environment}; --environment selects another environment.`);
        printTable(
          ['APPROVAL', 'STATUS', 'AGENT', 'ASKED', 'EXPIRES'],
          rows.map((row) => {
            const { approvalId, status: state, agentId, expiresAt } = approvalView(row, nowMs);
            return [approvalId, state, printable(agentId), printable(wordsOf(bodyOf(row))), expiresAt];
          }),
        );
      }),
    );

  approvals
    .command('show')
    .description(
      'show one approval: what was asked in which words, all that it is bound to, why it was escalated, and with which context',
    )
    .argument('<approvalId>', 'such as apr_01jq3k...')
    .option('--json', 'print JSON')
    .action((approvalId: string, options: Json) =>
      runAdmin(async ({ db, nowMs }) => {
        const row = await requireApproval(db, await ownerOf(db, approvalId), approvalId);
        if (options.json) return printJson(jsonOf(row, nowMs));
        for (const [name, value] of linesOf(row, nowMs))
          process.stdout.write(`${`${name}:`.padEnd(12)}${printable(value)}\n`);
      }),
    );

  for (const [word, state] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const)
    approvals
      .command(word)
      .description(`${word} what an agent asked for; recorded in the log as decided by cli:<your user name>`)
      .argument('<approvalId>', 'such as apr_01jq3k...')
      .requiredOption('--reason <text>', 'why; goes into the log')
      .option('--json', 'print JSON')
      .action((approvalId: string, options: DecideOptions) =>
        runAdmin(async ({ db, nowMs }) => {
          const { reason } = options;
          if (reason === '' || [...reason].length > MAX_REASON)
            throw new UsageError(`--reason has 1 to ${MAX_REASON} characters.`);
          if (reason.trim() === '') throw new UsageError('--reason must not be blank.');
          const by = `cli:${userName()}`;
          const row = await db.transaction(async (sql) => {
            const owner = await ownerOf(sql, approvalId);
            await decideApproval(sql, owner, approvalId, { state, by, reason, nowMs });
            return requireApproval(sql, owner, approvalId);
          });
          if (options.json) return printJson(jsonOf(row, nowMs));
          process.stdout.write(`${approvalId}\n`);
          say(`${state}: ${printable(`${row.agent_id}, ${wordsOf(bodyOf(row))}`)}, by ${by}.`);
        }),
      );
}

const OWNER: Statement = {
  name: 'approval-owner',
  text: 'SELECT organisation_id, environment FROM approval WHERE approval_id = $1',
};

/** Approval ids are unique in the installation, and the shell's user operates all of it, so no tenant is named. */
async function ownerOf(sql: Sql, approvalId: string): Promise<ApprovalOwner> {
  const [row] = await sql.query<{ organisation_id: string; environment: Environment }>(OWNER, [approvalId]);
  if (row === undefined) throw unknown(approvalId);
  return { organisationId: row.organisation_id, environment: row.environment };
}

async function requireApproval(sql: Sql, owner: ApprovalOwner, approvalId: string): Promise<ShownApproval> {
  const row = await readApproval(sql, owner, approvalId);
  if (row === undefined) throw noSuchApproval();
  return row;
}

function unknown(approvalId: string): UsageError {
  return new UsageError(`There is no approval ${printable(approvalId)}. "custos approvals list" shows the ids.`);
}

interface Body {
  readonly intent: Pick<
    IntentFacts,
    'requested' | 'normalized' | 'action' | 'verb' | 'resource' | 'effect' | 'traits'
  > & {
    readonly risk: { level: string; score: number };
  };
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly trust: { readonly effective_level: number; readonly score: number };
}

/** The body of the ESCALATE that opened the approval. The service wrote this record, so its shape is known. */
function bodyOf(row: ShownApproval): Body {
  return (JSON.parse(`${row.record.toString('utf8')}}`) as { payload: { body: Body } }).payload.body;
}

/** The caller's own words, or the normalized intent for decisions of versions that did not record the words. */
function wordsOf({ intent }: Body): string {
  const { requested } = intent;
  return requested === undefined ? intent.normalized : requestedText(requested);
}

/** Lines for the lists that only the facts hold; empty lists are left out. */
function readLines(row: ShownApproval): [string, string][] {
  const facts = factsOf(row);
  if (facts === undefined) return [];
  const { data_classes: classes, flags, places } = facts.intent;
  const lists: [string, readonly string[]][] = [
    ['classes', classes],
    ['flags', flags],
    ['places', places],
  ];
  return lists.filter(([, list]) => list.length > 0).map(([name, list]) => [name, list.join(', ')]);
}

function linesOf(row: ShownApproval, nowMs: number): [string, string][] {
  const { intent, reasons, trust } = bodyOf(row);
  const view = approvalView(row, nowMs);
  const { requested } = intent;
  const lines: [string, string][] = [
    [
      'asked',
      requested === undefined ? 'not recorded: opened by an earlier version' : JSON.stringify(wordsOf(bodyOf(row))),
    ],
    ['approval', view.approvalId],
    ['status', view.status],
    ['expires', view.expiresAt],
    ['agent', view.agentId],
    ['key', view.keyId],
    ['intent', intent.normalized],
    ['action', intent.verb === intent.action ? intent.action : `${intent.action} (${intent.verb})`],
    ['resource', intent.resource],
    ['effect', intent.effect],
    ...(intent.traits.length === 0 ? [] : [['traits', intent.traits.join(', ')] satisfies [string, string]]),
    ...readLines(row),
    ['risk', `${intent.risk.level} (${intent.risk.score})`],
    ['trust', `level ${trust.effective_level}, score ${trust.score}`],
    ...reasons.map(({ code, message }): [string, string] => ['because', `${code}: ${message}`]),
    ['context', row.facts === null ? 'erased' : JSON.stringify(factsOf(row)?.context)],
    ['decision', row.decision_id],
  ];
  if (view.intentId !== null) lines.push(['intent id', view.intentId]);
  if (view.decidedAt !== null) lines.push(['decided', `${view.decidedAt} by ${view.decidedBy}: ${view.reason}`]);
  if (view.usedAt !== null) lines.push(['used', `${view.usedAt} by ${view.usedBy}: ${view.usedDecisionId}`]);
  return lines;
}

function jsonOf(row: ShownApproval, nowMs: number): object {
  const { intent, reasons, trust } = bodyOf(row);
  return {
    requested: intent.requested ?? null,
    ...approvalView(row, nowMs),
    environment: row.environment,
    decisionId: row.decision_id,
    intent,
    bound: boundOf(row),
    trust,
    reasons,
  };
}
