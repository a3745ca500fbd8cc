// `custos retention list|set|unset`: how long data of single organisations and environments is kept, directly on the database.
import { Argument, Option } from '@commander-js/extra-typings';
import { setOwnTime } from '../shared/domain/installation/retention-times.ts';
import { FIRST_SLUG, listOrganisations } from '../shared/domain/keys/organisations.ts';
import {
  AS_INSTALLATION,
  FOREVER,
  keepSettings,
  type KeptTimes,
  readKeptTimes,
  readOwnTimes,
  REFERRED_KINDS,
  RETENTION_KINDS,
  type RetentionKind,
} from '../shared/domain/retention/times.ts';
import { type Owner, ownerColumns } from '../shared/kernel/owner.ts';
import type { Environment } from '../shared/kernel/vocabulary.ts';
import { needsOf } from '../shared/platform/config/config.ts';
import type { Sql } from '../shared/platform/db/database.ts';
import { keepingApprovalsMs, keepingMs } from '../shared/platform/config/forms.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { operatorName, requireOrganisation, runAdmin } from './admin.ts';
import { loadConfig } from './context.ts';
import { say, UsageError } from './exit.ts';
import { environmentOption } from './options.ts';
import { printJson, printTable } from './output.ts';
import type { CommandBody } from './program.ts';

const kindArgument = () => new Argument('<kind>', 'what is kept').choices(RETENTION_KINDS);
const organisationOption = () => new Option('--org, --organisation <slug>', 'whose data').default(FIRST_SLUG);
const ownerEnvironmentOption = () => environmentOption('of which environment').default('live' as const);
const NOTES = `The times of the installation are the settings of this shell (CUSTOS_KEEP_DECISIONS and the like); give it those of the workers. See the guide "Run in
production", "How long data is kept".`;

/** @throws {UsageError} when the workers would refuse such a setting */
function requireLongEnough(config: Config, kind: RetentionKind, text: string): void {
  if (text === FOREVER) return;
  let keptMs: number;
  try {
    keptMs = (kind === 'approvals' ? keepingApprovalsMs : keepingMs)(text);
  } catch (error) {
    throw new UsageError(`The time ${(error as Error).message}. "${FOREVER}" keeps data for ever.`);
  }
  if (!REFERRED_KINDS.includes(kind)) return;
  const unmet = needsOf(config).find(([ms]) => keptMs < ms);
  if (unmet !== undefined) throw new UsageError(`The time of ${kind} must not be shorter than ${unmet[1]}.`);
}

interface Where {
  readonly organisation: string;
  readonly environment: Environment;
}

/** A time as people read it; that of the installation has no number of its own. */
const inWords = (keep: string): string => (keep === AS_INSTALLATION ? 'as the installation' : keep);

async function change(kind: RetentionKind, keep: string, { organisation, environment }: Where): Promise<void> {
  await runAdmin(async ({ db, nowMs }) => {
    const owner = { organisationId: (await requireOrganisation(db, organisation)).id, environment };
    const changed = { kind, keep, author: operatorName() };
    const previous = await db.transaction((sql) => setOwnTime(sql, owner, changed, nowMs));
    say(
      `${kind} of ${organisation}, ${environment}: ${inWords(keep)} (before: ${inWords(previous)}). The workers follow within ten minutes.`,
    );
  });
}

const setCommand: CommandBody = {
  notes: NOTES,
  define: (command) =>
    command
      .addArgument(kindArgument())
      .argument('<time>', `such as 36h, 90d or 52w, at least 1d; or ${FOREVER}`)
      .addOption(organisationOption())
      .addOption(ownerEnvironmentOption())
      .action((kind, time, where) => {
        requireLongEnough(loadConfig(), kind, time);
        return change(kind, time, where);
      }),
};

const unsetCommand: CommandBody = {
  define: (command) =>
    command
      .addArgument(kindArgument())
      .addOption(organisationOption())
      .addOption(ownerEnvironmentOption())
      .action((kind, where) => change(kind, AS_INSTALLATION, where)),
};

interface Of {
  readonly owner: Owner | undefined;
  /** Null: all that have no time of their own. */
  readonly slug: string | null;
}

function rowOf(times: KeptTimes, { owner, slug }: Of, kind: RetentionKind) {
  const ms = owner === undefined ? times.ofAll(kind) : times.of(owner, kind);
  const own = owner && times.own(owner, kind);
  const isOwn = own !== undefined && own.keep !== AS_INSTALLATION;
  return {
    organisation: slug,
    environment: owner?.environment ?? null,
    kind,
    keepSeconds: ms === Infinity ? null : ms / 1_000,
    from: isOwn ? 'organisation' : times.settingOf(kind, ms),
    author: isOwn ? own.author : null,
    changedAt: isOwn ? own.changedAt.toISOString() : null,
    refused: own?.isForged ?? false,
  };
}

/** The installation, and the owners with a time of their own. */
async function ownersWithTimes(db: Sql, slugs: ReadonlyMap<string, string>): Promise<Of[]> {
  const named = new Map<string, Of>();
  for (const owner of await readOwnTimes(db))
    if (owner.keep !== AS_INSTALLATION)
      named.set(ownerColumns(owner).join(' '), {
        owner,
        slug: slugs.get(owner.organisationId) ?? owner.organisationId,
      });
  return [{ owner: undefined, slug: null }, ...named.values()];
}

const timeText = (seconds: number | null): string =>
  seconds === null ? FOREVER : seconds % 86_400 === 0 ? `${seconds / 86_400}d` : `${Math.round(seconds / 3_600)}h`;

const listCommand: CommandBody = {
  notes: `Without --org it lists the installation, and every organisation and environment that has a time of its own. A row that Custos did not write is
"refused": nothing of its kind is deleted until the time is set again.
${NOTES}`,
  define: (command) =>
    command
      .option('--org, --organisation <slug>', 'only this organisation, and also if it has no time of its own')
      .addOption(ownerEnvironmentOption())
      .option('--json', 'print JSON')
      .action(({ organisation, environment, json }) =>
        runAdmin(async ({ db }) => {
          const times = await readKeptTimes(db, keepSettings(loadConfig()));
          const slugs = new Map((await listOrganisations(db)).map(({ id, slug }) => [id, slug]));
          const of = organisation === undefined ? await ownersWithTimes(db, slugs) : [];
          if (organisation !== undefined) {
            const { id: organisationId } = await requireOrganisation(db, organisation);
            of.push({ owner: { organisationId, environment }, slug: organisation });
          }
          const rows = of.flatMap((one) => RETENTION_KINDS.map((kind) => rowOf(times, one, kind)));
          if (json) return printJson(rows);
          printTable(
            ['ORGANISATION', 'ENVIRONMENT', 'KIND', 'KEPT', 'FROM', 'BY', 'SINCE'],
            rows.map((row) => [
              row.organisation ?? 'all others',
              row.environment ?? '-',
              row.kind,
              timeText(row.keepSeconds),
              row.refused ? 'refused' : row.from,
              row.author ?? '-',
              row.changedAt ?? '-',
            ]),
          );
        }),
      ),
};

export const commands = { list: listCommand, set: setCommand, unset: unsetCommand };
