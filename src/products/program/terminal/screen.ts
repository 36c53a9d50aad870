import type { ProgramIo } from '../subcommand.ts';

/** Colours and the width of the terminal. Without a terminal there are no colours, and no text is cut. */
export interface Screen {
  readonly columns: number | undefined;
  readonly bold: Style;
  readonly dim: Style;
  readonly green: Style;
  readonly red: Style;
}

type Style = (text: string) => string;

/** Columns narrower than this are not cut further. */
const COLUMN_MIN = 6;
const GAP = '  ';

export function screenOf({ columns, environment }: Pick<ProgramIo, 'columns' | 'environment'>): Screen {
  // https://no-color.org: any value except the empty text.
  const hasColours = columns !== undefined && !environment.NO_COLOR && environment.TERM !== 'dumb';
  const style = (code: number) => (text: string) => (hasColours ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { columns, bold: style(1), dim: style(2), green: style(32), red: style(31) };
}

/** The text without control characters: names and texts of a service must not control the terminal. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove, and the marks that reverse the order of texts
  return text.replace(/[\s]+/g, ' ').replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** The time as people read it: in UTC, to the second. */
export function timeText(time: string): string {
  return plain(time).replace(/\.\d+Z$/, 'Z');
}

interface Column {
  readonly title: string;
  readonly style?: Style;
}

/** Lines with aligned columns that fit the terminal: the widest columns are cut. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], screen: Screen): string {
  // A blank at the end is not shown: it needs no column.
  const cells = rows.map((row) => row.map((cell) => plain(cell).trimEnd()));
  const titles = columns.map(({ title }) => title);
  const widths = titles.map((title, at) =>
    cells.reduce((width, row) => Math.max(width, widthOf(row[at] ?? '')), widthOf(title)),
  );
  if (screen.columns !== undefined) narrow(widths, screen.columns - GAP.length * (columns.length - 1));
  const line = (row: readonly string[], style: (at: number) => Style | undefined) => {
    const parts = row.map((cell, at) => {
      const text = fitted(cell, widths[at] as number);
      const padding = at === row.length - 1 ? '' : ' '.repeat((widths[at] as number) - widthOf(text));
      return `${style(at)?.(text) ?? text}${padding}`;
    });
    return `${parts.join(GAP).trimEnd()}\n`;
  };
  return line(titles, () => screen.dim) + cells.map((row) => line(row, (at) => columns[at]?.style)).join('');
}

/** Reduces the widest columns until all of them have the total width, or until none can be reduced. */
function narrow(widths: number[], total: number): void {
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - total; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] as number) <= COLUMN_MIN) return;
    (widths[widest] as number)--;
  }
}

function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const character of text) {
    if (widthOf(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Characters that terminals show in two columns, and marks that they show in none. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u;
const MARK = /^(\p{M}|[\u200b-\u200f])$/u;

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
