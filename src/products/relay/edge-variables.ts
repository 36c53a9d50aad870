import { ConfigError, type Environment } from '../../base/options.ts';
import { EDGE_OPTIONS, type EdgeOption, variableOf } from './edge-options.ts';
import { redisUrlOf } from './edge-redis.ts';
import { readSwitch } from './read-switch.ts';

/** Edge's environment variables, translated to Burgee's. */
interface EdgeEnvironment {
  /** Burgee's variables and Edge's. If both are set, Burgee's takes precedence. */
  readonly environment: Environment;
  /** Messages for the start log: options that have no effect here. */
  readonly notes: readonly string[];
}

export type Mode = 'edge' | 'offline';

/** Edge's default port. */
const EDGE_PORT = '3063';
/** The default prefix of keys in Redis: a relay may use the same Redis as the server. */
const KEY_PREFIX = 'burgee-relay';

/** The options of one mode. */
export function optionsOf(mode: Mode): readonly EdgeOption[] {
  return EDGE_OPTIONS.filter((option) => option.of === 'both' || option.of === mode);
}

/** Translates Edge's variables to Burgee's. @throws ConfigError for an option without which the service would differ from the requested one */
export function edgeEnvironment(environment: Environment, mode: Mode): EdgeEnvironment {
  const options = optionsOf(mode);
  const setVariables = Object.fromEntries(Object.entries(environment).filter(([, text]) => (text ?? '') !== ''));
  const isSet = (option: EdgeOption) => {
    const text = setVariables[variableOf(option)];
    return text !== undefined && !(option.kind === 'switch' && !readSwitch(text, variableOf(option)));
  };
  const unsupported = options.find((option) => option.fate === 'refused' && isSet(option));
  if (unsupported) throw new ConfigError(`${variableOf(unsupported)} is not supported. ${unsupported.note}`);
  const renamed: Record<string, string | undefined> = { HTTP_PORT: setVariables.PORT ?? EDGE_PORT };
  for (const option of options) {
    if (option.as !== undefined && isSet(option)) renamed[option.as] = setVariables[variableOf(option)];
  }
  const notes = options
    .filter((option) => option.fate === 'none' && isSet(option))
    .map((option) => `${variableOf(option)} has no effect here. ${option.note}`);
  return {
    environment: {
      ...renamed,
      ...convertedVariables(setVariables),
      ...setVariables,
      ...reinterpretedVariables(setVariables),
    },
    notes,
  };
}

/** Burgee's variables that are derived from differently written variables of Edge. */
function convertedVariables(setVariables: Environment): Environment {
  const { EDGE_REQUEST_TIMEOUT: seconds = '', RUST_LOG: filter = '' } = setVariables;
  // In `info,unleash_edge=debug` the last level is the one of the program itself.
  const level = [...filter.matchAll(/\b(trace|debug|info|warn|error)\b/gi)].at(-1)?.[0].toLowerCase();
  return {
    ...(redisUrlOf(setVariables) !== undefined && { REDIS_KEY_PREFIX: KEY_PREFIX }),
    ...(/^\d{1,6}$/.test(seconds) && { HANDLER_DEADLINE_MS: `${seconds}000` }),
    ...(level !== undefined && { LOG_LEVEL: level }),
  };
}

/** Variables with the same name whose values may have another meaning. */
function reinterpretedVariables(setVariables: Environment): Environment {
  const { TRUST_PROXY: trust, PROXY_TRUSTED_SERVERS: proxies, LOG_FORMAT: format } = setVariables;
  const isTrusting = trust !== undefined && /^(true|1|yes|on)$/i.test(trust);
  const redisUrl = redisUrlOf(setVariables);
  return {
    ...(isTrusting && { TRUST_PROXY: proxies ?? 'true' }),
    ...(format === 'plain' && { LOG_FORMAT: 'pretty' }),
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  };
}
