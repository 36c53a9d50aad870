import { pushAll } from '../base/lists/push-all.ts';

/** A ring of the source code, from the table of ARCHITECTURE.md. The table begins with the outermost ring. */
interface Ring {
  readonly name: string;
  readonly purpose: string;
}

/** The ring whose folders are the features: outer rings use features, inner rings know no feature. */
const FEATURES_RING = 'features/';

const WIDTH = 960;
const MARGIN = 16;
const GROUP_LEFT = MARGIN;
const GROUP_WIDTH = WIDTH - 2 * MARGIN;
const GROUP_PADDING = 10;
const TITLE_HEIGHT = 26;
const GROUP_GAP = 22;
const ROW_GAP = 4;
const LINE_HEIGHT = 17;
const ROW_PADDING = 7;
const NAME_WIDTH = 116;
const CHARACTER_WIDTH = 6.9;
const CHIP_HEIGHT = 24;
const CHIP_GAP = 6;
const CHIP_PADDING = 10;
const CHIP_CHARACTER_WIDTH = 7.3;

const INK = '#1f2933';
const LINE = '#9aa5b1';

/** A part of the picture, elements from its upper edge. */
interface Block {
  readonly height: number;
  readonly draw: (top: number) => readonly string[];
}

/** Reads the rings from the table of ARCHITECTURE.md. */
export function ringsIn(architecture: string): readonly Ring[] {
  const [, table = ''] = /\| ring \|.*\n.*\n((?:\|.*\n)+)/.exec(architecture) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, name = '', purpose = '']) => ({
    name,
    purpose: purpose.replaceAll('`', ''),
  }));
}

/**
 * The architecture as SVG text: three groups of rings, the outermost on top. It has its own light background, so it looks the same on light and dark
 * pages.
 */
export function architecturePicture(rings: readonly Ring[], features: readonly string[]): string {
  const at = rings.findIndex(({ name }) => name === FEATURES_RING);
  const [middle] = rings.slice(at, at + 1);
  const featureRows = middle ? [rowOf(middle, '#fff8e6'), chipsOf(features)] : [];
  const groups = [
    groupOf('Programs, which consist of features', '#e3edf9', rowsOf(rings.slice(0, at), '#f5f9fe')),
    groupOf(`${features.length} features`, '#fdecc8', featureRows),
    groupOf(
      'Engine, which uses no feature. Each ring imports only from the rings below it.',
      '#dcefe3',
      rowsOf(rings.slice(at + 1), '#f3faf5'),
    ),
  ];
  let top = MARGIN;
  const body: string[] = [];
  for (const [index, group] of groups.entries()) {
    if (index > 0) pushAll(body, arrow(top - GROUP_GAP));
    pushAll(body, group.draw(top));
    top += group.height + GROUP_GAP;
  }
  return svg(top - GROUP_GAP + MARGIN, body);
}

function svg(height: number, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">`,
    '<title id="title">The rings of the source code. Each ring imports only from itself and from the rings below it.</title>',
    '<style>',
    `text { font: 13px -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif; fill: ${INK} }`,
    '.name { font: 600 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }',
    '.group { font-weight: 600; font-size: 14px }',
    '</style>',
    rectangle(0, 0, WIDTH, height, '#ffffff', 10),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function groupOf(title: string, fill: string, blocks: readonly Block[]): Block {
  const inner = blocks.reduce((sum, block) => sum + block.height + ROW_GAP, 0);
  const height = TITLE_HEIGHT + inner - ROW_GAP + GROUP_PADDING;
  return {
    height,
    draw: (top) => {
      const elements = [
        rectangle(GROUP_LEFT, top, GROUP_WIDTH, height, fill, 8),
        words(GROUP_LEFT + GROUP_PADDING, top + 18, title, 'group'),
      ];
      let y = top + TITLE_HEIGHT;
      for (const block of blocks) {
        pushAll(elements, block.draw(y));
        y += block.height + ROW_GAP;
      }
      return elements;
    },
  };
}

function rowsOf(rings: readonly Ring[], fill: string): readonly Block[] {
  return rings.map((ring) => rowOf(ring, fill));
}

/** Draws the name of a ring, and its purpose beside the name. */
function rowOf({ name, purpose }: Ring, fill: string): Block {
  const left = GROUP_LEFT + GROUP_PADDING;
  const width = GROUP_WIDTH - 2 * GROUP_PADDING;
  const lines = wrapped(purpose, (width - NAME_WIDTH - GROUP_PADDING) / CHARACTER_WIDTH);
  const height = lines.length * LINE_HEIGHT + 2 * ROW_PADDING;
  return {
    height,
    draw: (top) => [
      rectangle(left, top, width, height, fill, 5),
      words(left + GROUP_PADDING, top + ROW_PADDING + 13, name, 'name'),
      ...lines.map((line, index) => words(left + NAME_WIDTH, top + ROW_PADDING + 13 + index * LINE_HEIGHT, line)),
    ],
  };
}

/** Draws the names of the features, in rows. */
function chipsOf(names: readonly string[]): Block {
  const left = GROUP_LEFT + GROUP_PADDING;
  const right = GROUP_LEFT + GROUP_WIDTH - GROUP_PADDING;
  let [x, y] = [left, 0];
  const chips = names.map((name) => {
    const width = Math.round(name.length * CHIP_CHARACTER_WIDTH + 2 * CHIP_PADDING);
    if (x + width > right) [x, y] = [left, y + CHIP_HEIGHT + CHIP_GAP];
    const chip = { name, width, x, y };
    x += width + CHIP_GAP;
    return chip;
  });
  return {
    height: y + CHIP_HEIGHT,
    draw: (top) =>
      chips.flatMap((chip) => [
        rectangle(chip.x, top + chip.y, chip.width, CHIP_HEIGHT, '#ffffff', CHIP_HEIGHT / 2),
        words(chip.x + chip.width / 2, top + chip.y + 16, chip.name, undefined, 'middle'),
      ]),
  };
}

/** An arrow from one group to the next, in the direction of imports. */
function arrow(top: number): readonly string[] {
  const x = WIDTH / 2;
  const end = top + GROUP_GAP;
  return [
    `<path d="M${x} ${top + 2}V${end - 4}m-4 -5l4 5l4 -5" fill="none" stroke="${INK}" stroke-width="1.5"/>`,
    words(x + 10, top + 15, 'imports'),
  ];
}

function wrapped(text: string, lengthMax: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > lengthMax) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function rectangle(x: number, y: number, width: number, height: number, fill: string, radius: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" stroke="${LINE}" stroke-width="0.7"/>`;
}

function words(x: number, y: number, text: string, style?: string, anchor?: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const attributes = [style && ` class="${style}"`, anchor && ` text-anchor="${anchor}"`].filter(Boolean).join('');
  return `<text x="${x}" y="${y}"${attributes}>${escaped}</text>`;
}
