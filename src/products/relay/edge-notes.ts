import { ConfigError, type Environment } from '../../base/options.ts';
import { unknownVariables } from '../unknown-variables.ts';
import { variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

/** Variables that are Edge's, but not of its command line. */
const OTHERS = ['RUST_LOG'];

/** Every variable that a relay, or `burgee offline`, has of Edge. */
export function edgeVariables(mode: Mode): string[] {
  return [...optionsOf(mode).map(variableOf), ...OTHERS];
}

/** What is logged at the start of a relay about its environment. @throws ConfigError when it must not start with it */
export function edgeNotes(given: Environment, mode: Mode, isStrict: boolean, notes: readonly string[]): string[] {
  const { refusal, warnings } = unknownVariables(given, edgeVariables(mode));
  if (refusal) throw new ConfigError(refusal);
  if (isStrict && warnings[0] !== undefined) throw new ConfigError(`STRICT_CONFIG is set, and ${warnings.join('; ')}`);
  return [...warnings, ...notes];
}

/** Reads options; to what is wrong with them it adds which variables may be misspelled. @throws ConfigError */
export function withHints<T>(given: Environment, mode: Mode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { warnings } = unknownVariables(given, edgeVariables(mode));
    throw new ConfigError([error.message, ...warnings].join('; '));
  }
}
