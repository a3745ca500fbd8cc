// A button that opens a menu (the ARIA pattern "menu button"): arrow keys move, Enter picks, Escape closes.
import { type ComponentChildren, html, useId, useLayoutEffect, useRef, useState, type VNode } from '../html.ts';
import { Icon } from '../icons.ts';

export interface MenuItem {
  readonly text: string;
  /** Below the text. */
  readonly hint?: string;
  /** Of a menu in which one item is chosen. */
  readonly isChosen?: boolean;
  readonly onPick: () => void;
}

export interface MenuProps {
  /** Names the button for screen readers, in addition to its content. */
  readonly label: string;
  /** Content of the button. */
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly items: readonly MenuItem[];
}

/** The item that a key moves to. */
function targetOf(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % length;
    case 'ArrowUp':
      return (at - 1 + length) % length;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}

export function Menu({ label, children, class: name = 'button', items }: MenuProps): VNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const close = (): void => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  // A layout effect: a key that is pressed right after the menu opened must find the focus in it.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const chosen = items.findIndex(({ isChosen }) => isChosen === true);
    buttons()[Math.max(0, chosen)]?.focus();
    const leave = ({ target }: Event): void => {
      if (target instanceof Node && root.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      return close();
    }
    const all = buttons();
    const target = targetOf(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (target === undefined) return;
    event.preventDefault();
    all[target]?.focus();
  };
  const pick = (item: MenuItem): void => {
    close();
    item.onPick();
  };
  return html`<div class="menu-host" ref=${root} onKeyDown=${onKeyDown}>
    <button type="button" class=${name} aria-haspopup="menu" aria-expanded=${isOpen} aria-controls=${id} onClick=${() => setOpen(!isOpen)}><span class="visually-hidden">${label} </span>${children}</button>
    ${
      isOpen &&
      html`<div class="menu-list" id=${id} role="menu" aria-label=${label}>${items.map((item) => html`<button type="button" key=${item.text} class="menu-item" role=${item.isChosen === undefined ? 'menuitem' : 'menuitemradio'} aria-checked=${item.isChosen} tabindex="-1" onClick=${() => pick(item)}><span>${item.text}${item.hint && html`<span class="menu-hint">${item.hint}</span>`}</span>${item.isChosen === true && html`<${Icon} name="check" />`}</button>`)}</div>`
    }
  </div>`;
}
