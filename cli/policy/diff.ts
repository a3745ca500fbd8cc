// `custos policy diff`: what differs between two policy sets, with requests that they answer differently.
import { comparePolicySets } from '../../shared/core/policy/compare.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { draftOfDigest } from '../../shared/domain/drafts/replay-draft.ts';
import { runAdmin } from '../admin.ts';
import { EXIT, exitWith, UsageError } from '../exit.ts';
import { printFindings, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { type RemoteOptions, withRemote } from './remote.ts';
import { comparisonLines } from './diff-text.ts';
import { admitFolder, readFolder, shownFinding } from './folder.ts';
import { resolved } from './place.ts';
import { activeDigest, loaded, setOfService } from './stored.ts';

const ACTIVE = 'active';
const DIGEST = /^[0-9a-f]{64}$/;
const HELP = 'a policy folder, the digest of a stored set, or "active" for the set in force';

export const diffPoliciesCommand: CommandBody = {
  notes: 'The requests are found by the solver of the linter and checked by evaluating them under both sets.',
  exitCodes: {
    [EXIT.ok]: 'The sets were compared, also when they differ (unless --fail-on-change is given).',
    [EXIT.broken]: 'One of them has errors; nothing was compared.',
    [EXIT.unmet]: 'With --fail-on-change: the sets differ.',
  },
  define: (command) =>
    withRemote(command.argument('<before>', HELP).argument('<after>', HELP))
      .option('--json', 'print JSON')
      .option('--fail-on-change', 'exit with code 4 when the sets differ')
      .action(
        exitWith(async (before, after, { json, failOnChange, ...options }) => {
          const sets = await setsOf([before, after], options);
          const [old, now] = sets;
          if (old === undefined || now === undefined) return EXIT.broken;
          const comparison = comparePolicySets(old, now);
          if (json) printJson(comparison);
          else for (const line of comparisonLines(comparison, old, now)) printLine(line);
          return failOnChange && comparison.parts.length > 0 ? EXIT.unmet : EXIT.ok;
        }),
      ),
};

const isStored = (named: string): boolean => named === ACTIVE || DIGEST.test(named);

/** Undefined for a folder with errors, which are printed. The database is opened only if one of them is stored there. */
async function setsOf(named: readonly string[], options: RemoteOptions): Promise<(PolicySet | undefined)[]> {
  const stored = new Map<string, PolicySet>();
  if (options.url !== undefined)
    for (const name of named.filter(isStored)) stored.set(name, await setOfService(options, name));
  else if (named.some(isStored))
    await runAdmin(async ({ db }) => {
      for (const name of named.filter(isStored)) {
        const digest = name === ACTIVE ? await activeDigest(db) : name;
        const set = digest === undefined ? undefined : await draftOfDigest(db, digest);
        if (set === undefined)
          throw new UsageError(
            name === ACTIVE ? 'No set is in force yet.' : `No set with the digest ${name} is stored.`,
          );
        stored.set(name, loaded(name, set));
      }
    });
  const sets: (PolicySet | undefined)[] = [];
  for (const name of named) sets.push(stored.get(name) ?? (await setOfFolder(resolved(name))));
  return sets;
}

async function setOfFolder(dir: string): Promise<PolicySet | undefined> {
  const { set, errors } = admitFolder(await readFolder(dir));
  if (set === undefined) printFindings(errors.map((finding) => shownFinding(dir, finding)));
  return set;
}
