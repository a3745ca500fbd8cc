// Keyboard shortcuts of all pages: Ctrl-K or Cmd-K, and the single keys / and ?, which a person may turn off (WCAG 2.1.4).
import { useEffect } from './html.ts';
import { readStored, writeStored } from './storage.ts';
import { createStore, useStore } from './store.ts';

const KEY = 'custos-single-keys';
const singleKeys = createStore(readStored(KEY) !== 'off');

export const useSingleKeys = (): boolean => useStore(singleKeys);

export function allowSingleKeys(isOn: boolean): void {
  singleKeys.set(isOn);
  writeStored(KEY, isOn ? 'on' : 'off');
}

const TEXT_FIELD = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable]';

/** Whether a single key must be left alone: it is typed into a field, or single keys are off, or a modifier is held. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !singleKeys.get()) return true;
  return target instanceof Element && target.closest(TEXT_FIELD) !== null;
}

export interface ShortcutActions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Listens while the frame is shown. */
export function useShortcuts({ openPalette, openHelp }: ShortcutActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return openPalette();
      }
      if (isTyping(event) || document.querySelector('dialog[open]') !== null) return;
      if (event.key === '/') {
        event.preventDefault();
        const field = document.querySelector<HTMLElement>('main [data-search], main input[type="search"]');
        if (field === null || !field.checkVisibility()) openPalette();
        else field.focus();
      }
      if (event.key === '?') openHelp();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
