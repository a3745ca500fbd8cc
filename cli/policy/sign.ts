// `custos policy keygen` and `custos policy sign`: keys and Ed25519 signatures of policy sets.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { rawPublicKey } from '../../shared/core/proof/ed25519.ts';
import { signSet, SIGNER_NAME } from '../../shared/core/policy/signature.ts';
import { SIGNATURE_FILE } from '../../shared/domain/policy-sets/folder.ts';
import { EXIT, exitWith, say, UsageError } from '../exit.ts';
import { readFile } from '../input.ts';
import { wholeNumber } from '../options.ts';
import { printFindings, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { admitFolder, readFolder, shownFinding } from './folder.ts';
import { FOLDER_HELP, policyDirOf } from './place.ts';

/** @throws {UsageError} */
function checkName(name: string): string {
  if (SIGNER_NAME.test(name)) return name;
  throw new UsageError('--name must have 1 to 100 letters, digits, ".", "_", "@" or "-", such as alice@example.com.');
}

export const policyKeygenCommand: CommandBody = {
  notes:
    'The line on standard output belongs into the file of CUSTOS_POLICY_SIGNERS. Keep the private key away from the service.',
  define: (command) =>
    command
      .requiredOption('--name <name>', 'the name of the signer, which the logs show')
      .requiredOption('--out <file>', 'the file of the private key (PEM), which must not exist yet')
      .action(({ name, out }) => {
        const signer = checkName(name);
        const { privateKey, publicKey } = generateKeyPairSync('ed25519');
        try {
          writeFileSync(out, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
        } catch (error) {
          if (error instanceof Error && 'code' in error)
            throw new UsageError(`${out} cannot be written (${String(error.code)}).`);
          throw error;
        }
        printLine(`${signer} ${rawPublicKey(publicKey).toString('base64')}`);
      }),
};

/** @throws {UsageError} */
function privateKeyOf(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
  throw new UsageError(`${file} holds no Ed25519 private key (PEM); "custos policy keygen" makes one.`);
}

const MAX_SEQUENCE = 999_999_999_999_999;

export const signPoliciesCommand: CommandBody = {
  notes: `The signature covers the digest of the set and a sequence number. A service accepts a signature only with a higher number than all
before, so that nobody can put an old signed set into force again; the default is the time in milliseconds.`,
  exitCodes: { [EXIT.ok]: 'The set is signed.', [EXIT.broken]: 'The set has errors; nothing was signed.' },
  define: (command) =>
    command
      .argument('[folder]', FOLDER_HELP)
      .requiredOption('--key <file>', 'the private key (PEM)')
      .requiredOption('--name <name>', 'the name of the signer in the file of CUSTOS_POLICY_SIGNERS')
      .option('--digest <digest>', 'sign this stored set, for a rollback, and print the line, instead of a folder')
      .option('--sequence <n>', 'the sequence number', wholeNumber(1, MAX_SEQUENCE))
      .action(
        exitWith(async (folder, { key, name, digest, sequence }) => {
          const signer = checkName(name);
          const privateKey = privateKeyOf(key);
          const number = BigInt(sequence ?? Date.now());
          if (digest !== undefined) {
            if (folder !== undefined) throw new UsageError('Give a folder or --digest, not both.');
            if (!/^[0-9a-f]{64}$/.test(digest)) throw new UsageError('--digest must be 64 hex digits.');
            printLine(signSet(privateKey, { signer, digest, sequence: number }));
            return EXIT.ok;
          }
          const dir = policyDirOf(folder);
          const { set, errors } = admitFolder(await readFolder(dir));
          if (set === undefined) {
            printFindings(errors.map((finding) => shownFinding(dir, finding)));
            return EXIT.broken;
          }
          const file = path.join(dir, SIGNATURE_FILE);
          writeFileSync(file, `${signSet(privateKey, { signer, digest: set.digest, sequence: number })}\n`);
          printLine(set.digest);
          say(`Signed as ${signer}, in ${file}.`);
          return EXIT.ok;
        }),
      ),
};
