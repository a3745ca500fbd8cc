// Routes have one way to open a transaction, which looks at the key of the request: RequestContext.commit (ingress/route.ts).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const FOLDERS = ['ingress/routes', 'ingress/dashboard/routes'];

describe('routes', () => {
  it('get no database that opens transactions, and open none', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(path.join(findRoot(), folder)).map((file) => `${folder}/${file}`),
    );
    expect(files).to.include('ingress/routes/keys.ts');
    const opening = files.filter((file) =>
      /\bDatabase\b|\bdb\.transaction\b/.test(
        readFileSync(path.join(findRoot(), file), 'utf8').replaceAll(/\/\/.*|\/\*[^]*?\*\//g, ''),
      ),
    );
    expect(opening).to.deep.equal([]);
  });
});
