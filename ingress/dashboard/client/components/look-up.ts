// A field and a button that open the page of an id.
import { html, useId, useState, type VNode } from '../html.ts';

export interface LookUpProps {
  readonly label: string;
  readonly placeholder?: string;
  /** Called with the trimmed text, unless it is empty. */
  readonly onGo: (text: string) => void;
}

export function LookUp({ label, placeholder, onGo }: LookUpProps): VNode {
  const id = useId();
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== '') onGo(text.trim());
  };
  return html`<form class="look-up field" onSubmit=${submit}>
    <label for=${id}>${label}</label>
    <div class="with-button"><input id=${id} type="text" autocomplete="off" autocapitalize="none" spellcheck=${false} placeholder=${placeholder} value=${text} onInput=${(event: Event) => setText((event.currentTarget as HTMLInputElement).value)} /><button type="submit" class="button">Open</button></div>
  </form>`;
}
