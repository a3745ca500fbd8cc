// The commands of the palette (Ctrl-K): pages, recent items, ids, and actions that parts of the dashboard register.
import { useEffect } from './html.ts';
import type { IconName } from './icons.ts';
import { createStore, useStore } from './store.ts';

/** In the order of the list. Agents, which are requested, come last with guesses, so that nothing moves while a person picks. */
export const COMMAND_GROUPS = ['Recent', 'Pages', 'Actions', 'Agents', 'Open'] as const;

export interface Command {
  /** Unique. */
  readonly id: string;
  readonly title: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  readonly icon: IconName;
  /** Beside the title: an id, a kind. */
  readonly hint?: string;
  /** Other words that find it. */
  readonly words?: string;
  readonly run: () => void;
}

const registered = createStore<readonly (readonly Command[])[]>([]);

/** Adds commands to the palette while the component is shown. @param commands whose identity changes only with their content */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    registered.set([...registered.get(), commands]);
    return () => registered.set(registered.get().filter((each) => each !== commands));
  }, [commands]);
}

export const useRegistered = (): readonly Command[] => useStore(registered).flat();

/** How well a command fits what was typed; undefined: not at all. All typed words must begin a word of the command. */
export function rankOf(
  { title, hint = '', words = '' }: Pick<Command, 'title' | 'hint' | 'words'>,
  typed: string,
): number | undefined {
  const asked = wordsOf(typed);
  const inTitle = wordsOf(title);
  const all = [...inTitle, ...wordsOf(hint), ...wordsOf(words)];
  if (!asked.every((word) => all.some((each) => each.startsWith(word)))) return undefined;
  if (title.toLowerCase().startsWith(typed.trim().toLowerCase())) return 0;
  return asked.every((word) => inTitle.some((each) => each.startsWith(word))) ? 1 : 2;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');
}

/** The commands that fit, the best first within each group; groups stay in their order. */
export function found(commands: readonly Command[], typed: string): Command[] {
  return commands
    .map((command) => ({ command, rank: rankOf(command, typed) }))
    .filter((each): each is { command: Command; rank: number } => each.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

/** Where an id leads, by its prefix. */
const BY_PREFIX: Readonly<Record<string, readonly [page: string, kind: string, icon: IconName]>> = {
  dec: ['decisions', 'decision', 'scale'],
  apr: ['approvals', 'approval', 'user-check'],
  prf: ['receipts', 'receipt', 'file-check'],
};

export interface Jump {
  readonly page: string;
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
}

/** Where typed text may lead: the page of its id, or the agent and the receipt of that name. */
export function jumpsOf(typed: string): Jump[] {
  const id = typed.trim();
  if (id === '') return [];
  const [page, kind, icon] = BY_PREFIX[/^([a-z]{3})_[0-9a-z]{26}$/.exec(id)?.[1] ?? ''] ?? [];
  if (page !== undefined && icon !== undefined) return [{ page, id, title: `Open the ${kind}`, icon }];
  return [
    { page: 'agents', id, title: 'Open the agent', icon: 'bot' },
    { page: 'receipts', id, title: 'Find the receipt', icon: 'file-check' },
  ];
}
