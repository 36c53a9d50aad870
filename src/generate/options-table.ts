import { OPTIONS } from '../config.ts';

/** The table of docs/options.md, made of the list of options. */
function optionsTable(): string {
  const rows = Object.values(OPTIONS).map((option) => {
    const variables = option.env.map((name) => `\`${name}\``).join(', ');
    const fallback = option.default === '' ? '' : `\`${option.default}\``;
    return `| ${variables} | ${fallback} | ${option.description} |`;
  });
  return ['| variable | default | what it does |', '|---|---|---|', ...rows].join('\n');
}

const BLOCK = /<!-- options -->[\s\S]*?<!-- \/options -->/;

/** The text with its block of options brought up to date. */
export function withOptionsTable(text: string): string {
  return text.replace(BLOCK, `<!-- options -->\n${optionsTable()}\n<!-- /options -->`);
}
