import { ConfigError, type Environment } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import { unknownVariables, variableWarnings } from '../unknown-variables.ts';
import { variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

/** Edge's variables without a command-line option. */
const VARIABLES_WITHOUT_FLAG = ['RUST_LOG'];

/** Every variable of Edge that a relay, or `burgee offline`, accepts. */
function edgeVariables(mode: Mode): string[] {
  return [...optionsOf(mode).map(variableOf), ...VARIABLES_WITHOUT_FLAG];
}

/** Log messages for the start of a relay about its environment variables. @throws ConfigError when it must not start with them */
export function edgeNotes(environment: Environment, mode: Mode, config: Config, notes: readonly string[]): string[] {
  return [...variableWarnings(environment, config, edgeVariables(mode)), ...notes];
}

/** Reads options; adds hints about possibly misspelled variables to an error. @throws ConfigError */
export function withHints<T>(environment: Environment, mode: Mode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { warnings } = unknownVariables(environment, edgeVariables(mode));
    throw new ConfigError([error.message, ...warnings].join('; '));
  }
}
