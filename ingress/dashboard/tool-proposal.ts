// The catalogue that an import of a pasted list of tools would make. Nothing is written: authors edit the policy folder.
import { importTools } from '../../shared/core/policy/import-tools.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { ListingError, toolsOfListing, usableTools } from '../../shared/core/tools/listing.ts';
import { TOOLS_SCHEMA_ID, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { invalidField } from '../../shared/kernel/errors.ts';
import { JsonError, parseJson } from '../../shared/kernel/json.ts';
import type { ProposedTool, ToolProposal } from './client/wire/tools.ts';

export interface ProposalRequest {
  readonly server: string;
  /** JSON: the answer of the server to `tools/list`, its result, or the list of tools alone. */
  readonly listing: string;
  /** Whether entries in force are replaced by proposals, as with `--replace`. */
  readonly replace: boolean;
}

/** A name that any file system takes. */
function fileOf(server: string): string {
  const name = server.replaceAll(/[^0-9A-Za-z._-]+/g, '-').replace(/^[.-]+/, '');
  return `tools/${name === '' ? 'server' : name}.json`;
}

/** @throws {ListingError} */
function imported(
  { server, listing, replace }: ProposalRequest,
  before: ToolCatalogueFile | undefined,
  lexicon: Lexicon,
) {
  const { tools, leftOut } = usableTools(toolsOfListing(parseJson(listing)));
  const made = importTools({ server, tools, before, replace, schema: TOOLS_SCHEMA_ID, lexicon });
  if (made.problem !== undefined) throw new ListingError(`No catalogue can be made of these tools: ${made.problem}.`);
  return { ...made, leftOut };
}

/** @throws {ApiError} E2001 with what is wrong with the list */
export function proposalOf(
  request: ProposalRequest,
  inForce: readonly ToolCatalogueFile[],
  lexicon: Lexicon,
): ToolProposal {
  const before = inForce.find(({ server }) => server === request.server);
  try {
    const { compared, proposals, catalogue, text, leftOut } = imported(request, before, lexicon);
    const entries = new Map(Object.entries(catalogue.tools));
    const earlier = new Map(Object.entries(before?.tools ?? {}));
    const tools = compared.map(({ name, standing, digest }): ProposedTool => {
      const proposal = proposals.get(name);
      const entry = entries.get(name) ?? null;
      const differs = proposal !== undefined && JSON.stringify(proposal.entry) !== JSON.stringify(entry);
      return {
        name,
        standing,
        entry,
        proposed: differs ? proposal.entry : null,
        confidence: proposal?.confidence ?? null,
        reasons: proposal?.reasons ?? [],
        pinned: earlier.get(name)?.definition ?? null,
        listed: digest ?? null,
      };
    });
    return { file: fileOf(request.server), text, tools, leftOut };
  } catch (error) {
    if (error instanceof ListingError) throw invalidField('/listing', error.message);
    if (error instanceof JsonError) throw invalidField('/listing', `is not JSON: ${error.message}`);
    throw error;
  }
}
