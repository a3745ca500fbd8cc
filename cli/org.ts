// `custos org create|list`: the tenants. There is no HTTP endpoint for this: only the operator has the shell.
import { TIER_MAX } from '../shared/domain/keys/limits.ts';
import {
  createOrganisation,
  listOrganisations,
  type Organisation,
  OrganisationError,
} from '../shared/domain/keys/organisations.ts';
import { runAdmin } from './admin.ts';
import { say, UsageError } from './exit.ts';
import { wholeNumber } from './options.ts';
import { printJson, printLine, printTable } from './output.ts';
import type { CommandBody } from './program.ts';

const createOrganisationCommand: CommandBody = {
  define: (command) =>
    command
      .argument('<slug>', 'short name, 1 to 40 of a-z, 0-9 and -')
      .option('--name <name>', 'name for people (default: the slug)')
      .option(
        '--tier <tier>',
        `the highest rate limit tier of its keys, 0 to ${TIER_MAX}`,
        wholeNumber(0, TIER_MAX),
        TIER_MAX,
      )
      .option('--json', 'print JSON')
      .action((slug, { name = slug, tier, json }) =>
        runAdmin(async ({ db, nowMs }) => {
          const created = await createOrganisation(db, { slug, name, tier }, nowMs).catch((error: unknown) => {
            throw error instanceof OrganisationError ? new UsageError(error.message) : error;
          });
          if (json) return printJson(jsonOf(created));
          printLine(created.id);
          say(
            `Created the organisation ${slug}. Its first key: npx custos keys create --org ${slug} --name admin --scope 'admin:*'`,
          );
        }),
      ),
};

const listOrganisationsCommand: CommandBody = {
  define: (command) =>
    command.option('--json', 'print JSON').action(({ json }) =>
      runAdmin(async ({ db }) => {
        const all = (await listOrganisations(db)).map(jsonOf);
        if (json) return printJson(all);
        printTable(
          ['SLUG', 'NAME', 'TIER', 'OPERATOR', 'CREATED', 'ID'],
          all.map(({ slug, name, tier, isOperator, createdAt, id }) => [
            slug,
            name,
            String(tier),
            isOperator ? 'yes' : 'no',
            createdAt,
            id,
          ]),
        );
      }),
    ),
};

function jsonOf(organisation: Organisation) {
  return { ...organisation, createdAt: organisation.createdAt.toISOString() };
}

export const commands = {
  create: createOrganisationCommand,
  list: listOrganisationsCommand,
};
