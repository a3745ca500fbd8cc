// The import of a server's tools: the commands for it, or a pasted list, from which the page shows the catalogue file.
import { api, useAction } from '../api.ts';
import { count } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { save } from '../save.ts';
import { useKept } from '../session.ts';
import {
  Badge,
  type Column,
  Copy,
  Dialog,
  Empty,
  Field,
  FormError,
  Id,
  JsonView,
  Name,
  Notice,
  Said,
  Table,
  type Tone,
} from '../ui.ts';
import type { ProposedTool, ToolProposal } from '../wire/tools.ts';

export interface ImportDialogProps {
  /** '' when it is not chosen yet. */
  readonly server: string;
  readonly onClose: () => void;
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function ImportDialog({ server: chosen, onClose }: ImportDialogProps): VNode {
  const [server, setServer] = useKept('import: server', chosen);
  const [listing, setListing] = useKept('import: listing', '');
  const [replace, setReplace] = useState(false);
  const [proposal, setProposal] = useState<ToolProposal | undefined>(undefined);
  const compare = useAction(async () =>
    setProposal(await api<ToolProposal>('/tools/proposal', { body: { server: server.trim(), listing, replace } })),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    setProposal(undefined);
    void compare.run();
  };
  const name = server.trim() === '' ? 'my-server' : server.trim();
  const errors = (pointer: string) => (compare.error?.errors ?? []).filter((error) => error.pointer === pointer);
  return html`<${Dialog} title="Import tools" wide onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      <${Field} label="Server" hint="Its name in calls, as guards report it." errors=${errors('/server')}>${(control: object) => html`<input ...${control} data-first required maxlength="256" autocomplete="off" spellcheck=${false} value=${server} onInput=${(event: Event) => setServer((event.currentTarget as HTMLInputElement).value)} />`}<//>
      <${Commands} server=${name} />
      <${Field} label="Or paste its answer to tools/list" hint="JSON: the answer, its result, or the list of tools alone. Nothing is stored or changed." errors=${errors('/listing')}>${(control: object) => html`<textarea ...${control} rows="6" required spellcheck=${false} class="code-input" placeholder='{"tools": [{"name": "read_file", ...}]}' value=${listing} onInput=${(event: Event) => setListing((event.currentTarget as HTMLTextAreaElement).value)}></textarea>`}<//>
      <label class="check"><input type="checkbox" checked=${replace} onChange=${() => setReplace(!replace)} /> Replace entries that are in force, instead of keeping them</label>
      <${FormError} error=${compare.error?.errors.length === 0 ? compare.error : undefined} />
      <div class="form-actions"><button type="button" class="button" onClick=${onClose}>Close</button><button type="submit" class="button button-primary" disabled=${compare.busy}>${compare.busy ? 'Comparing…' : 'Compare'}</button></div>
    </form>
    <div role="status">${proposal && html`<${Proposal} proposal=${proposal} isReplaced=${replace} />`}</div>
  <//>`;
}

function Commands({ server }: { readonly server: string }): VNode {
  const [file, named] = [quoted(`policies/tools/${server}.json`), quoted(server)];
  const lines = [
    ['A server that is started by a command', `custos tools import --server ${named} --write ${file} -- npx <package>`],
    [
      'A server that runs elsewhere',
      `custos tools import --server ${named} --write ${file} --url https://example.com/mcp`,
    ],
  ] as const;
  return html`<div class="commands"><p class="field-label">Run in the folder of the policies</p>${lines.map(([title, command]) => html`<div key=${title} class="command"><p class="muted">${title}</p><div class="command-line"><code>${command}</code><${Copy} text=${command} label="Copy the command" /></div></div>`)}</div>`;
}

const STANDINGS: Readonly<Record<ProposedTool['standing'], readonly [tone: Tone, text: string]>> = {
  new: ['info', 'new'],
  changed: ['bad', 'changed'],
  gone: ['warn', 'gone'],
  unpinned: ['warn', 'not pinned'],
  same: ['good', 'as pinned'],
};
const CONFIDENCE: Readonly<Record<NonNullable<ProposedTool['confidence']>, Tone>> = {
  high: 'good',
  medium: 'warn',
  low: 'bad',
};

const COLUMNS: readonly Column<ProposedTool>[] = [
  { title: 'Tool', cell: ({ name }) => html`<${Name} text=${name} length=${40} />` },
  {
    title: 'Compared',
    cell: ({ standing, pinned, listed }) => {
      const [tone, text] = STANDINGS[standing];
      return html`<span class="tool-state"><${Badge} tone=${tone}>${text}<//>${standing === 'changed' && html`<span class="muted">pinned ${pinned && html`<${Id} id=${pinned} length=${18} />`}, listed ${listed && html`<${Id} id=${listed} length=${18} />`}</span>`}</span>`;
    },
  },
  { title: 'Entry in the file', cell: (tool) => html`<${Entry} tool=${tool} />` },
  {
    title: 'Confidence',
    cell: ({ confidence, reasons, standing }) =>
      confidence === null
        ? html`<span class="muted">–</span>`
        : html`<span class="tool-state"><${Badge} tone=${CONFIDENCE[confidence]}>${confidence}<//>${(standing === 'new' || standing === 'changed') && html`<span class="muted"><${Said} text=${reasons.join('; ')} /></span>`}</span>`,
  },
];

function entryText({ action, effect, resource }: NonNullable<ProposedTool['entry']>): string {
  return [action, effect, resource].filter((part) => part !== undefined).join(', ');
}

function Entry({ tool: { entry, proposed } }: { readonly tool: ProposedTool }): VNode {
  if (entry === null) return html`<span class="muted">none</span>`;
  const differs = proposed !== null && entryText(proposed) !== entryText(entry);
  return html`<span class="tool-state"><span>${entryText(entry)}</span>${differs && html`<span class="muted">a new import would propose: ${entryText(proposed)}</span>`}</span>`;
}

/** What differs first. */
const ORDER: readonly ProposedTool['standing'][] = ['changed', 'new', 'gone', 'unpinned', 'same'];

function Proposal({ proposal, isReplaced }: { readonly proposal: ToolProposal; readonly isReplaced: boolean }): VNode {
  const { tools, file, text, leftOut } = proposal;
  const rows = tools.toSorted((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing));
  const numberOf = (standing: ProposedTool['standing']): number =>
    tools.filter((tool) => tool.standing === standing).length;
  const facts = ORDER.flatMap((standing) =>
    numberOf(standing) === 0 ? [] : `${numberOf(standing)} ${STANDINGS[standing][1]}`,
  );
  const changed = numberOf('changed');
  return html`<section class="proposal" aria-label="The resulting catalogue">
    <p><strong>${count(tools.length, 'tool')}</strong>: ${facts.join(', ')}.</p>
    ${changed > 0 && !isReplaced && html`<${Notice} tone="warn" title=${changed === 1 ? 'A tool has another definition than the pinned one' : `${changed} tools have other definitions than the pinned ones`}>Their entries are kept, and their calls stay unknown. Review each tool, then set "definition" of its entry to the listed digest, or replace the entries.<//>`}
    ${leftOut.length > 0 && html`<${Notice} tone="warn" title="Some tools can't be in a catalogue">${leftOut.map(({ name, reason }) => html`<p key=${name}><${Name} text=${name} />: ${reason}.</p>`)}<//>`}
    <${Table} caption="The tools of the list, compared with the catalogue in force" columns=${COLUMNS} rows=${rows} keyOf=${({ name }: ProposedTool) => name} empty=${html`<${Empty} title="The list has no tools" />`} />
    <div class="toolbar"><p>Save it as <code>${file}</code> in the policy folder, review it, and the service reads it.</p><button type="button" class="button button-primary" onClick=${() => save(file.slice('tools/'.length), 'application/json', text)}>Download the file</button></div>
    <details class="more"><summary>The file</summary><${JsonView} value=${JSON.parse(text)} label="the catalogue" /></details>
  </section>`;
}
