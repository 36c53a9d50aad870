import { EDGE_OPTIONS, type EdgeOption, variableOf } from '../products/relay/edge-options.ts';

const FATES = { same: 'same', none: 'not in Burgee', refused: 'refused' } as const;
const OWNERS = { both: 'both', edge: 'relay', offline: 'offline' } as const;

/** The table of docs/from-edge.md, generated from the list of Edge's options. */
function edgeTable(): string {
  const rows = EDGE_OPTIONS.map((option) => {
    const own = option.as === undefined ? '' : `\`${option.as}\``;
    return `| ${flagsOf(option)} | \`${variableOf(option)}\` | ${OWNERS[option.of]} | ${FATES[option.fate]} | ${own} | ${option.note} |`;
  });
  return [
    '| flag | variable | command | in Burgee | Burgee’s variable | notes |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function flagsOf({ flag, short }: EdgeOption): string {
  return short === undefined ? `\`--${flag}\`` : `\`-${short}\`, \`--${flag}\``;
}

const BLOCK = /<!-- edge -->[\s\S]*?<!-- \/edge -->/;

/** Returns the text with the current table of Edge's options. */
export function withEdgeTable(text: string): string {
  return text.replace(BLOCK, () => `<!-- edge -->\n${edgeTable()}\n<!-- /edge -->`);
}
