// Verifies a receipt from a file or the clipboard in the browser. The receipt is not sent anywhere.
import { html, useId, useState, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Card, Loading, Notice, PageHead } from '../ui.ts';
import { MAX_RECEIPT_BYTES } from '../verify/receipt.ts';
import { useVerification } from './receipts-item.ts';
import { ReceiptShown } from './receipts-shown.ts';

export function CheckPage(): VNode {
  const id = useId();
  const [typed, setTyped] = useKept('receipt', '');
  const [given, setGiven] = useState<string | undefined>(undefined);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [over, setOver] = useState(false);
  const verification = useVerification(given);

  const check = (text: string): void => {
    setRefused(undefined);
    setTyped(text);
    setGiven(text.trim() === '' ? undefined : text);
  };
  const read = async (files: FileList | null | undefined): Promise<void> => {
    const file = files?.[0];
    if (file === undefined) return;
    if (file.size > MAX_RECEIPT_BYTES) {
      setGiven(undefined);
      setRefused(
        `${file.name} has ${file.size.toLocaleString('en')} bytes; this page verifies receipts of at most ${MAX_RECEIPT_BYTES.toLocaleString('en')}.`,
      );
      return;
    }
    check(await file.text());
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer?.files);
  };
  const isChanged = given !== undefined && given !== typed;
  return html`<${PageHead} title="Check a receipt" lead="Paste a receipt, as JSON or as a tlog-proof, or drop its file. Your browser verifies it with the keys of your log; it is not sent anywhere." back=${{ page: 'receipts', label: 'Receipts' }} />
    <${Card}>
      <form class=${`form drop ${over ? 'drop-over' : ''}`} onSubmit=${(event: Event) => {
        event.preventDefault();
        check(typed);
      }} onDragOver=${(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
        <div class="field"><label for=${id}>Receipt</label><textarea id=${id} class="paste" rows="9" spellcheck=${false} autocomplete="off" placeholder='{"format":"custos-receipt/1", …' value=${typed} onInput=${(event: Event) => setTyped((event.currentTarget as HTMLTextAreaElement).value)}></textarea></div>
        <div class="form-actions">
          <label class="button file-button">Choose a file<input type="file" class="visually-hidden" accept=".json,.txt,.tlog-proof,application/json,text/plain" onChange=${(
            event: Event,
          ) => {
            const field = event.currentTarget as HTMLInputElement;
            void read(field.files).then(() => {
              // So that choosing the same file again is a change.
              field.value = '';
            });
          }} /></label>
          <button type="submit" class="button button-primary" disabled=${typed.trim() === ''}>Verify</button>
        </div>
      </form>
    <//>
    <div class="section">
      ${refused !== undefined && html`<div role="alert"><${Notice} tone="bad" title="The file is too large">${refused}<//></div>`}
      ${isChanged && html`<p class="muted">The text has changed. "Verify" checks it again.</p>`}
      ${given !== undefined && (verification === undefined ? html`<${Loading} what="Verifying" />` : html`<${ReceiptShown} receipt=${verification.receipt} verification=${verification} />`)}
    </div>`;
}
