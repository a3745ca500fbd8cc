// A tool call for reading: its server and tool, what the catalogue makes of it, and every argument.
import type { ToolFacts } from '#shared/core/tools/call.js';
import type { DecisionAnswer } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import type { Masked } from '../wire.ts';
import { Badge } from './badge.ts';
import { KeyValue } from './layout.ts';
import { Name } from './name.ts';
import { Id, Said } from './text.ts';
import { ValueTree } from './value-tree.ts';

type ToolSaid = NonNullable<DecisionAnswer['tool']>;

/** The two states of a call in words; `true` and `false` are the values of the facts. */
export const TOOL_STATES = {
  known: {
    true: 'a catalogue says what it does',
    false: 'not in any catalogue, or called in a way that its catalogue does not cover',
  },
  changed: {
    true: 'its definition changed since it was pinned',
    false: 'its definition is the pinned one, or none is pinned',
  },
} as const;

/** `filesystem/write_file` */
export function ToolName({ tool }: { readonly tool: Pick<ToolSaid, 'server' | 'name'> }): VNode {
  return html`<span class="tool-name"><span class="muted"><${Name} text=${tool.server} length=${32} />/</span><${Name} text=${tool.name} length=${48} /></span>`;
}

function Hints({ annotations }: { readonly annotations: NonNullable<ToolFacts['annotations']> }): VNode {
  const texts = Object.entries(annotations).map(([name, value]) => `${name}: ${String(value)}`);
  return html`<${Said} text=${texts.join(', ')} /> <span class="muted">the server's own words, not verified</span>`;
}

export interface ToolCallProps {
  readonly tool: ToolSaid;
  /** Undefined: erased by retention, or not readable. */
  readonly facts: ToolFacts | undefined;
  readonly masked: readonly Masked[];
  /** In place of the arguments when there are no facts. */
  readonly missing: string;
}

export function ToolCall({ tool, facts, masked, missing }: ToolCallProps): VNode {
  const { known, changed } = tool;
  const digest = facts?.definition_digest;
  return html`<${KeyValue} items=${[
    ['Server', html`<${Name} text=${tool.server} length=${120} />`],
    ['Tool', html`<${Name} text=${tool.name} length=${120} />`],
    [
      'Catalogue',
      known
        ? html`<${Badge} tone="good">known<//>`
        : html`<${Badge} tone="warn">not known<//> <span class="muted">${facts?.problem === undefined ? TOOL_STATES.known.false : html`<${Said} text=${facts.problem} />`}</span>`,
    ],
    [
      'Definition',
      html`${changed && html`<${Badge} tone="bad">changed<//> <span class="muted">${TOOL_STATES.changed.true}${facts !== undefined && digest === undefined && ': the call came without a digest of it'}</span> `}${digest === undefined ? !changed && html`<span class="muted">not pinned</span>` : html`<${Id} id=${digest} length=${24} copy />`}`,
    ],
    [
      'Hints',
      facts?.annotations && Object.keys(facts.annotations).length > 0
        ? html`<${Hints} annotations=${facts.annotations} />`
        : undefined,
    ],
  ]} />
  <h3 class="tree-title">Arguments</h3>
  ${facts === undefined ? html`<p class="muted">${missing}</p>` : html`<${ValueTree} value=${facts.arguments} masked=${masked} />`}`;
}
