// `custos approvals list|show|approve|reject`: approvals from the shell, on the database itself.
import { type Command, Option } from 'commander';
import { APPROVAL_STATES, type ApprovalState, stateAt } from '../shared/core/decision/approval.ts';
import { listApprovals } from '../shared/domain/approvals/list.ts';
import {
  approvalFactsOf,
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
  const approvals = program.command('approvals').description('see and decide what waits for a human');

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
        if (rows.length === 0) say(`No approvals of this kind in ${environment}; --environment looks at another one.`);
        printTable(
          ['APPROVAL', 'STATUS', 'AGENT', 'ASKED', 'EXPIRES'],
          rows.map((row) => [
            row.approval_id,
            stateAt(approvalFactsOf(row), nowMs),
            printable(row.agent_id),
            printable(wordsOf(bodyOf(row))),
            row.expires_at.toISOString(),
          ]),
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

/** Ids are unique in the installation, and the shell is its operator's. */
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

/** The ESCALATE that opened it: a record of our own. */
function bodyOf(row: ShownApproval): Body {
  return (JSON.parse(`${row.record.toString('utf8')}}`) as { payload: { body: Body } }).payload.body;
}

/** The caller's own words; of decisions from before they were recorded, what was read in them. */
function wordsOf({ intent }: Body): string {
  const { requested } = intent;
  return requested === undefined ? intent.normalized : requestedText(requested);
}

/** What only the facts have, as far as there is any. */
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
  const { requested } = intent;
  const lines: [string, string][] = [
    [
      'asked',
      requested === undefined ? 'not recorded: opened by an earlier version' : JSON.stringify(wordsOf(bodyOf(row))),
    ],
    ['approval', row.approval_id],
    ['status', stateAt(approvalFactsOf(row), nowMs)],
    ['expires', row.expires_at.toISOString()],
    ['agent', row.agent_id],
    ['key', row.key_id],
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
  if (row.intent_id !== null) lines.push(['intent id', row.intent_id]);
  if (row.decided_at !== null)
    lines.push(['decided', `${row.decided_at.toISOString()} by ${row.decided_by}: ${row.reason}`]);
  if (row.used_at !== null)
    lines.push(['used', `${row.used_at.toISOString()} by ${row.used_by}: ${row.used_decision_id}`]);
  return lines;
}

function jsonOf(row: ShownApproval, nowMs: number): object {
  const { intent, reasons, trust } = bodyOf(row);
  return {
    requested: intent.requested ?? null,
    approvalId: row.approval_id,
    status: stateAt(approvalFactsOf(row), nowMs),
    environment: row.environment,
    agentId: row.agent_id,
    keyId: row.key_id,
    digest: row.digest,
    intentId: row.intent_id,
    decisionId: row.decision_id,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    decidedBy: row.decided_by,
    reason: row.reason,
    usedAt: row.used_at?.toISOString() ?? null,
    usedBy: row.used_by,
    usedDecisionId: row.used_decision_id,
    intent,
    bound: boundOf(row),
    trust,
    reasons,
  };
}
