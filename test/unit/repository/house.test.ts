// The folders of the repository: no two rooms import each other, and the drawing in ARCHITECTURE shows the imports.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { drawHouse, FLOORS, type Imports, importsOfRooms, withDrawing } from '../../drift/house.ts';

/** The first circle that the arrows make, if any. */
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

  it('have rooms on every floor', () => {
    for (const floor of FLOORS) expect([...imports.keys()].some((room) => room.split('/')[0] === floor)).to.equal(true);
  });

  it('never import each other in a circle', () => {
    expect(circleIn(imports)).to.equal(undefined);
  });

  it('would be found in a circle', () => {
    const circle = circleIn(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['c'])],
        ['c', new Set(['b'])],
      ]),
    );
    expect(circle).to.deep.equal(['b', 'c', 'b']);
  });

  it('are drawn in ARCHITECTURE as the imports are', () => {
    const document = readFileSync(path.join(root, 'docs', 'ARCHITECTURE.md'), 'utf8');
    expect(withDrawing(document, drawHouse(imports)), 'npm run generate draws it anew').to.equal(document);
  });
});
