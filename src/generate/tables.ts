import { OPTIONS } from '../config.ts';
import { limitEntries } from '../model/limits.ts';
import { EDGE_OPTIONS, type EdgeOption, variableOf } from '../products/relay/edge-options.ts';
import { UNLEASH_VARIABLES } from '../products/unleash-variables.ts';

/** Returns the text with this table between `<!-- name -->` and `<!-- /name -->`. */
export function withTable(text: string, name: string, table: string): string {
  const block = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
  return text.replace(block, () => `<!-- ${name} -->\n${table}\n<!-- /${name} -->`);
}

/** The table of docs/reference/options.md, generated from the list of options. */
function optionsTable(): string {
  const rows = Object.values(OPTIONS).map((option) => {
    const variables = option.env.map((name) => `\`${name}\``).join(', ');
    const defaultText = option.default === '' ? '' : `\`${option.default}\``;
    return `| ${variables} | ${defaultText} | ${option.description} |`;
  });
  return ['| variable | default | what it does |', '|---|---|---|', ...rows].join('\n');
}

/** Returns the text with the current table of options. */
export function withOptionsTable(text: string): string {
  return withTable(text, 'options', optionsTable());
}

const number = (value: number) => value.toLocaleString('en-US');

/** The table of docs/reference/limits.md, generated from the list of limits. */
function limitsTable(): string {
  const rows = limitEntries().map(([, { of, env, default: defaultValue, max }]) =>
    env === null
      ? `| ${of} | ${number(defaultValue)} | | |`
      : `| ${of} | ${number(defaultValue)} | \`${env}\` | ${number(max)} |`,
  );
  return ['| at most … | default | variable | up to |', '|---|---:|---|---:|', ...rows].join('\n');
}

/** Returns the text with the current table of limits. */
export function withLimitsTable(text: string): string {
  return withTable(text, 'limits', limitsTable());
}

const FATES = { same: 'same', none: 'not in Burgee', refused: 'refused' } as const;
const OWNERS = { both: 'both', edge: 'relay', offline: 'offline' } as const;

/** The table of docs/move-in/from-edge.md, generated from the list of Edge's options. */
function edgeTable(): string {
  const rows = EDGE_OPTIONS.map((option) => {
    const burgeesVariable = option.as === undefined ? '' : `\`${option.as}\``;
    return `| ${flagsOf(option)} | \`${variableOf(option)}\` | ${OWNERS[option.of]} | ${FATES[option.fate]} | ${burgeesVariable} | ${option.note} |`;
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

/** Returns the text with the current table of Edge's options. */
export function withEdgeTable(text: string): string {
  return withTable(text, 'edge', edgeTable());
}

/** The table of docs/move-in/from-unleash.md, generated from the list of Unleash's variables. Variables with the same note share a row. */
function unleashTable(): string {
  const rowByNote = new Map<string, string[]>();
  for (const { name, fulfilled = [], note } of UNLEASH_VARIABLES) {
    const values = fulfilled.map((value) => ` (\`${value}\`)`).join('');
    rowByNote.set(note, [...(rowByNote.get(note) ?? []), `\`${name}\`${values}`]);
  }
  const rows = Array.from(rowByNote, ([note, names]) => `| ${names.join(', ')} | ${note} |`);
  return ['| variable | what Burgee does, and what to do |', '|---|---|', ...rows].join('\n');
}

/** Returns the text with the current table of Unleash's variables that have no effect. */
export function withUnleashTable(text: string): string {
  return withTable(text, 'unleash-variables', unleashTable());
}
