import { limitEntries } from '../model/limits.ts';

const number = (value: number) => value.toLocaleString('en-US');

/** The table of docs/limits.md, generated from the list of limits. */
function limitsTable(): string {
  const rows = limitEntries().map(([, { of, env, default: defaultValue, max }]) =>
    env === null
      ? `| ${of} | ${number(defaultValue)} | | |`
      : `| ${of} | ${number(defaultValue)} | \`${env}\` | ${number(max)} |`,
  );
  return ['| at most … | default | variable | up to |', '|---|---:|---|---:|', ...rows].join('\n');
}

const BLOCK = /<!-- limits -->[\s\S]*?<!-- \/limits -->/;

/** Returns the text with the current table of limits. */
export function withLimitsTable(text: string): string {
  return text.replace(BLOCK, () => `<!-- limits -->\n${limitsTable()}\n<!-- /limits -->`);
}
