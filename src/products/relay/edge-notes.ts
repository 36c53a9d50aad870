import { ConfigError, type Environment } from '../../base/options.ts';
import { unknownVariables } from '../unknown-variables.ts';
import { variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

/** Edge's variables without a command-line option. */
const OTHERS = ['RUST_LOG'];

/** Every variable of Edge that a relay, or `burgee offline`, accepts. */
export function edgeVariables(mode: Mode): string[] {
  return [...optionsOf(mode).map(variableOf), ...OTHERS];
}

/** Log messages for the start of a relay about its environment variables. @throws ConfigError when it must not start with them */
export function edgeNotes(supplied: Environment, mode: Mode, isStrict: boolean, notes: readonly string[]): string[] {
  const { refusal, warnings } = unknownVariables(supplied, edgeVariables(mode));
  if (refusal) throw new ConfigError(refusal);
  if (isStrict && warnings[0] !== undefined) throw new ConfigError(`STRICT_CONFIG is set, and ${warnings.join('; ')}`);
  return [...warnings, ...notes];
}

/** Reads options; adds hints about possibly misspelled variables to an error. @throws ConfigError */
export function withHints<T>(supplied: Environment, mode: Mode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { warnings } = unknownVariables(supplied, edgeVariables(mode));
    throw new ConfigError([error.message, ...warnings].join('; '));
  }
}
