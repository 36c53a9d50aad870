/** One option of Unleash Edge, up to its last open-source version, and its effect here. */
export interface EdgeOption {
  /** The flag without its dashes. The variable has the same name, in capital letters. */
  readonly flag: string;
  /** The one-letter flag. */
  readonly short?: string;
  /** The command that has the option. In Edge, options of `both` come before the command `edge` or `offline`; here they may be before or after it. */
  readonly of: 'both' | 'edge' | 'offline';
  /** `switch`: without a value it means true. `list`: it may be repeated. */
  readonly kind: 'value' | 'list' | 'switch';
  /**
   * `same`: the option has the same effect as in Edge. `none`: not supported, and without effect on the data that SDKs get. `refused`: not
   * supported, and a service without it would differ from the requested one, so the start is refused.
   */
  readonly fate: 'same' | 'none' | 'refused';
  /** Burgee's own variable for the option, if it has another name than Edge's. */
  readonly as?: string;
  /** Only a relay has an upstream: the option is accepted in all modes, but `burgee offline --help` leaves it out. */
  readonly upstreamOnly?: true;
  readonly note: string;
}

type OptionDetails = Omit<EdgeOption, 'flag' | 'of'>;
type Kind = EdgeOption['kind'];
type More = Pick<EdgeOption, 'short' | 'as' | 'upstreamOnly'>;

const same = (kind: Kind, note: string, more: More = {}): OptionDetails => ({ ...more, kind, fate: 'same', note });
const none = (kind: Kind, note: string, more: More = {}): OptionDetails => ({ ...more, kind, fate: 'none', note });
const refused = (kind: Kind, note: string): OptionDetails => ({ kind, fate: 'refused', note });

function optionsOfCommand(
  owner: EdgeOption['of'],
  options: Readonly<Record<string, OptionDetails>>,
): readonly EdgeOption[] {
  return Object.entries(options).map(([flag, details]) => ({ flag, of: owner, ...details }));
}

const SERVER: Readonly<Record<string, OptionDetails>> = {
  port: same('value', 'Port to listen on. Default: 3063.', { short: 'p', as: 'HTTP_PORT' }),
  interface: same('value', 'Address to listen on. Default: all addresses, IPv4 and IPv6.', {
    short: 'i',
    as: 'HTTP_HOST',
  }),
  'base-path': same('value', 'Prefix of every path.', { as: 'BASE_URI_PATH' }),
  workers: none(
    'value',
    'One thread serves requests. With `HTTP_SHARE_PORT=true`, several processes on one machine can listen on the same port.',
    { short: 'w' },
  ),
  'edge-request-timeout': same('value', 'Seconds after which a request is answered with 503. Default: 30 (Edge: 5).'),
  'edge-keepalive-timeout': none('value', 'An idle connection is closed after about ten seconds.'),
  'client-keepalive-timeout': none(
    'value',
    'Connections to upstream are reused, and up to 16 idle connections are kept.',
  ),
  'log-format': same(
    'value',
    '`auto`, `json`, `pretty`, or `plain` (the same as `pretty`). Default: `auto`, which is `pretty` on a terminal and otherwise `json`.',
    { short: 'l' },
  ),
  'app-name': same('value', 'Name under which the relay reports to upstream. Default: `burgee-relay`.', {
    short: 'a',
    upstreamOnly: true,
  }),
  'instance-id': same('value', 'Id under which this process reports to upstream. Default: the name of the machine.', {
    upstreamOnly: true,
  }),
};

const CALLERS: Readonly<Record<string, OptionDetails>> = {
  'cors-origin': same('list', 'Origins whose pages may call the frontend API. Default: all origins.', {
    as: 'UNLEASH_FRONTEND_API_ORIGINS',
  }),
  'cors-allowed-headers': none('list', 'All headers that a page requests are allowed.'),
  'cors-exposed-headers': none('list', '`ETag` and `Retry-After` are exposed: SDKs read them.'),
  'cors-methods': none('list', 'The methods of the path are allowed.'),
  'cors-max-age': same('value', 'Seconds for which browsers may cache the permission to call. Default: a day.', {
    as: 'ACCESS_CONTROL_MAX_AGE',
  }),
  'allow-list': same('list', 'Addresses and ranges that may call. Default: all. Other addresses get 403.'),
  'deny-list': same('list', 'Addresses and ranges that may not call, even if `ALLOW_LIST` contains them.'),
  'trust-proxy': same(
    'switch',
    '`X-Forwarded-For` is believed if it comes from an address in `PROXY_TRUSTED_SERVERS`; if that option is not set, from all senders. Burgee’s own values (addresses, or a number of proxies) also work.',
  ),
  'proxy-trusted-servers': same(
    'list',
    'Addresses and ranges of the proxies that are believed. Has an effect only with `TRUST_PROXY`.',
  ),
  'edge-auth-header': same('value', 'Header in which SDKs send their token. Default: `authorization`.'),
  'token-header': same('value', 'Older name of both `EDGE_AUTH_HEADER` and `UPSTREAM_AUTH_HEADER`.'),
};

const ENDPOINTS: Readonly<Record<string, OptionDetails>> = {
  'disable-all-endpoint': same('switch', 'Disables `/api/frontend/all` and `/api/proxy/all`.'),
  'disable-metrics-batch-endpoint': same('switch', 'Disables `/internal-backstage/metricsbatch`.'),
  'disable-metrics-endpoint': same(
    'switch',
    'Disables `/internal-backstage/metrics` and `/internal-backstage/prometheus`.',
  ),
  'disable-features-endpoint': same('switch', 'Disables `/internal-backstage/features`.'),
  'disable-tokens-endpoint': same('switch', 'Disables `/internal-backstage/tokens`.'),
  'disable-instance-data-endpoint': same('switch', 'Disables `/internal-backstage/instancedata`.'),
};

const TLS: Readonly<Record<string, OptionDetails>> = {
  'tls-enable': same('switch', 'Also serves HTTPS, on `TLS_SERVER_PORT`.'),
  'tls-server-key': same('value', 'PEM file with the private key.'),
  'tls-server-cert': same('value', 'PEM file with the certificate chain.'),
  'tls-server-port': same('value', 'Port for HTTPS. Default: 3043.'),
  'redirect-http-to-https': none(
    'switch',
    'Both ports serve requests. With `HTTP_HOST=127.0.0.1` and `TLS_SERVER_HOST=0.0.0.0`, only this machine can use plain HTTP.',
  ),
};

const UPSTREAM: Readonly<Record<string, OptionDetails>> = {
  'upstream-url': same(
    'value',
    'Address of upstream, without `/api`. Upstream is an Unleash, a Burgee, an Edge or another relay.',
    { short: 'u' },
  ),
  tokens: same('list', 'Client tokens whose flags are fetched at the start.', { short: 't' }),
  'pretrusted-tokens': same(
    'list',
    'Frontend tokens that are accepted without validation by upstream: `project:environment.secret`, or `any-text@environment`.',
    { short: 'p' },
  ),
  'features-refresh-interval-seconds': same(
    'value',
    'Seconds between two requests to upstream for changes, if upstream does not stream them. Default: 15.',
    { short: 'f' },
  ),
  'metrics-interval-seconds': same('value', 'Seconds between two usage reports to upstream. Default: 60.', {
    short: 'm',
  }),
  'token-revalidation-interval-seconds': same(
    'value',
    'Seconds between two validations of the known tokens. Default: 3,600.',
  ),
  'upstream-request-timeout': same(
    'value',
    'Seconds that upstream may take, once connected, to begin its answer and between two pieces of it; also how long SDKs wait for flags of upstream. Default: 5.',
  ),
  'upstream-socket-timeout': same('value', 'Seconds to connect to upstream, including TLS. Default: 5.'),
  'custom-client-headers': same('list', '`Name: value`. This header is sent with every request to upstream.', {
    short: 'H',
  }),
  'upstream-auth-header': same('value', 'Header in which the token is sent to upstream. Default: `authorization`.'),
  'skip-ssl-verification': same('switch', 'Accepts any certificate of upstream.', { short: 's' }),
  'upstream-certificate-file': same(
    'value',
    'PEM file with a certificate authority that is trusted in addition to the usual ones.',
  ),
  'pkcs8-client-certificate-file': same('value', 'PEM file with the client certificate for upstream.'),
  'pkcs8-client-key-file': same('value', 'PEM file with the key of the client certificate.'),
  'pkcs12-identity-file': same('value', 'PKCS #12 file with the client certificate for upstream and its key.'),
  'pkcs12-passphrase': same('value', 'Passphrase of the PKCS #12 file.'),
  'pem-cert-file': same('value', 'PEM file with both the client certificate for upstream and its key.'),
};

const STORAGE: Readonly<Record<string, OptionDetails>> = {
  'backup-folder': same(
    'value',
    'Folder in which flags and tokens are stored, so that the relay can start without upstream. The first start reads the files that Edge stored there, and does not change them. Each process needs its own folder.',
    { short: 'b', as: 'DATA_DIR' },
  ),
  'redis-url': same('list', 'Stores flags and tokens in Redis, which several relays can share.'),
  'redis-mode': same('value', '`single` or `cluster`. Default: `single`.'),
  'redis-host': same('value', 'Host of Redis, if `REDIS_URL` is not set.'),
  'redis-port': same('value', 'Port of Redis, with `REDIS_HOST`. Default: 6379.'),
  'redis-username': same('value', 'Username for Redis, if `REDIS_URL` contains no credentials.'),
  'redis-password': same('value', 'Password for Redis, if `REDIS_URL` contains no credentials.'),
  'redis-secure': same('switch', 'Connects to `REDIS_HOST` with TLS.'),
  'redis-scheme': same(
    'value',
    'With `REDIS_HOST`: `redis` or `tcp`; with TLS: `rediss` or `tls`. Unix sockets are refused.',
  ),
  'redis-read-connection-timeout-milliseconds': same(
    'value',
    'Maximum time to connect to Redis, and for one command. Default: 2,000.',
    { as: 'REDIS_COMMAND_TIMEOUT_MS' },
  ),
  'redis-write-connection-timeout-milliseconds': same(
    'value',
    'Maximum time that a write waits for Redis. Default: 5,000 (Edge: 2,000).',
    { as: 'REDIS_WRITE_TIMEOUT_MS' },
  ),
  's3-bucket-name': refused('value', 'Flags are kept in a folder (`BACKUP_FOLDER`) or in Redis (`REDIS_URL`).'),
};

const NO_PUSH =
  'Burgee does not push metrics. Prometheus, or one of its agents, can read `/internal-backstage/prometheus`.';

const METRICS_PUSH: Readonly<Record<string, OptionDetails>> = {
  'prometheus-remote-write-url': none('value', NO_PUSH),
  'prometheus-push-interval': none('value', NO_PUSH),
  'prometheus-username': none('value', NO_PUSH),
  'prometheus-password': none('value', NO_PUSH),
  'prometheus-user-id': none('value', NO_PUSH),
};

const NO_SENTRY = 'Burgee does not report to Sentry. Errors are in the log and in the gauges.';

const MONITORING: Readonly<Record<string, OptionDetails>> = {
  'sentry-dsn': none('value', NO_SENTRY),
  'sentry-tracing-rate': none('value', NO_SENTRY),
  'sentry-debug': none('switch', NO_SENTRY),
  'sentry-enable-logs': none('switch', NO_SENTRY),
  'datadog-url': none('value', 'Datadog’s agent can read `/internal-backstage/prometheus`.'),
  'otel-collector-url': none(
    'value',
    'A collector can read `/internal-backstage/prometheus`. A server sends by itself (docs/operate/opentelemetry.md).',
  ),
};

/** Options of earlier versions of Edge, and options that are hidden in its last version. */
const FORMER: Readonly<Record<string, OptionDetails>> = {
  strict: same(
    'switch',
    'A client token is accepted only if `TOKENS` and `PRETRUSTED_TOKENS` cover its environment and projects. Without this option, all tokens that upstream knows are accepted, as with `DYNAMIC`.',
  ),
  dynamic: same(
    'switch',
    'Accepted, but not needed: the relay always behaves like this unless `STRICT` is set. Tokens that are not in `TOKENS` are accepted.',
  ),
  streaming: same(
    'switch',
    'The relay reads the stream of upstream, if there is one, also without this option; `false` turns this off. SDKs can always use streams.',
  ),
  delta: none('switch', 'SDKs can always request deltas.'),
  consumption: none('switch', 'The relay does not count consumption for usage-based billing.'),
  'delta-diff': none('switch', 'SDKs can always request deltas.'),
};

const OFFLINE: Readonly<Record<string, OptionDetails>> = {
  'bootstrap-file': same(
    'value',
    'File with the flags ([offline.md](../reach/offline.md)). Exports are also accepted.',
    {
      short: 'b',
    },
  ),
  tokens: same('list', 'Older name of `CLIENT_TOKENS`.', { short: 't' }),
  'client-tokens': same('list', 'Tokens of backend SDKs.', { short: 'c' }),
  'frontend-tokens': same('list', 'Tokens of frontend SDKs.', { short: 'f' }),
  'reload-interval': same(
    'value',
    'Seconds between two checks whether the file has changed. Default: the file is read only once.',
    { short: 'r' },
  ),
};

/** All options, in display order. */
export const EDGE_OPTIONS: readonly EdgeOption[] = [
  ...optionsOfCommand('both', SERVER),
  ...optionsOfCommand('both', CALLERS),
  ...optionsOfCommand('both', ENDPOINTS),
  ...optionsOfCommand('both', TLS),
  ...optionsOfCommand('both', MONITORING),
  ...optionsOfCommand('edge', UPSTREAM),
  ...optionsOfCommand('edge', STORAGE),
  ...optionsOfCommand('edge', METRICS_PUSH),
  ...optionsOfCommand('edge', FORMER),
  ...optionsOfCommand('offline', OFFLINE),
];

/** The variable of an option of Edge. */
export function variableOf({ flag }: Pick<EdgeOption, 'flag'>): string {
  return flag.toUpperCase().replaceAll('-', '_');
}
