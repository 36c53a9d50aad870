import { ConfigError, type Environment } from '../../base/options.ts';
import { EDGE_OPTIONS, type EdgeOption, variableOf } from './edge-options.ts';
import { redisUrlOf } from './edge-redis.ts';
import { readSwitch } from './read-switch.ts';

/** What an environment written for Edge means here. */
interface EdgeEnvironment {
  /** With Burgee's own variables beside Edge's. Where both are set, Burgee's counts. */
  readonly environment: Environment;
  /** What is logged at the start: options that mean nothing here. */
  readonly notes: readonly string[];
}

export type Mode = 'edge' | 'offline';

/** Where Edge listens by default. */
const EDGE_PORT = '3063';
/** A relay's Redis may be the server's, too. */
const KEY_PREFIX = 'burgee-relay';

/** The options of one way of running. */
export function optionsOf(mode: Mode): readonly EdgeOption[] {
  return EDGE_OPTIONS.filter((option) => option.of === 'both' || option.of === mode);
}

/** Translates what Edge's variables say into Burgee's own. @throws ConfigError for what would be another service than was asked for */
export function edgeEnvironment(environment: Environment, mode: Mode): EdgeEnvironment {
  const options = optionsOf(mode);
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => (text ?? '') !== ''));
  const isSet = (option: EdgeOption) => {
    const text = given[variableOf(option)];
    return text !== undefined && !(option.kind === 'switch' && !readSwitch(text, variableOf(option)));
  };
  const refused = options.find((option) => option.fate === 'refused' && isSet(option));
  if (refused) throw new ConfigError(`${variableOf(refused)} is not there. ${refused.note}`);
  const renamed: Record<string, string | undefined> = { HTTP_PORT: given.PORT ?? EDGE_PORT };
  for (const option of options) {
    if (option.as !== undefined && isSet(option)) renamed[option.as] = given[variableOf(option)];
  }
  const notes = options
    .filter((option) => option.fate === 'none' && isSet(option))
    .map((option) => `${variableOf(option)} means nothing here. ${option.note}`);
  return { environment: { ...renamed, ...reworded(given), ...given, ...reread(given) }, notes };
}

/** Burgee's variables that say in another way what Edge's say. */
function reworded(given: Environment): Environment {
  const { EDGE_REQUEST_TIMEOUT: seconds = '', RUST_LOG: filter = '' } = given;
  // `info,unleash_edge=debug`: what counts for the program itself stands last.
  const level = [...filter.matchAll(/\b(trace|debug|info|warn|error)\b/gi)].at(-1)?.[0].toLowerCase();
  return {
    ...(redisUrlOf(given) !== undefined && { REDIS_KEY_PREFIX: KEY_PREFIX }),
    ...(/^\d{1,6}$/.test(seconds) && { HANDLER_DEADLINE_MS: `${seconds}000` }),
    ...(level !== undefined && { LOG_LEVEL: level }),
  };
}

/** Variables of the same name that may say something else. */
function reread(given: Environment): Environment {
  const { TRUST_PROXY: trust, PROXY_TRUSTED_SERVERS: proxies, LOG_FORMAT: format } = given;
  const isTrusting = trust !== undefined && /^(true|1|yes|on)$/i.test(trust);
  const redisUrl = redisUrlOf(given);
  return {
    ...(isTrusting && { TRUST_PROXY: proxies ?? 'true' }),
    ...(format === 'plain' && { LOG_FORMAT: 'pretty' }),
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  };
}
