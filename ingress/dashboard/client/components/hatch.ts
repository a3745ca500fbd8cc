// Fillings of areas that differ without colour: lines, dots and their absence, on a light ground of the same colour.

export type Hatch = 'plain' | 'diagonal' | 'dots' | 'level';

/** The lines of one tile of 14 × 10, for the legend; those of the canvas are alike. */
export const HATCHES: Readonly<Record<Hatch, string>> = {
  plain: '',
  diagonal: 'M-2 10 L8 0 M4 10 L14 0 M10 10 L20 0',
  dots: 'M3 4 h1.6 M9 4 h1.6 M6 7.6 h1.6 M12 7.6 h1.6',
  level: 'M0 4.6 H14 M0 8.4 H14',
};

const TILE_PX = 8;

function drawTile(context: CanvasRenderingContext2D, name: Hatch, size: number): void {
  context.beginPath();
  if (name === 'diagonal')
    for (const from of [-size, 0, size]) {
      context.moveTo(from, size);
      context.lineTo(from + size, 0);
    }
  if (name === 'level') {
    context.moveTo(0, size / 2);
    context.lineTo(size, size / 2);
  }
  if (name === 'dots') {
    context.moveTo(size / 2 - 1, size / 2);
    context.lineTo(size / 2 + 1, size / 2);
  }
  context.stroke();
}

/** The filling of an area on a canvas. @param colour of the style sheet, computed */
export function hatch(name: Hatch, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const size = TILE_PX * window.devicePixelRatio;
  tile.width = tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.fillStyle = context.strokeStyle = colour;
  context.globalAlpha = 0.26;
  context.fillRect(0, 0, size, size);
  context.globalAlpha = 0.75;
  context.lineWidth = 1.3 * window.devicePixelRatio;
  if (name !== 'plain') drawTile(context, name, size);
  return context.createPattern(tile, 'repeat') ?? colour;
}
