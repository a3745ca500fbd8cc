// Generates the diagram of the folders in docs/ARCHITECTURE.md from the imports of the source files.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The layers of `shared/`, lowest first. A file may import from its own layer and from those below. */
export const FLOORS = ['kernel', 'core', 'platform', 'domain', 'api'] as const;
const PROGRAMS = ['ingress', 'workers', 'cli', 'clients'] as const;

/** Imports between the folders of a layer: each folder with the folders that its files import. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** Excluded folders: dashboard pages, which run in browsers and import nothing from here, and re-exports of core for other programs. */
const OUTSIDE = ['ingress/dashboard/client/', 'shared/proof/'];

const IMPORT = /(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g;

/** The folder of a file: `core/policy` for `shared/core/policy/lint/open.ts`. A layer without subfolders is one folder. */
function roomOf(file: string): string {
  const [top = '', floor = '', room = '', ...rest] = file.split('/');
  if (top !== 'shared') return top;
  return rest.length === 0 ? floor : `${floor}/${room}`;
}

/** @param root the folder of the repository */
export function importsOfRooms(root: string): Imports {
  const arrows = new Map<string, Set<string>>();
  for (const top of ['shared', ...PROGRAMS]) {
    for (const name of readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })) {
      const file = `${top}/${name.split(path.sep).join('/')}`;
      if (!file.endsWith('.ts') || file.includes('/node_modules/') || OUTSIDE.some((folder) => file.startsWith(folder)))
        continue;
      const from = roomOf(file);
      const targets = arrows.get(from) ?? new Set<string>();
      arrows.set(from, targets);
      for (const [, specifier = ''] of readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)) {
        const to = roomOf(path.posix.join(path.posix.dirname(file), specifier));
        if (to !== from) targets.add(to);
      }
    }
  }
  return arrows;
}

const floorOf = (room: string): string => room.split('/', 1)[0] ?? room;
const idOf = (room: string): string => room.replaceAll(/[^a-z]/g, '_');
const titleOf = (room: string): string => room.split('/')[1] ?? room;

/** A Mermaid flowchart: folders grouped by layer, imports within each layer, and one arrow for each pair of layers. */
export function drawHouse(imports: Imports): string {
  const rooms = [...imports.keys()].sort();
  const lines = ['flowchart TB'];
  for (const program of PROGRAMS) lines.push(`  ${program}[${program}/]`);
  for (const floor of FLOORS.toReversed()) {
    lines.push(`  subgraph floor_${floor} [shared/${floor}]`);
    for (const room of rooms.filter((one) => floorOf(one) === floor)) {
      lines.push(`    ${idOf(room)}[${titleOf(room)}]`);
      for (const to of [...(imports.get(room) ?? [])].sort())
        if (floorOf(to) === floor) lines.push(`    ${idOf(room)} --> ${idOf(to)}`);
    }
    lines.push('  end');
  }
  const between = new Set<string>();
  for (const [from, targets] of imports)
    for (const to of targets) {
      const [a, b] = [floorOf(from), floorOf(to)];
      const name = (floor: string): string => (FLOORS.some((one) => one === floor) ? `floor_${floor}` : floor);
      if (a !== b) between.add(`  ${name(a)} --> ${name(b)}`);
    }
  return [...lines, ...[...between].sort(), ''].join('\n');
}

const BLOCK = /(<!-- house -->\n```mermaid\n)[^]*?(^```$)/m;

/** The document with a new diagram. @throws {Error} when it has no block for one */
export function withDrawing(document: string, drawing: string): string {
  if (!BLOCK.test(document)) throw new Error('the document has no block of Mermaid below <!-- house -->');
  return document.replace(BLOCK, (_, start: string, end: string) => `${start}${drawing}${end}`);
}
