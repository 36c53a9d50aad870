import { OPTIONS } from '../config.ts';

/** The table of docs/options.md, generated from the list of options. */
function optionsTable(): string {
  const rows = Object.values(OPTIONS).map((option) => {
    const variables = option.env.map((name) => `\`${name}\``).join(', ');
    const defaultText = option.default === '' ? '' : `\`${option.default}\``;
    return `| ${variables} | ${defaultText} | ${option.description} |`;
  });
  return ['| variable | default | what it does |', '|---|---|---|', ...rows].join('\n');
}

const BLOCK = /<!-- options -->[\s\S]*?<!-- \/options -->/;

/** Returns the text with the current table of options. */
export function withOptionsTable(text: string): string {
  return text.replace(BLOCK, `<!-- options -->\n${optionsTable()}\n<!-- /options -->`);
}
