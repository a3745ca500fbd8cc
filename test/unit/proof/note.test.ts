// Signed notes, verifier keys and key formats, compared with test vectors of other implementations.
import { verify } from 'node:crypto';
import { expect } from 'chai';
import { publicKeyFromRaw, rawPublicKey } from '../../../shared/core/proof/ed25519.ts';
import { ProofError } from '../../../shared/core/proof/failures.ts';
import {
  jwkOf,
  jwksOf,
  keyIdOf,
  loadPrivateKey,
  publishKey,
  trustKey,
  trustPublishedKeys,
} from '../../../shared/core/proof/keys.ts';
import {
  COSIGNATURE_V1,
  cosignatureSigner,
  cosignatureTimeSeconds,
  cosignatureVerifier,
  ED25519,
  ed25519Signer,
  ed25519Verifier,
  encodeVkey,
  openNote,
  parseNote,
  parseVkey,
  signNote,
} from '../../../shared/core/proof/note.ts';
import { keyOfSeed, LOG_KEY, ORIGIN, PROMISE_KEY, VKEY } from './sample-log.ts';

/** The example of Go's package golang.org/x/mod/sumdb/note: key, secret and note. */
const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const NEUMANN_SECRET = 'AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const NEUMANN_TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const NEUMANN_NOTE = `${NEUMANN_TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
/** A tree head signed by the Go checksum database, and its key. */
const GO_SUM = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
const GO_SUM_NOTE =
  'go.sum database tree\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— sum.golang.org Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';

function verifierOf(vkey: string) {
  const { name, algorithm, key } = parseVkey(vkey);
  const publicKey = publicKeyFromRaw(key);
  return algorithm === ED25519 ? ed25519Verifier(name, publicKey, key) : cosignatureVerifier(name, publicKey, key);
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof ProofError) return error.failure;
    throw error;
  }
  return undefined;
}

describe('Ed25519 keys', () => {
  it('have the public bytes and the signature of RFC 8032 section 7.1', () => {
    expect(rawPublicKey(LOG_KEY).toString('hex')).to.equal(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
    const signature = Buffer.from(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      'hex',
    );
    expect(verify(null, Buffer.from('72', 'hex'), publicKeyFromRaw(rawPublicKey(PROMISE_KEY)), signature)).to.equal(
      true,
    );
  });

  it('have the JWK and the thumbprint of RFC 8037 appendix A', () => {
    expect(jwkOf(LOG_KEY)).to.deep.equal({
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      use: 'sig',
      alg: 'EdDSA',
    });
    expect(jwksOf([LOG_KEY, rawPublicKey(LOG_KEY), PROMISE_KEY]).keys.map(({ kid }) => kid)).to.deep.equal([
      keyIdOf(LOG_KEY),
      keyIdOf(PROMISE_KEY),
    ]);
  });

  it('are loaded from PKCS 8 PEM, and nothing else is', () => {
    const pem = LOG_KEY.export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(keyIdOf(loadPrivateKey(pem))).to.equal(keyIdOf(LOG_KEY));
    expect(() => loadPrivateKey('secret words')).to.throw(TypeError, /^not a private key in PEM \(PKCS 8\)$/);
    const x25519 =
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIHAHmnTUCgTdlHGnPHxrkl5GMi0qrNj1eUnVNnN2LdZ6\n-----END PRIVATE KEY-----\n';
    expect(() => loadPrivateKey(x25519)).to.throw(TypeError, 'not an Ed25519 key');
  });

  it('are trusted as published, for the log and the purpose in their name', () => {
    const published = [
      publishKey(LOG_KEY, { origin: ORIGIN, use: 'log', firstSize: 3, lastSize: 9 }),
      publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'promise' }),
    ];
    // The answer of the service, and the bare array of earlier versions, of which people have kept files.
    for (const file of [{ items: published, nextCursor: null }, published]) {
      const trusted = trustPublishedKeys(JSON.parse(JSON.stringify(file)));
      const parts = trusted.map(({ origin, use, firstSize, lastSize }) => ({ origin, use, firstSize, lastSize }));
      expect(parts).to.deep.equal([
        { origin: ORIGIN, use: 'log', firstSize: 3, lastSize: 9 },
        { origin: ORIGIN, use: 'promise', firstSize: 0, lastSize: null },
      ]);
    }
    const [first] = published;
    for (const change of [
      { use: 'promise' },
      { keyId: keyIdOf(PROMISE_KEY) },
      { firstSize: -1 },
      { lastSize: 1.5 },
      { more: 1 },
    ])
      expect(
        failureOf(() => trustPublishedKeys([{ ...first, ...change }])),
        JSON.stringify(change),
      ).to.equal('MALFORMED');
    for (const list of [
      { items: published },
      { items: published, nextCursor: 'more' },
      { items: published, nextCursor: null, more: 1 },
      { items: first, nextCursor: null },
      null,
      'keys',
    ])
      expect(
        failureOf(() => trustPublishedKeys(list)),
        JSON.stringify(list),
      ).to.equal('MALFORMED');
    const cosigner = encodeVkey({ name: ORIGIN, algorithm: COSIGNATURE_V1, key: rawPublicKey(LOG_KEY) });
    expect(failureOf(() => trustKey(cosigner))).to.equal('MALFORMED');
  });
});

describe('Verifier keys', () => {
  it('survive parsing and encoding', () => {
    for (const vkey of [NEUMANN, GO_SUM, VKEY]) expect(encodeVkey(parseVkey(vkey))).to.equal(vkey);
  });

  it('are refused after a change of any character', () => {
    for (let i = 0; i < NEUMANN.length; i += 1) {
      const other = NEUMANN[i] === 'A' ? 'B' : 'A';
      expect(
        failureOf(() => parseVkey(NEUMANN.slice(0, i) + other + NEUMANN.slice(i + 1))),
        `at ${i}`,
      ).to.equal('MALFORMED');
    }
    for (const vkey of [
      '',
      'a+b',
      NEUMANN.toUpperCase(),
      `${NEUMANN} `,
      NEUMANN.replace('+', ''),
      NEUMANN.slice(0, -4),
    ])
      expect(
        failureOf(() => parseVkey(vkey)),
        vkey,
      ).to.equal('MALFORMED');
  });
});

describe('Signed notes', () => {
  it('are parsed and built exactly as by Go', () => {
    const { verified, text } = openNote(NEUMANN_NOTE, [verifierOf(NEUMANN)]);
    expect(text).to.equal(NEUMANN_TEXT);
    expect(verified).to.have.length(1);
    const seed = Buffer.from(NEUMANN_SECRET, 'base64').subarray(1).toString('hex');
    expect(signNote(NEUMANN_TEXT, [ed25519Signer('PeterNeumann', keyOfSeed(seed))])).to.equal(NEUMANN_NOTE);
  });

  it('of the Go checksum database are opened with its key', () => {
    expect(openNote(GO_SUM_NOTE, [verifierOf(GO_SUM)]).verified).to.have.length(1);
  });

  it('ignore lines of unknown keys, and are refused when no known key has signed', () => {
    const both = signNote('text\n', [ed25519Signer('a', LOG_KEY), ed25519Signer('b', PROMISE_KEY)]);
    const a = ed25519Verifier('a', publicKeyFromRaw(rawPublicKey(LOG_KEY)), rawPublicKey(LOG_KEY));
    expect(openNote(both, [a]).verified).to.have.length(1);
    // A key with the same name alone is unknown.
    const namesake = ed25519Verifier('b', publicKeyFromRaw(rawPublicKey(LOG_KEY)), rawPublicKey(LOG_KEY));
    expect(failureOf(() => openNote(both, [namesake]))).to.equal('KEY_NOT_OF_LOG');
    expect(failureOf(() => openNote(both, []))).to.equal('KEY_NOT_OF_LOG');
  });

  it('are refused when a signature of a known key is invalid, even beside a valid one', () => {
    const note = NEUMANN_NOTE.replace('cryptography', 'Cryptography');
    expect(failureOf(() => openNote(note, [verifierOf(NEUMANN)]))).to.equal('CHECKPOINT_SIGNATURE');
    const [, line = ''] = NEUMANN_NOTE.split('\n\n');
    const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    const twice = `${NEUMANN_NOTE}— PeterNeumann ${bytes.toString('base64')}\n`;
    expect(failureOf(() => openNote(twice, [verifierOf(NEUMANN)]))).to.equal('CHECKPOINT_SIGNATURE');
  });

  it('carry a time in a cosignature, which the signature covers', () => {
    const raw = rawPublicKey(LOG_KEY);
    const verifier = cosignatureVerifier('w', publicKeyFromRaw(raw), raw);
    const note = signNote('text\n', [cosignatureSigner('w', LOG_KEY, 1_679_315_147)]);
    const [signed] = openNote(note, [verifier]).verified;
    if (signed === undefined) throw new Error('nothing was verified');
    expect(cosignatureTimeSeconds(signed.signature)).to.equal(1_679_315_147);
    const message = Buffer.from('cosignature/v1\ntime 1679315147\ntext\n');
    expect(verify(null, message, publicKeyFromRaw(raw), signed.signature.subarray(8))).to.equal(true);
    const [line] = parseNote(note).signatures;
    if (line === undefined) throw new Error('no line');
    const later = Buffer.from(line.signature);
    later.writeBigUInt64BE(1_679_315_148n);
    expect(verifier.verify('text\n', later)).to.equal(false);
    later.writeBigUInt64BE(2n ** 63n);
    expect(verifier.verify('text\n', later)).to.equal(false);
  });

  it('are refused when they are malformed in any way', () => {
    const [, line = ''] = NEUMANN_NOTE.split('\n\n');
    const malformed: Record<string, string> = {
      'no text': `\n\n${line}`.slice(1),
      empty: '',
      'no signature': `${NEUMANN_TEXT}\n`,
      'no empty line': NEUMANN_TEXT + line,
      'no newline at the end': NEUMANN_NOTE.slice(0, -1),
      'a carriage return': NEUMANN_NOTE.replace('\n', '\r\n'),
      'a tab in the text': NEUMANN_NOTE.replace('your', 'your\t'),
      'a hyphen for the dash': NEUMANN_NOTE.replace('—', '-'),
      'two spaces': NEUMANN_NOTE.replace('PeterNeumann ', 'PeterNeumann  '),
      'a plus sign in the name': NEUMANN_NOTE.replace('PeterNeumann', 'Peter+Neumann'),
      'a space of another kind in the name': NEUMANN_NOTE.replace('PeterNeumann', 'Peter\u00a0Neumann'),
      'base64 without padding': NEUMANN_NOTE.replace('=\n', '\n'),
      'unused bits that are set': NEUMANN_NOTE.replace('nAM=', 'nAN='),
      base64url: NEUMANN_NOTE.replace('x08go/', 'x08go_'),
      'four bytes only': `${NEUMANN_TEXT}\n— PeterNeumann x08gow==\n`,
      'a lone surrogate': NEUMANN_NOTE.replace('your', '\ud800'),
      'too many lines': NEUMANN_NOTE + line.repeat(100),
      'too large': `${'x'.repeat(70_000)}\n\n${line}`,
    };
    for (const [what, note] of Object.entries(malformed))
      expect(
        failureOf(() => openNote(note, [verifierOf(NEUMANN)])),
        what,
      ).to.equal('MALFORMED');
  });

  it('can not be built from malformed text, or with a name that contains a space', () => {
    for (const text of ['', 'no newline', 'tab\t\n', '\ud800\n'])
      expect(() => signNote(text, [ed25519Signer('a', LOG_KEY)]), text).to.throw(TypeError);
    expect(() => signNote('text\n', [ed25519Signer('a b', LOG_KEY)])).to.throw(TypeError);
    expect(() => signNote('text\n', [])).to.throw(TypeError);
  });
});
