// The command palette: a combobox with a list of commands (the ARIA pattern "combobox with listbox"), in a modal dialog.
import { api } from './api.ts';
import { type Command, COMMAND_GROUPS, found, jumpsOf, useRegistered } from './commands.ts';
import { useModal } from './components/dialog.ts';
import { html, useEffect, useId, useMemo, useRef, useState, type VNode } from './html.ts';
import { Icon } from './icons.ts';
import { mayOpen } from './page-access.ts';
import { PAGES } from './pages.ts';
import { useRecent } from './recent.ts';
import { href, navigate } from './router.ts';
import { useSession } from './session.ts';
import type { AgentRows } from './wire/agents.ts';

const SUGGESTED_AGENTS = 5;
const DEBOUNCE_MS = 150;

/** The agents whose ids begin with what was typed. */
function useAgents(typed: string): readonly string[] {
  const [ids, setIds] = useState<readonly string[]>([]);
  useEffect(() => {
    const prefix = typed.trim();
    setIds([]);
    if (prefix.length < 2) return undefined;
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      api<AgentRows>('/agents', { query: { prefix, limit: SUGGESTED_AGENTS }, signal: abort.signal }).then(
        ({ items }) => setIds(items.map(({ agentId }) => agentId)),
        // Suggestions are a convenience; without them an id can still be typed.
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed]);
  return ids;
}

/** All commands that fit what was typed, in the order of the list. */
function useMatches(typed: string): readonly Command[] {
  const session = useSession();
  const registered = useRegistered();
  const recent = useRecent();
  const agents = useAgents(typed);
  return useMemo(() => {
    const titles = new Map(PAGES.map((page) => [page.name, page]));
    const goTo =
      (page: string, id: string): (() => void) =>
      () =>
        navigate(href(page, id));
    const suggested = agents.map(
      (id): Command => ({
        id: `agent ${id}`,
        title: id,
        hint: 'Agent',
        group: 'Agents',
        icon: 'bot',
        run: goTo('agents', id),
      }),
    );
    const jumps = jumpsOf(typed)
      .filter(({ page, id }) => page !== 'agents' || !agents.includes(id))
      .map(
        ({ page, id, title, icon }): Command => ({
          id: `${page} ${id}`,
          title,
          hint: id,
          group: 'Open',
          icon,
          run: goTo(page, id),
        }),
      );
    const pages = PAGES.filter((page) => mayOpen(page, session)).map(
      ({ name, title, icon, words = '' }): Command => ({
        id: `page ${name}`,
        title,
        words,
        group: 'Pages',
        icon,
        run: () => navigate(href(name)),
      }),
    );
    const last = recent.map(({ page, id }): Command => {
      const { title = '', icon = 'clock' } = titles.get(page) ?? {};
      return { id: `recent ${page} ${id}`, title: id, hint: title, group: 'Recent', icon, run: goTo(page, id) };
    });
    const all = [...found([...last, ...pages, ...registered], typed), ...suggested, ...jumps];
    return COMMAND_GROUPS.flatMap((name) => all.filter(({ group }) => group === name));
  }, [typed, registered, recent, agents, session]);
}

export function Palette({ onClose }: { readonly onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const modal = useModal(dialog, onClose);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const matches = useMatches(typed);
  const at = Math.min(chosen, matches.length - 1);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    // After the focus has returned from the dialog: the command may move it.
    window.setTimeout(command.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      return run(matches[at]);
    }
    if (move === undefined || matches.length === 0) return;
    event.preventDefault();
    setChosen((at + move + matches.length) % matches.length);
  };
  const onInput = ({ currentTarget }: Event): void => {
    setTyped((currentTarget as HTMLInputElement).value);
    setChosen(0);
  };
  const option = (command: Command): VNode => {
    const n = matches.indexOf(command);
    return html`<div role="option" key=${command.id} id=${`${id}-${n}`} class="palette-option" aria-selected=${n === at} onPointerMove=${() => setChosen(n)} onClick=${() => run(command)}><${Icon} name=${command.icon} /><bdi class="palette-title">${command.title}</bdi>${command.hint && html`<bdi class="palette-hint">${command.hint}</bdi>`}</div>`;
  };
  return html`<dialog ref=${dialog} class="palette" aria-label="Search and commands" ...${modal}>
    <div class="palette-content">
      <div class="palette-field"><${Icon} name="search" size=${18} /><input data-first type="text" role="combobox" aria-label="Search pages, ids and actions" aria-expanded="true" aria-controls=${`${id}-list`} aria-autocomplete="list" aria-activedescendant=${matches.length === 0 ? undefined : `${id}-${at}`} autocomplete="off" autocapitalize="none" spellcheck=${false} placeholder="Search pages, agents, ids, actions…" value=${typed} onInput=${onInput} onKeyDown=${onKeyDown} /><kbd>Esc</kbd></div>
      <div class="palette-list" id=${`${id}-list`} role="listbox" aria-label="Commands">
        ${COMMAND_GROUPS.map((group) => {
          const those = matches.filter((each) => each.group === group);
          if (those.length === 0) return null;
          return html`<div role="group" key=${group} aria-labelledby=${`${id}-${group}`}><div class="palette-group" id=${`${id}-${group}`} role="presentation">${group}</div>${those.map(option)}</div>`;
        })}
      </div>
      <div class="visually-hidden" role="status">${matches.length === 0 ? 'No match' : `${matches.length} matches`}</div>
    </div>
  </dialog>`;
}
