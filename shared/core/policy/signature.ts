// Ed25519 signatures of policy sets: the signed text, the line that carries a signature, and the list of trusted signers. Pure.
import { type KeyObject, sign, verify } from 'node:crypto';
import { publicKeyFromRaw } from '../proof/ed25519.ts';

/**
 * A signature covers the set's digest and a sequence number, which must be higher than that of every signature that was accepted
 * before. Otherwise whoever kept an old signed set could put it into force again.
 */
export interface SetSignature {
  readonly signer: string;
  readonly sequence: bigint;
  /** The line of a signature file. */
  readonly line: string;
}

/** Public keys by the name of their holder. */
export type Signers = ReadonlyMap<string, KeyObject>;

const NAME = '[A-Za-z0-9][A-Za-z0-9._@-]{0,99}';
export const SIGNER_NAME = new RegExp(`^${NAME}$`);
const LINE = new RegExp(`^custos-set-v1 (${NAME}) ([1-9]\\d{0,17}) ([A-Za-z0-9+/]{86}==)\\s*$`);
const SIGNER = new RegExp(`^(${NAME})\\s+([A-Za-z0-9+/]{43}=)$`);

/** The first line separates these signatures from those of other texts. */
function signedBytes(digest: string, sequence: bigint): Buffer {
  return Buffer.from(`custos policy set v1\n${digest}\n${sequence}\n`, 'utf8');
}

/** The line of a signature file. */
export function signSet(
  key: KeyObject,
  { signer, digest, sequence }: { readonly signer: string; readonly digest: string; readonly sequence: bigint },
): string {
  const signature = sign(null, signedBytes(digest, sequence), key).toString('base64');
  return `custos-set-v1 ${signer} ${sequence} ${signature}`;
}

/**
 * @param text the line of a signature file; undefined: there is none
 * @param lastSequence of the signatures that were accepted before; undefined: none
 * @returns the accepted signature, or what is wrong with it, as the end of a sentence about it
 */
export function checkSignature(
  text: string | undefined,
  { digest, signers, lastSequence }: { digest: string; signers: Signers; lastSequence: bigint | undefined },
): SetSignature | string {
  if (text === undefined || text.trim() === '') return 'is missing: this installation accepts only signed policy sets';
  const [, signer = '', number = '', base64 = ''] = LINE.exec(text) ?? [];
  if (signer === '') return 'is not a line that "custos policy sign" prints';
  const key = signers.get(signer);
  if (key === undefined) return `is of ${signer}, who is not among the signers of this installation`;
  const [sequence, signature] = [BigInt(number), Buffer.from(base64, 'base64')];
  if (!verify(null, signedBytes(digest, sequence), key, signature))
    return `does not match: it is not the signature of ${signer} over the set ${digest}`;
  if (lastSequence !== undefined && sequence <= lastSequence)
    return `is too old: its sequence ${sequence} must be higher than ${lastSequence}, the last that was accepted; sign the set again`;
  return { signer, sequence, line: text.trim() };
}

/**
 * The signers of a file: on each line a name and the 32 bytes of a public key in base64; `#` begins a comment.
 * @throws {Error} whose message completes the sentence "The file ..."
 */
export function parseSigners(text: string): Signers {
  const signers = new Map<string, KeyObject>();
  for (const [at, line] of text.split('\n').entries()) {
    const content = line.replace(/#.*$/, '').trim();
    if (content === '') continue;
    const [, name = '', base64 = ''] = SIGNER.exec(content) ?? [];
    if (name === '')
      throw new Error(`has no name and public key on line ${at + 1}; "custos policy keygen" prints such a line`);
    if (signers.has(name)) throw new Error(`names ${name} twice, on line ${at + 1} again`);
    signers.set(name, publicKeyFromRaw(Buffer.from(base64, 'base64')));
  }
  if (signers.size === 0) throw new Error('names no signer, so that no set could come into force');
  return signers;
}
