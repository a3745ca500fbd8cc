// A panel at the side of a list with the details of one row. The list beside it stays usable; on narrow screens it covers the page.
import { type ComponentChildren, html, useEffect, useId, useRef, type VNode } from '../html.ts';

export interface DrawerProps {
  readonly title: ComponentChildren;
  /** Changes with the item: the panel then scrolls to its top. */
  readonly item: string;
  /** Buttons in the head, before the one that closes. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
  /** Enter, while no control has the focus. */
  readonly onEnter?: () => void;
  readonly children?: ComponentChildren;
}

/** The focus moves to the panel when it opens, and back when it closes. */
export function Drawer({ title, item, actions, onClose, onEnter, children }: DrawerProps): VNode {
  const panel = useRef<HTMLElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => panel.current?.querySelector('.drawer-body')?.scrollTo(0, 0), [item]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onClose();
    } else if (event.key === 'Enter' && event.target === panel.current) onEnter?.();
  };
  return html`<aside class="drawer" ref=${panel} tabindex="-1" aria-labelledby=${id} onKeyDown=${onKeyDown}>
    <div class="drawer-head">
      <h2 id=${id}>${title}</h2>
      <div class="drawer-actions">${actions}<button type="button" class="button button-quiet button-small" aria-label="Close" title="Close (Esc)" onClick=${onClose}>✕</button></div>
    </div>
    <div class="drawer-body">${children}</div>
  </aside>`;
}
