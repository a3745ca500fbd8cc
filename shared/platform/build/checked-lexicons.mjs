// Checks the shipped lexicon while the service is built: checking it again took each process 0.3 s of processor time at its start.
import path from 'node:path';
import { load } from './validators.mjs';

/** The digests of the shipped lexicon as problems.ts computes them, of its files and of its canonical text; none when it has mistakes. */
export async function checkedLexicons(root) {
  const from = (file, names) => load(path.join(root, 'shared', file), names);
  const [
    { readPolicyFolder },
    { readLexicon },
    { withoutSchema },
    { canonicalize },
    { checkLexicon, digestOfLexicon },
  ] = await Promise.all([
    from('domain/policy-sets/folder.ts', 'readPolicyFolder'),
    from('core/policy/lexicon-files.ts', 'readLexicon'),
    from('core/policy/kinds.ts', 'withoutSchema'),
    from('core/proof/canonical.ts', 'canonicalize'),
    from('core/intent/lexicon/problems.ts', 'checkLexicon, digestOfLexicon'),
  ]);
  const { lexicon, policies } = await readPolicyFolder(path.join(root, 'policies'));
  const read = readLexicon(lexicon, policies);
  if ('findings' in read || !checkLexicon(read.json).ok) return [];
  return [read.json, JSON.parse(canonicalize(withoutSchema(read.json)))].map(digestOfLexicon);
}
