import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../program/subcommand.ts';
import { EDGE_OPTIONS, type EdgeOption, variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** Converts flags after the command `edge` or `offline` to the equivalent variables. @throws UsageError */
export function flagVariables(args: readonly string[], mode: Mode): Readonly<Record<string, string>> {
  // The command's own short flags take precedence: `-b` is a folder after `edge`, a file after `offline`.
  const modeOptions = optionsOf(mode).filter(({ of }) => of === mode);
  return variablesOf(args, [...modeOptions, ...optionsOf(mode).filter(({ of }) => of === 'both')]);
}

/** Converts flags before the command. @throws UsageError */
export function leadingFlagVariables(args: readonly string[]): Readonly<Record<string, string>> {
  return variablesOf(
    args,
    EDGE_OPTIONS.filter(({ of }) => of === 'both'),
  );
}

function variablesOf(args: readonly string[], options: readonly EdgeOption[]): Readonly<Record<string, string>> {
  const { values, positionals } = parseFlags(args, flagsOf(options));
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"; see --help`);
  const variables: Record<string, string> = {};
  for (const option of options) {
    const value = values[option.flag];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    variables[variableOf(option)] = text;
    // The command line takes precedence over variables.
    if (option.as !== undefined) variables[option.as] = text;
  }
  return variables;
}

function parseFlags(args: readonly string[], options: Flags) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence describes the problem.
    throw new UsageError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function flagsOf(options: readonly EdgeOption[]): Flags {
  const flags: Flags = {};
  const usedShortFlags = new Set<string>();
  for (const { flag, short, kind } of options) {
    const isFree = short !== undefined && !usedShortFlags.has(short);
    if (isFree) usedShortFlags.add(short);
    flags[flag] = {
      type: kind === 'switch' ? 'boolean' : 'string',
      ...(kind === 'list' && { multiple: true }),
      ...(isFree && { short }),
    };
  }
  return flags;
}
