// The catalogues of a policy folder, with the places of their entries in the files.
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { isCatalogue } from '../../shared/core/policy/files.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import type { ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { didYouMean } from '../../shared/kernel/near.ts';
import { parseJsonWithPositions, pointerToken } from '../../shared/kernel/json.ts';
import { UsageError } from '../exit.ts';
import { printBroken } from '../policy/findings.ts';
import { admitFolder, readFolder, shownPath } from '../policy/folder.ts';
import { policyDirOf } from '../policy/place.ts';

export const POLICIES_HELP = 'the policy folder (default: CUSTOS_POLICY_DIR, or policies)';

export interface LoadedFolder {
  readonly set: PolicySet<Lexicon>;
  /** `file:line:column` of the entry of a tool, or of its catalogue; undefined when no file has it. */
  readonly placeOf: (server: string, tool: string) => string | undefined;
}

/** @returns undefined when the folder is broken; its errors are printed then @throws {UsageError} when it can't be read */
export async function loadFolder(
  policies: string | undefined,
  json: true | undefined,
): Promise<LoadedFolder | undefined> {
  const dir = policyDirOf(policies);
  const folder = await readFolder(dir);
  const { set } = admitFolder(folder);
  if (set === undefined) {
    await printBroken(dir, json);
    return undefined;
  }
  const files = folder.policies.filter(isCatalogue).map((file) => ({ file, ...parseJsonWithPositions(file.text) }));
  return {
    set,
    placeOf(server, tool) {
      // The files of a set that loads are catalogues.
      const found = files.find(({ value }) => (value as ToolCatalogueFile).server === server);
      if (found === undefined) return undefined;
      const { line, column } = found.locate(`/tools${pointerToken(tool)}`);
      return `${shownPath(dir, found.file.path)}:${line}:${column}`;
    },
  };
}

/** @throws {UsageError} when the set has no catalogue of the server */
export function catalogueOf({ catalogues }: PolicySet, server: string): ToolCatalogueFile {
  const found = catalogues.find((one) => one.server === server);
  if (found !== undefined) return found;
  const servers = catalogues.map((one) => one.server);
  const near = didYouMean(server, servers) || '.';
  throw new UsageError(`The policy folder has no catalogue of the server ${JSON.stringify(server)}${near}`);
}
