// Requests of node:http to others: each has a promise that always settles.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const root = findRoot();
const REQUEST = /\{ request \} =|\bhttps?\.(?:request|get)\(/;

describe('requests of node:http', () => {
  it('get their answer by answerTo, which also ends when there is none', () => {
    const files = ['shared', 'ingress', 'workers', 'cli'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name}`),
    );
    const sending = files.filter((file) => REQUEST.test(readFileSync(path.join(root, file), 'utf8')));
    expect(sending).to.include.members(['shared/domain/webhooks/send.ts', 'cli/mcp/endpoint.ts']);
    const others = sending.filter((file) => !readFileSync(path.join(root, file), 'utf8').includes('answerTo('));
    expect(others).to.deep.equal([]);
  });
});
