import { readConfig } from '../config.ts';
import { effectiveOptions } from '../effective-options.ts';
import { unknownVariables } from '../unknown-variables.ts';
import { readArguments } from './arguments.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee config [--changed] [--json]

Prints every option as a service with this environment would have it, and where it came from; secrets are masked. An environment that
a service would refuse is refused with the same message.

  --changed   only what the environment sets
  --json      as JSON, with what each option does
`;

/** `burgee config`. */
export const configCommand: Subcommand = {
  name: 'config',
  summary: 'prints the effective options, and where each came from',
  help: HELP,
  words: ['--changed', '--json'],
  async run(args, { environment, out, err }) {
    const { values } = readArguments(args, { changed: { type: 'boolean' }, json: { type: 'boolean' } } as const);
    const { strictConfig } = readConfig(environment);
    const { refusal, warnings } = unknownVariables(environment);
    for (const warning of warnings) err(`${strictConfig ? 'STRICT_CONFIG' : 'warning'}: ${warning}\n`);
    const options = effectiveOptions(environment).filter(({ from }) => !values.changed || from.length > 0);
    if (values.json) out(`${JSON.stringify(options, null, 2)}\n`);
    else out(table(options.map(({ variable, value, from }) => [variable, value, from.join(', ') || 'default'])));
    if (refusal !== null) err(`${refusal}\n`);
    return refusal !== null || (strictConfig && warnings.length > 0) ? 1 : 0;
  },
};

function table(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}
