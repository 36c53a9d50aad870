import { hostname } from 'node:os';
import { type Config, ConfigError, readConfig } from '../config.ts';
import type { RelayOptions } from '../relay/relay-options.ts';
import type { SourcedService } from '../serve.ts';
import { readArguments } from './arguments.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee relay --upstream-url URL

Stands between SDKs and an upstream service (an Unleash, a Burgee, another relay): serves its flags, and goes on with them while it is away.
Options are those of Unleash Edge, as flags or as environment variables: docs/from-edge.md.
`;

type Environment = Readonly<Record<string, string | undefined>>;

/** `burgee relay`. */
export const relayCommand: Subcommand = {
  name: 'relay',
  summary: 'serves the flags of an upstream service, also while that is away',
  help: HELP,
  words: ['--upstream-url'],
  async run(args, { environment }) {
    const { values } = readArguments(args, { 'upstream-url': { type: 'string', short: 'u' } } as const);
    const { serveSource } = await import('../serve.ts');
    const { Relay } = await import('../relay/relay.ts');
    const given = { ...environment, ...(values['upstream-url'] && { UPSTREAM_URL: values['upstream-url'] }) };
    await serveSource(environment, () =>
      relayService(given, (options) => (clock, logger) => new Relay(options, clock, logger)),
    );
    return undefined;
  },
};

function relayService(
  environment: Environment,
  sourceOf: (options: RelayOptions) => SourcedService['source'],
): SourcedService {
  const folder = environment.BACKUP_FOLDER ?? '';
  const config: Config = readConfig({
    ...environment,
    PORT: environment.PORT || '3063',
    ...(folder !== '' && { DATA_DIR: folder }),
  });
  const options = readRelayOptions(environment);
  return {
    name: 'relay',
    config,
    isKept: folder !== '' || config.redisUrl !== '',
    options: { UPSTREAM_URL: options.upstreamUrl },
    source: sourceOf(options),
  };
}

/** @throws ConfigError */
function readRelayOptions(environment: Environment): RelayOptions {
  const url = (environment.UPSTREAM_URL ?? '').replace(/\/+$/, '').replace(/\/api$/, '');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new ConfigError(
      `a relay needs UPSTREAM_URL, or --upstream-url, such as https://flags.example.com, not "${url}"`,
    );
  const seconds = (name: string, usual: number) => {
    const text = environment[name] || String(usual);
    if (/^\d{1,7}$/.test(text) && Number(text) > 0) return Number(text) * 1_000;
    throw new ConfigError(`${name} must be a whole number of seconds, not "${text}"`);
  };
  return {
    upstreamUrl: url,
    tokens: (environment.TOKENS ?? '').split(',').flatMap((token) => token.trim() || []),
    pretrusted: [],
    isStrict: false,
    refreshMs: seconds('FEATURES_REFRESH_INTERVAL_SECONDS', 15),
    metricsMs: seconds('METRICS_INTERVAL_SECONDS', 60),
    revalidateMs: seconds('TOKEN_REVALIDATION_INTERVAL_SECONDS', 3_600),
    timeoutMs: 5_000,
    isStreaming: false,
    authHeader: 'authorization',
    headers: {},
    tls: {},
    appName: environment.APP_NAME || 'burgee-relay',
    instanceId: environment.INSTANCE_ID || hostname(),
  };
}
