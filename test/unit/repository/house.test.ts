// The folders of the repository: no two import each other, and the diagram in ARCHITECTURE shows the imports.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { drawHouse, FLOORS, type Imports, importsOfRooms, withDrawing } from '../../drift/house.ts';

/** The first import cycle, if any. */
function circleIn(imports: Imports): string[] | undefined {
  const done = new Set<string>();
  const visit = (room: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const next of imports.get(room) ?? []) {
      const circle = visit(next, [...way, room]);
      if (circle !== undefined) return circle;
    }
    done.add(room);
    return undefined;
  };
  for (const room of imports.keys()) {
    const circle = visit(room, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe('The folders of the repository', () => {
  const root = findRoot();
  const imports = importsOfRooms(root);

  it('have folders in every layer', () => {
    for (const floor of FLOORS) expect([...imports.keys()].some((room) => room.split('/')[0] === floor)).to.equal(true);
  });

  it('have no import cycle', () => {
    expect(circleIn(imports)).to.equal(undefined);
  });

  it('would be reported in a cycle', () => {
    const circle = circleIn(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['c'])],
        ['c', new Set(['b'])],
      ]),
    );
    expect(circle).to.deep.equal(['b', 'c', 'b']);
  });

  it('have a diagram in ARCHITECTURE that matches the imports', () => {
    const document = readFileSync(path.join(root, 'docs', 'ARCHITECTURE.md'), 'utf8');
    expect(withDrawing(document, drawHouse(imports)), 'npm run generate updates it').to.equal(document);
  });
});
