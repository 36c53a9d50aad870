import { pushAll } from '../base/lists/push-all.ts';
import { ConfigError, type Environment } from '../base/options.ts';
import { type Config, OPTIONS } from '../config.ts';
import { limitEntries } from '../model/limits.ts';
import { frontWarnings } from './server/server-options.ts';
import { isUnleashVariable, unleashWarnings } from './unleash-variables.ts';

/** Problems with environment variables that this command does not read, although they seem to be meant for Burgee. */
interface UnknownVariables {
  /**
   * Why the start must be refused: a variable for the location of the data seems to be misspelled, so the service would use another store. Null if
   * this is not the case.
   */
  readonly refusal: string | null;
  readonly warnings: readonly string[];
}

const knownVariables = (): readonly string[] => [
  ...Object.values(OPTIONS).flatMap(({ env }) => env),
  ...limitEntries().flatMap(([, { env }]) => env ?? []),
  // Commands that use a running service read these variables.
  'BURGEE_TOKEN',
  'BURGEE_URL',
];
/** Other programs do not use these prefixes, except `REDIS_`. */
const BURGEE_PREFIXES = /^(BURGEE|UNLEASH|REDIS)_/;
/** Kubernetes sets such variables in every pod if a service is called `redis` or `burgee`. Docker does the same for links. */
const ORCHESTRATOR = /_SERVICE_(HOST|PORT(_.*)?)$|_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?$|_ENV_|_NAME$/;
const ORCHESTRATOR_ADDRESS = /^(tcp|udp):\/\//;
/** Minimum length of a name that is compared with others. A shorter name is similar to too many other names. */
const NEAR_LENGTH_MIN = 7;
const NEAR_EDITS_MAX = 2;
/** The variable that each command requires. If one is set, the user probably intended to run that command. */
const COMMANDS_OF = [
  ['UPSTREAM_URL', 'relay'],
  ['BOOTSTRAP_FILE', 'offline'],
] as const;
/** Options of a server that no other service reads, and without which it would serve something else. */
const ONLY_FOR_SERVERS = ['IMPORT_FILE', 'ENABLED_ENVIRONMENTS'];
/** Options for the location of the data. */
const STORE_VARIABLES = ['REDIS_URL', 'DATA_DIR'];

/**
 * Looks for misspelled variables: names with one of Burgee's prefixes, or at most two characters different from an option's name.
 * `commandVariables` are the additional variables of the command that runs.
 */
export function unknownVariables(environment: Environment, commandVariables: readonly string[] = []): UnknownVariables {
  const knownNames = [...knownVariables(), ...commandVariables];
  const warnings: string[] = [];
  let refusal: string | null = null;
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  for (const name of Object.keys(environment).filter(isSet).sort()) {
    if (knownNames.includes(name) || isUnleashVariable(name) || isSetByOrchestrator(name, environment[name] ?? ''))
      continue;
    const likelyName = nearest(name, knownNames) ?? (name.startsWith('REDIS_') ? 'REDIS_URL' : undefined);
    if (!likelyName && !BURGEE_PREFIXES.test(name)) continue;
    const text = `the environment holds ${name}, which Burgee does not know${likelyName ? `: is ${likelyName} meant` : ''}`;
    if (likelyName && STORE_VARIABLES.includes(likelyName) && !isSet(likelyName)) {
      refusal ??= `${text}? Without ${likelyName}, this process would use another store than the one that you intend. Set ${likelyName}, or unset ${name}.`;
    } else warnings.push(text + (likelyName ? '?' : ''));
  }
  for (const [name, command] of COMMANDS_OF) {
    if (isSet(name) && !commandVariables.includes(name))
      warnings.push(`the environment holds ${name}, which is for burgee ${command}, and means nothing to this command`);
  }
  for (const name of ONLY_FOR_SERVERS) {
    if (isSet(name) && commandVariables.length > 0)
      warnings.push(`the environment holds ${name}, which is for burgee serve, and means nothing to this command`);
  }
  // Edge has variables with the same names, which a relay reads.
  const foreignVariables = Object.keys(environment).filter((name) => isSet(name) && !commandVariables.includes(name));
  pushAll(warnings, unleashWarnings(new Map(foreignVariables.sort().map((name) => [name, environment[name] ?? '']))));
  if (!isSet('REDIS_URL') && !commandVariables.includes('REDIS_HOST')) {
    const unusedVariables = knownVariables().filter((name) => name.startsWith('REDIS_') && isSet(name));
    if (unusedVariables.length > 0)
      warnings.push(
        `without REDIS_URL, Burgee stores nothing in Redis, and ${unusedVariables.join(', ')} has no effect`,
      );
  }
  return { refusal, warnings };
}

/**
 * The warnings about unknown variables, and those about options without effect. @throws ConfigError if the start must be refused because of one, or
 * because `STRICT_CONFIG` allows no warning
 */
export function variableWarnings(
  environment: Environment,
  config: Config,
  commandVariables: readonly string[] = [],
): readonly string[] {
  const { refusal, warnings: unknown } = unknownVariables(environment, commandVariables);
  if (refusal) throw new ConfigError(refusal);
  const warnings = [...unknown, ...frontWarnings(config)];
  if (config.strictConfig && warnings.length > 0)
    throw new ConfigError(`STRICT_CONFIG is set, and ${warnings.join('; ')}`);
  return warnings;
}

function isSetByOrchestrator(name: string, value: string): boolean {
  return ORCHESTRATOR.test(name) || (name.endsWith('_PORT') && ORCHESTRATOR_ADDRESS.test(value));
}

function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length < NEAR_LENGTH_MIN) return undefined;
  let best: string | undefined;
  let fewest = NEAR_EDITS_MAX + 1;
  for (const knownName of names) {
    if (knownName.length < NEAR_LENGTH_MIN || Math.abs(knownName.length - name.length) > NEAR_EDITS_MAX) continue;
    const count = editCount(name.toUpperCase(), knownName);
    if (count < fewest) [best, fewest] = [knownName, count];
  }
  return best;
}

/** The minimum number of characters to insert, delete or replace to change one word into the other. */
function editCount(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column++) {
      const replaceCount = (row[column] ?? 0) + (from[at] === to[column] ? 0 : 1);
      next.push(Math.min(replaceCount, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    // Later rows cannot contain a smaller number than the minimum of this row.
    if (Math.min(...next) > NEAR_EDITS_MAX) return NEAR_EDITS_MAX + 1;
    row = next;
  }
  return row[to.length] ?? 0;
}
