// The list of waiting approvals, to be worked through with the keyboard: soonest expiry first, alike ones together.
import { usePages } from '../api.ts';
import { useAsList } from '../components/table.ts';
import { count } from '../format.ts';
import { html, type RefObject, useEffect, useRef, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { isTyping } from '../shortcuts.ts';
import { Empty, ErrorState, Loading } from '../ui.ts';
import type { ApprovalGroup, WaitingApprovals, WaitingGroups } from '../wire/approvals.ts';
import { WaitingChangeList } from './approvals-changes.ts';
import { type Desk, ROW, useDesk } from './approvals-desk.ts';
import { AskGroup, AskRow } from './approvals-rows.ts';

const GROUPS = 30;

export function WaitingList({ agentId }: { readonly agentId: string | undefined }): VNode {
  useAsList();
  const pages = usePages<ApprovalGroup>('/approvals/waiting', { agentId, limit: GROUPS });
  const live = useLive<WaitingApprovals>('approvals');
  const place = useRef<HTMLDivElement>(null);
  const desk = useDesk(place);
  const typedAt = useRef(Number.NEGATIVE_INFINITY);
  const { data, error, items, page, older, newer, newerIsFirst, reload } = pages;
  useEffect(() => desk.clear(), [data]);
  useFirstRow(place);
  if (data === undefined)
    return error === undefined ? html`<${Loading} />` : html`<${ErrorState} error=${error} onRetry=${reload} />`;
  // The route of this list adds it to the page.
  const { newest } = data as WaitingGroups;
  return html`<div class="asks" id="list" tabindex="-1" ref=${place} onKeyDown=${(event: KeyboardEvent) => {
    if (!isOfWord(event, typedAt)) onKey(event, place.current, desk);
  }}>
    <div class="asks-head">
      <p class="muted asks-keys"><span class="visually-hidden">Keys: </span><kbd>j</kbd> <kbd>k</kbd> next and previous <kbd>a</kbd> approve <kbd>r</kbd> reject <kbd>Esc</kbd> cancel</p>
      <${Fresh} newest=${newest ?? undefined} live=${live} agentId=${agentId} onShow=${reload} />
    </div>
    <div class="visually-hidden" role="status">${desk.said}</div>
    ${agentId === undefined && html`<${WaitingChangeList} desk=${desk} turn=${data} />`}
    ${
      items.length === 0
        ? html`<div class="card"><${Empty} title="No approvals are waiting">Requests that policies escalate${agentId === undefined ? '' : ' for this agent'} appear here by themselves.<//></div>`
        : html`<div class="card ask-list">${items.map((group) =>
            group.count === 1 && group.items[0] !== undefined
              ? html`<${AskRow} key=${group.id} ask=${group.items[0]} group=${group} desk=${desk} live=${live} />`
              : html`<${AskGroup} key=${group.id} group=${group} desk=${desk} live=${live} />`,
          )}</div>`
    }
    ${
      (older ?? newer) &&
      html`<nav class="pager" aria-label="Pages of the list">
      <button type="button" class="button" disabled=${newer === undefined} onClick=${newer}>${newerIsFirst ? 'First page' : 'Sooner'}</button>
      <span class="muted num" aria-live="polite">Page ${page}</span>
      <button type="button" class="button" disabled=${older === undefined} onClick=${older}>Later</button>
    </nav>`
    }
  </div>`;
}

/** From anywhere else on the page j and k go to the first row; in the list `onKey` does the rest. */
function useFirstRow(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.key !== 'j' && event.key !== 'k') || event.defaultPrevented || isTyping(event)) return;
      if (document.querySelector('dialog[open]') !== null || document.activeElement?.closest(ROW)) return;
      place.current?.querySelector<HTMLElement>(ROW)?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Within this time after another letter, a letter is part of a word and not a shortcut. */
const WORD_MS = 400;

/** Whether a letter belongs to a word: the focus may move to the next row while somebody still types in the field of the last one. */
function isOfWord({ key, target, timeStamp }: KeyboardEvent, typedAt: { current: number }): boolean {
  const isWord = timeStamp - typedAt.current < WORD_MS;
  const inField = target instanceof HTMLElement && target.matches('input');
  const isShortcut = STEPS[key] !== undefined || key === 'a' || key === 'r';
  if (key === 'Enter') typedAt.current = Number.NEGATIVE_INFINITY;
  else if (key.length === 1 && (isWord || inField || !isShortcut)) typedAt.current = timeStamp;
  return isWord && key.length === 1 && !inField;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Keys of the list. They only move the focus or open the field for the reason. */
function onKey(event: KeyboardEvent, place: HTMLElement | null, desk: Desk): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = target.closest<HTMLElement>(ROW);
  if (row === null || (key.length === 1 ? isTyping(event) : target.matches('input, textarea, select'))) return;
  const step = STEPS[key];
  if (step !== undefined) {
    event.preventDefault();
    const rows = [...(place?.querySelectorAll<HTMLElement>(ROW) ?? [])];
    rows[rows.indexOf(row) + step]?.focus();
  } else if (key === 'a' || key === 'r') {
    event.preventDefault();
    // While a reason is asked for, letters never change what is decided.
    if (desk.asked === undefined && !event.repeat) askFor(row, key === 'a' ? 'approve' : 'reject', desk);
  }
}

function askFor(row: HTMLElement, verb: 'approve' | 'reject', desk: Desk): void {
  if (row.dataset['shut'] !== undefined) return desk.say('Your key may not decide this request.');
  if (row.dataset['ended'] !== undefined) return desk.say('This request does not wait any more.');
  // The buttons of the row do the same; the group's also opens it.
  const button = row.querySelector<HTMLButtonElement>(`.ask-buttons [data-verb=${verb}]`);
  if (button === null) return desk.say('Your key is not among those that may approve this request.');
  button.click();
}

interface FreshProps {
  /** Undefined: the list was empty. */
  readonly newest: string | undefined;
  readonly live: WaitingApprovals | undefined;
  readonly agentId: string | undefined;
  readonly onShow: () => void;
}

/** A button that shows new approvals. The list does not move by itself, so that it can be read. */
function Fresh({ newest = '', live, agentId, onShow }: FreshProps): VNode {
  const fresh = (live?.newest ?? []).filter(
    (each) => each.approvalId > newest && (agentId === undefined || each.agentId === agentId),
  );
  return html`<div class="fresh" role="status"><button type="button" class=${`button button-small ${fresh.length > 0 ? 'button-primary' : ''}`} onClick=${onShow}>${fresh.length > 0 ? `Show ${count(fresh.length, 'new approval')}` : 'Refresh'}</button></div>`;
}
