// The answers of the page of tools. Types only, which the server imports as well.
import type { Standing, UsableTools } from '#shared/core/tools/listing.js';
import type { Confidence } from '#shared/core/tools/propose.js';
import type { ToolEntry } from '#shared/core/tools/schema.js';
import type { Effect } from '#shared/kernel/vocabulary.js';
import type { ListPage } from '../wire.ts';
import type { LastDecision } from './agents.ts';

/** A tool that was called in the last day and that no catalogue lists, or whose definition is not the pinned one. */
export interface StrangeTool {
  readonly server: string;
  readonly name: string;
  readonly state: 'unknown' | 'changed';
  /** Such calls among those that were read. */
  readonly calls: number;
  /** Up to five of the agents that called it. */
  readonly agents: readonly string[];
  readonly agentCount: number;
  readonly last: LastDecision;
  /** Whether a catalogue in force lists it now: then it was added since, or calls of it did not fit its entry. */
  readonly isListed: boolean;
  /** Digests of the definition: the pinned one, and that of the last call; null: there is none. */
  readonly pinned: string | null;
  readonly seen: string | null;
}

/** GET /dashboard/api/tools/strange: those that were called last first. */
export interface StrangeTools {
  readonly items: readonly StrangeTool[];
  /** Whether only the newest `read` calls of the day were read. */
  readonly more: boolean;
  readonly read: number;
}

/** A catalogue of the set in force. */
export interface CatalogueInfo {
  readonly server: string;
  readonly description: string;
  readonly trustAnnotations: boolean;
  readonly tools: number;
  readonly pinned: number;
}

/** A tool of a catalogue in force, with its calls of the last day in the organisation and environment. */
export interface ListedTool {
  readonly server: string;
  readonly name: string;
  readonly entry: ToolEntry;
  readonly effect: Effect;
  /** Up to 1,000. */
  readonly calls: number;
  readonly last: LastDecision | null;
}

/** GET /dashboard/api/tools: by server and name. */
export interface ListedTools extends ListPage<ListedTool> {
  readonly digest: string;
  readonly servers: readonly CatalogueInfo[];
}

/** A tool of a pasted list, compared with the catalogue in force. */
export interface ProposedTool {
  readonly name: string;
  readonly standing: Standing;
  /** The entry in the resulting file; null: the file has none. */
  readonly entry: ToolEntry | null;
  /** What a new import would propose, when it differs from the entry that is kept. */
  readonly proposed: ToolEntry | null;
  /** Of the proposal; null for a tool that is gone. */
  readonly confidence: Confidence | null;
  readonly reasons: readonly string[];
  readonly pinned: string | null;
  /** The digest of the listed definition. */
  readonly listed: string | null;
}

/** POST /dashboard/api/tools/proposal */
export interface ToolProposal {
  /** In the policy folder. */
  readonly file: string;
  readonly text: string;
  readonly tools: readonly ProposedTool[];
  readonly leftOut: UsableTools['leftOut'];
}
