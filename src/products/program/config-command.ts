import type { Environment } from '../../base/options.ts';
import { readConfig } from '../../config.ts';
import { type EffectiveOption, effectiveOf, effectiveOptions } from '../effective-options.ts';
import { OFFLINE_OPTIONS } from '../offline/offline-options.ts';
import { edgeVariables } from '../relay/edge-notes.ts';
import { variableOf } from '../relay/edge-options.ts';
import { edgeEnvironment, type Mode, optionsOf } from '../relay/edge-variables.ts';
import { RELAY_OPTIONS, readRelayOptions } from '../relay/relay-environment.ts';
import { type UnknownVariables, unknownVariables } from '../unknown-variables.ts';
import { readArguments } from './arguments.ts';
import { ProgramError, type Subcommand } from './subcommand.ts';

const HELP = `burgee config [--for serve|relay|offline] [--changed] [--json]

Prints every option with the value that a service with this environment would use, and where the value comes from; secrets are masked. An
environment that a service would refuse is refused with the same message.

  --for COMMAND   options of another command than burgee serve: relay or offline, which use Edge's variables
  --changed   only what the environment sets
  --json      as JSON, with a description of each option
`;

/** `burgee config`. */
export const configCommand: Subcommand = {
  name: 'config',
  summary: 'prints the effective options, and where each came from',
  help: HELP,
  words: ['--for', '--changed', '--json'],
  async run(args, { environment, out, err }) {
    const { values } = readArguments(args, FLAGS);
    const { options, refusal, warnings, isStrict } = readReport(values.for ?? 'serve', environment);
    for (const warning of warnings) err(`${isStrict ? 'STRICT_CONFIG' : 'warning'}: ${warning}\n`);
    const shownOptions = options.filter(({ from }) => !values.changed || from.length > 0);
    if (values.json) out(`${JSON.stringify(shownOptions, null, 2)}\n`);
    else out(table(shownOptions.map(({ variable, value, from }) => [variable, value, from.join(', ') || 'default'])));
    if (refusal !== null) err(`${refusal}\n`);
    return refusal !== null || (isStrict && warnings.length > 0) ? 1 : 0;
  },
};

const FLAGS = { for: { type: 'string' }, changed: { type: 'boolean' }, json: { type: 'boolean' } } as const;

interface ConfigReport extends UnknownVariables {
  readonly options: readonly EffectiveOption[];
  readonly isStrict: boolean;
}

/** Reads the same options from the environment as the command. @throws ConfigError if the command would also throw it */
function readReport(command: string, processEnvironment: Environment): ConfigReport {
  if (command === 'serve') {
    const { strictConfig } = readConfig(processEnvironment);
    return {
      ...unknownVariables(processEnvironment),
      options: effectiveOptions(processEnvironment),
      isStrict: strictConfig,
    };
  }
  if (command !== 'relay' && command !== 'offline')
    throw new ProgramError('--for is one of serve, relay and offline; see --help');
  const mode = command === 'relay' ? 'edge' : 'offline';
  const { environment } = edgeEnvironment(processEnvironment, mode);
  const { strictConfig } = readConfig(environment);
  if (command === 'relay') readRelayOptions(environment);
  const commandOptions = effectiveOf(command === 'relay' ? RELAY_OPTIONS : OFFLINE_OPTIONS, environment);
  const options = [...commandOptions, ...effectiveOptions(environment)].map((option) => ({
    ...option,
    from: option.from.flatMap((name) => originOf(name, processEnvironment, mode)),
  }));
  return { ...unknownVariables(processEnvironment, edgeVariables(mode)), options, isStrict: strictConfig };
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
