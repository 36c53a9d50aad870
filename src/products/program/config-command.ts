import type { Environment } from '../../base/options.ts';
import { type EffectiveOption, effectiveOf, effectiveOptions } from '../effective-options.ts';
import { OFFLINE_OPTIONS } from '../offline/offline-options.ts';
import { variableOf } from '../relay/edge-options.ts';
import { edgeEnvironment, type Mode, optionsOf } from '../relay/edge-variables.ts';
import { RELAY_OPTIONS } from '../relay/relay-environment.ts';
import { readArguments } from './arguments.ts';
import { type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee config [--for serve|relay|offline] [--changed] [--json]

Prints every option with the value that a service with this environment would use, and where the value comes from; secrets are masked. Checks the
environment as a start does: if a service would not start with it, the reason is printed on standard error, and the exit code is 1. What needs a
connection, a port or the data of a store is checked only by the start.

  --for COMMAND   options of another command than burgee serve: relay or offline, which use Edge's variables
  --changed   only what the environment sets
  --json      as JSON, with a description of each option
`;

/** `burgee config`. */
export const configCommand: Subcommand = {
  name: 'config',
  summary: 'prints the effective options and where each came from, and checks them',
  help: HELP,
  words: ['--for', '--changed', '--json'],
  async run(args, { environment, out, err }) {
    const { values } = readArguments(args, FLAGS);
    const mode = MODES[values.for ?? 'serve'];
    if (mode === undefined) throw new UsageError('--for is one of serve, relay and offline; see --help');
    const shownOptions = optionsOfMode(mode, environment).filter(({ from }) => !values.changed || from.length > 0);
    if (values.json) out(`${JSON.stringify(shownOptions, null, 2)}\n`);
    else out(table(shownOptions.map(({ variable, value, from }) => [variable, value, from.join(', ') || 'default'])));
    for (const warning of await checkedWarnings(mode, environment)) err(`warning: ${warning}\n`);
    return 0;
  },
};

const FLAGS = { for: { type: 'string' }, changed: { type: 'boolean' }, json: { type: 'boolean' } } as const;

/** The commands that serve, and the names of the modes in which they read Edge's variables. */
const MODES: Readonly<Record<string, 'serve' | Mode>> = { serve: 'serve', relay: 'edge', offline: 'offline' };

/** Reads the environment with the function that the start of the command calls. @throws ConfigError if the command would not start */
async function checkedWarnings(mode: 'serve' | Mode, environment: Environment): Promise<readonly string[]> {
  if (mode === 'serve') return (await (await import('../server/read-server.ts')).readServer(environment)).warnings;
  if (mode === 'edge') return (await (await import('../relay/serve.ts')).readRelay(environment)).notes;
  return (await (await import('../offline/serve.ts')).readOffline(environment)).notes;
}

/** The options of the command, with the variables that the operator set. @throws ConfigError for variables of Edge that cannot be translated */
function optionsOfMode(mode: 'serve' | Mode, processEnvironment: Environment): readonly EffectiveOption[] {
  if (mode === 'serve') return effectiveOptions(processEnvironment);
  const { environment } = edgeEnvironment(processEnvironment, mode);
  const commandOptions = effectiveOf(mode === 'edge' ? RELAY_OPTIONS : OFFLINE_OPTIONS, environment);
  return [...commandOptions, ...effectiveOptions(environment)].map((option) => ({
    ...option,
    from: option.from.flatMap((name) => originOf(name, processEnvironment, mode)),
  }));
}

/** The variable of Burgee or Edge that set the option. Empty if the option has the default value of the mode. */
function originOf(name: string, processEnvironment: Environment, mode: Mode): string[] {
  const isSet = (variable: string) => (processEnvironment[variable] ?? '') !== '';
  if (isSet(name)) return [name];
  return optionsOf(mode).flatMap((option) =>
    option.as === name && isSet(variableOf(option)) ? [variableOf(option)] : [],
  );
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}
