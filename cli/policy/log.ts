// `custos policy log`: who put which policy set into force, for whom, when and why.
import type { Static } from 'typebox';
import type { PolicyActivationList } from '../../shared/api/policy-change.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { activationView, listActivations } from '../../shared/domain/policy-sets/activations.ts';
import { runAdmin } from '../admin.ts';
import { EXIT, exitWith } from '../exit.ts';
import { wholeNumber } from '../options.ts';
import { printJson, printTable } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { callService, type RemoteOptions, withRemote } from './remote.ts';

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 20;
/** Of a page over HTTP. */
const PAGE = 200;

type Activations = Static<typeof PolicyActivationList>['items'];

async function readRemotely(options: RemoteOptions, limit: number): Promise<Activations> {
  const items: Activations = [];
  let cursor: string | null = '';
  while (cursor !== null && items.length < limit) {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE, limit - items.length)),
      ...(cursor && { cursor }),
    });
    // The service's documented answer.
    const page = (await callService(options, 'GET', `/v1/policies/activations?${query}`)) as Static<
      typeof PolicyActivationList
    >;
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

function print(items: Activations, json: true | undefined): void {
  if (json) return printJson(items);
  printTable(
    ['IN FORCE FROM', 'SET', 'FOR', 'BY', 'APPROVED BY', 'HOW', 'WHY'],
    items.map(({ activatedAt, digest, organisation, author, approver, source, reason }) => [
      activatedAt,
      digest,
      printable(organisation ?? 'all'),
      printable(author),
      printable(approver ?? ''),
      source,
      printable(reason ?? ''),
    ]),
  );
}

export const policyLogCommand: CommandBody = {
  define: (command) =>
    withRemote(command)
      .option('--limit <n>', `at most this many, up to ${MAX_LIMIT}`, wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
      .option('--json', 'print JSON')
      .action(
        exitWith(async ({ limit, json, ...options }) => {
          if (options.url !== undefined) print(await readRemotely(options, limit), json);
          else
            await runAdmin(async ({ db }) => print((await listActivations(db, { limit })).map(activationView), json));
          return EXIT.ok;
        }),
      ),
};
