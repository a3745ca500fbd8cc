// The dialog that lists the keyboard shortcuts, and turns single keys off.
import { Dialog } from './components/dialog.ts';
import { html, type VNode } from './html.ts';
import { allowSingleKeys, useSingleKeys } from './shortcuts.ts';

const SHORTCUTS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Search pages, ids and actions (also Cmd K)'],
  [['/'], 'Go to the search field of the page'],
  [['j'], 'The next row, in a drawer'],
  [['k'], 'The previous row, in a drawer'],
  [['a'], 'Approve a row of the approvals, after a reason (r: reject; j and k: next and previous)'],
  [['?'], 'Show these shortcuts'],
  [['Esc'], 'Close what is open'],
];

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): VNode {
  const isOn = useSingleKeys();
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <dl class="shortcuts">${SHORTCUTS.map(([keys, what]) => html`<div key=${what}><dt>${keys.map((key) => html`<kbd key=${key}>${key}</kbd>`)}</dt><dd>${what}</dd></div>`)}</dl>
    <label class="choice"><input type="checkbox" checked=${isOn} onChange=${({ currentTarget }: Event) => allowSingleKeys((currentTarget as HTMLInputElement).checked)} /> Single keys (/, ?, j, k, a, r) work as shortcuts</label>
  <//>`;
}
