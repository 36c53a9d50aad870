import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigError } from '../../base/options.ts';
import { EDGE_OPTIONS, type EdgeOption, variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** Flags behind the word `edge` or `offline`, as the variables that mean the same. @throws ConfigError */
export function flagVariables(args: readonly string[], mode: Mode): Readonly<Record<string, string>> {
  // Of one letter, the nearer owner's: `-b` is a folder behind `edge`, a file behind `offline`.
  const own = optionsOf(mode).filter(({ of }) => of === mode);
  return variablesOf(args, [...own, ...optionsOf(mode).filter(({ of }) => of === 'both')]);
}

/** Flags before the word. @throws ConfigError */
export function leadingFlagVariables(args: readonly string[]): Readonly<Record<string, string>> {
  return variablesOf(
    args,
    EDGE_OPTIONS.filter(({ of }) => of === 'both'),
  );
}

function variablesOf(args: readonly string[], options: readonly EdgeOption[]): Readonly<Record<string, string>> {
  const { values, positionals } = parsed(args, flagsOf(options));
  const [extra] = positionals;
  if (extra !== undefined) throw new ConfigError(`nothing is known to do with "${extra}"; see --help`);
  const variables: Record<string, string> = {};
  for (const option of options) {
    const value = values[option.flag];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    variables[variableOf(option)] = text;
    // What is said on the command line counts before any variable.
    if (option.as !== undefined) variables[option.as] = text;
  }
  return variables;
}

function parsed(args: readonly string[], options: Flags) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Of several sentences the first one says what is wrong.
    throw new ConfigError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function flagsOf(options: readonly EdgeOption[]): Flags {
  const flags: Flags = {};
  const letters = new Set<string>();
  for (const { flag, short, kind } of options) {
    const isFree = short !== undefined && !letters.has(short);
    if (isFree) letters.add(short);
    flags[flag] = {
      type: kind === 'switch' ? 'boolean' : 'string',
      ...(kind === 'list' && { multiple: true }),
      ...(isFree && { short }),
    };
  }
  return flags;
}
