// `custos org create|list`: the tenants. There is no HTTP endpoint for this: who has the shell is the operator.
import type { Command } from 'commander';
import { TIER_MAX } from '../shared/domain/keys/limits.ts';
import { createOrganisation, listOrganisations, type Organisation } from '../shared/domain/keys/organisations.ts';
import { runAdmin } from './admin.ts';
import { say } from './frame.ts';
import { printJson, printTable } from './output.ts';

interface CreateOptions {
  readonly name?: string;
  readonly tier: string;
  readonly json?: boolean;
}

export function registerOrg(program: Command): void {
  const org = program.command('org').description('make and list organisations (tenants)');

  org
    .command('create')
    .description('make an organisation; "custos keys create --org" then makes its first admin key')
    .argument('<slug>', 'short name, 1 to 40 of a-z, 0-9 and -')
    .option('--name <name>', 'name for people (default: the slug)')
    .option('--tier <tier>', 'the highest rate limit tier of its keys, 0 to 7', String(TIER_MAX))
    .option('--json', 'print JSON')
    .action((slug: string, options: CreateOptions) =>
      runAdmin(async ({ db, nowMs }) => {
        const tier = /^\d+$/.test(options.tier) ? Number(options.tier) : Number.NaN;
        const made = await createOrganisation(db, { slug, name: options.name ?? slug, tier }, nowMs);
        if (options.json) printJson(jsonOf(made));
        else {
          process.stdout.write(`${made.id}\n`);
          say(
            `Made the organisation ${slug}. Its first key: custos keys create --org ${slug} --name admin --scope 'admin:*'`,
          );
        }
      }),
    );

  org
    .command('list')
    .description('list the organisations, oldest first')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) =>
      runAdmin(async ({ db }) => {
        const all = await listOrganisations(db);
        if (options.json) return printJson(all.map(jsonOf));
        printTable(
          ['SLUG', 'NAME', 'TIER', 'OPERATOR', 'CREATED', 'ID'],
          all.map((one) => [
            one.slug,
            one.name,
            String(one.tier),
            one.isOperator ? 'yes' : 'no',
            one.createdAt.toISOString(),
            one.id,
          ]),
        );
      }),
    );
}

function jsonOf(one: Organisation) {
  return { ...one, createdAt: one.createdAt.toISOString() };
}
