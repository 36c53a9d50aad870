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
   * `same`: the option has the same effect as in Edge. `other`: `note` describes another way to the same goal. `none`: not supported, and without
   * effect on the data that SDKs get. `refused`: not supported, and a service without it would differ from the requested one, so the start is
   * refused.
   */
  readonly fate: 'same' | 'other' | 'none' | 'refused';
  /** Burgee's own variable for the option, if it has another name than Edge's. */
  readonly as?: string;
  /** Only a relay has an upstream: the option is accepted in all modes, but `burgee offline --help` leaves it out. */
  readonly upstreamOnly?: true;
  readonly note: string;
}

type OptionDetails = Omit<EdgeOption, 'flag' | 'of'>;

function optionsOfCommand(
  owner: EdgeOption['of'],
  options: Readonly<Record<string, OptionDetails>>,
): readonly EdgeOption[] {
  return Object.entries(options).map(([flag, details]) => ({ flag, of: owner, ...details }));
}

const SERVER: Readonly<Record<string, OptionDetails>> = {
  port: { short: 'p', kind: 'value', fate: 'same', as: 'HTTP_PORT', note: 'Port to listen on. Default: 3063.' },
  interface: {
    short: 'i',
    kind: 'value',
    fate: 'same',
    as: 'HTTP_HOST',
    note: 'Address to listen on. Default: all addresses, IPv4 and IPv6.',
  },
  'base-path': { kind: 'value', fate: 'same', as: 'BASE_URI_PATH', note: 'Prefix of every path.' },
  workers: {
    short: 'w',
    kind: 'value',
    fate: 'none',
    note: 'One thread serves requests. With `HTTP_SHARE_PORT=true`, several processes on one machine can listen on the same port.',
  },
  'edge-request-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds after which a request is answered with 503. Default: 30 (Edge: 5).',
  },
  'edge-keepalive-timeout': {
    kind: 'value',
    fate: 'none',
    note: 'An idle connection is closed after about ten seconds.',
  },
  'client-keepalive-timeout': {
    kind: 'value',
    fate: 'none',
    note: 'Connections to upstream are reused, and up to 16 idle connections are kept.',
  },
  'log-format': {
    short: 'l',
    kind: 'value',
    fate: 'same',
    note: '`auto`, `json`, `pretty`, or `plain` (the same as `pretty`). Default: `auto`, which is `pretty` on a terminal and otherwise `json`.',
  },
  'app-name': {
    short: 'a',
    kind: 'value',
    fate: 'same',
    upstreamOnly: true,
    note: 'Name under which the relay reports to upstream. Default: `burgee-relay`.',
  },
  'instance-id': {
    kind: 'value',
    fate: 'same',
    upstreamOnly: true,
    note: 'Id under which this process reports to upstream. Default: the name of the machine.',
  },
};

const CALLERS: Readonly<Record<string, OptionDetails>> = {
  'cors-origin': {
    kind: 'list',
    fate: 'same',
    as: 'UNLEASH_FRONTEND_API_ORIGINS',
    note: 'Origins whose pages may call the frontend API. Default: all origins.',
  },
  'cors-allowed-headers': { kind: 'list', fate: 'none', note: 'All headers that a page requests are allowed.' },
  'cors-exposed-headers': { kind: 'list', fate: 'none', note: '`ETag` and `Retry-After` are exposed: SDKs read them.' },
  'cors-methods': { kind: 'list', fate: 'none', note: 'The methods of the path are allowed.' },
  'cors-max-age': { kind: 'value', fate: 'none', note: 'Always one day. Browsers do not use a longer time.' },
  'allow-list': {
    kind: 'list',
    fate: 'same',
    note: 'Addresses and ranges that may call. Default: all. Other addresses get 403.',
  },
  'deny-list': {
    kind: 'list',
    fate: 'same',
    note: 'Addresses and ranges that may not call, even if `ALLOW_LIST` contains them.',
  },
  'trust-proxy': {
    kind: 'switch',
    fate: 'same',
    note: '`X-Forwarded-For` is believed if it comes from an address in `PROXY_TRUSTED_SERVERS`; if that option is not set, from all senders. Burgee’s own values (addresses, or a number of proxies) also work.',
  },
  'proxy-trusted-servers': {
    kind: 'list',
    fate: 'same',
    note: 'Addresses and ranges of the proxies that are believed. Has an effect only with `TRUST_PROXY`.',
  },
  'edge-auth-header': {
    kind: 'value',
    fate: 'same',
    note: 'Header in which SDKs send their token. Default: `authorization`.',
  },
  'token-header': {
    kind: 'value',
    fate: 'same',
    note: 'Older name of both `EDGE_AUTH_HEADER` and `UPSTREAM_AUTH_HEADER`.',
  },
};

const ENDPOINTS: Readonly<Record<string, OptionDetails>> = {
  'disable-all-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Disables `/api/frontend/all` and `/api/proxy/all`.',
  },
  'disable-metrics-batch-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Disables `/internal-backstage/metricsbatch`.',
  },
  'disable-metrics-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Disables `/internal-backstage/metrics` and `/internal-backstage/prometheus`.',
  },
  'disable-features-endpoint': { kind: 'switch', fate: 'same', note: 'Disables `/internal-backstage/features`.' },
  'disable-tokens-endpoint': { kind: 'switch', fate: 'same', note: 'Disables `/internal-backstage/tokens`.' },
  'disable-instance-data-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Disables `/internal-backstage/instancedata`.',
  },
};

const TLS: Readonly<Record<string, OptionDetails>> = {
  'tls-enable': { kind: 'switch', fate: 'same', note: 'Also serves HTTPS, on `TLS_SERVER_PORT`.' },
  'tls-server-key': { kind: 'value', fate: 'same', note: 'PEM file with the private key.' },
  'tls-server-cert': { kind: 'value', fate: 'same', note: 'PEM file with the certificate chain.' },
  'tls-server-port': { kind: 'value', fate: 'same', note: 'Port for HTTPS. Default: 3043.' },
  'redirect-http-to-https': {
    kind: 'switch',
    fate: 'none',
    note: 'Both ports serve requests. With `HTTP_HOST=127.0.0.1` and `TLS_SERVER_HOST=0.0.0.0`, only this machine can use plain HTTP.',
  },
};

const UPSTREAM: Readonly<Record<string, OptionDetails>> = {
  'upstream-url': {
    short: 'u',
    kind: 'value',
    fate: 'same',
    note: 'Address of upstream, without `/api`. Upstream is an Unleash, a Burgee, an Edge or another relay.',
  },
  tokens: { short: 't', kind: 'list', fate: 'same', note: 'Client tokens whose flags are fetched at the start.' },
  'pretrusted-tokens': {
    short: 'p',
    kind: 'list',
    fate: 'same',
    note: 'Frontend tokens that are accepted without validation by upstream: `project:environment.secret`, or `any-text@environment`.',
  },
  'features-refresh-interval-seconds': {
    short: 'f',
    kind: 'value',
    fate: 'same',
    note: 'Seconds between two requests to upstream for changes, if upstream does not stream them. Default: 15.',
  },
  'metrics-interval-seconds': {
    short: 'm',
    kind: 'value',
    fate: 'same',
    note: 'Seconds between two usage reports to upstream. Default: 60.',
  },
  'token-revalidation-interval-seconds': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds between two validations of the known tokens. Default: 3,600.',
  },
  'upstream-request-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds that upstream may take, once connected, to begin its answer and between two pieces of it; also how long SDKs wait for flags of upstream. Default: 5.',
  },
  'upstream-socket-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds to connect to upstream, including TLS. Default: 5.',
  },
  'custom-client-headers': {
    short: 'H',
    kind: 'list',
    fate: 'same',
    note: '`Name: value`. This header is sent with every request to upstream.',
  },
  'upstream-auth-header': {
    kind: 'value',
    fate: 'same',
    note: 'Header in which the token is sent to upstream. Default: `authorization`.',
  },
  'skip-ssl-verification': { short: 's', kind: 'switch', fate: 'same', note: 'Accepts any certificate of upstream.' },
  'upstream-certificate-file': {
    kind: 'value',
    fate: 'same',
    note: 'PEM file with a certificate authority that is trusted in addition to the usual ones.',
  },
  'pkcs8-client-certificate-file': {
    kind: 'value',
    fate: 'same',
    note: 'PEM file with the client certificate for upstream.',
  },
  'pkcs8-client-key-file': { kind: 'value', fate: 'same', note: 'PEM file with the key of the client certificate.' },
  'pkcs12-identity-file': {
    kind: 'value',
    fate: 'same',
    note: 'PKCS #12 file with the client certificate for upstream and its key.',
  },
  'pkcs12-passphrase': { kind: 'value', fate: 'same', note: 'Passphrase of the PKCS #12 file.' },
  'pem-cert-file': {
    kind: 'value',
    fate: 'same',
    note: 'PEM file with both the client certificate for upstream and its key.',
  },
};

const STORAGE: Readonly<Record<string, OptionDetails>> = {
  'backup-folder': {
    short: 'b',
    kind: 'value',
    fate: 'same',
    as: 'DATA_DIR',
    note: 'Folder in which flags and tokens are stored, so that the relay can start without upstream. The first start reads the files that Edge stored there, and does not change them. Each process needs its own folder.',
  },
  'redis-url': {
    kind: 'list',
    fate: 'same',
    note: 'Stores flags and tokens in Redis, which several relays can share.',
  },
  'redis-mode': { kind: 'value', fate: 'same', note: '`single` or `cluster`. Default: `single`.' },
  'redis-host': { kind: 'value', fate: 'same', note: 'Host of Redis, if `REDIS_URL` is not set.' },
  'redis-port': { kind: 'value', fate: 'same', note: 'Port of Redis, with `REDIS_HOST`. Default: 6379.' },
  'redis-username': {
    kind: 'value',
    fate: 'same',
    note: 'Username for Redis, if `REDIS_URL` contains no credentials.',
  },
  'redis-password': {
    kind: 'value',
    fate: 'same',
    note: 'Password for Redis, if `REDIS_URL` contains no credentials.',
  },
  'redis-secure': { kind: 'switch', fate: 'same', note: 'Connects to `REDIS_HOST` with TLS.' },
  'redis-scheme': {
    kind: 'value',
    fate: 'same',
    note: 'With `REDIS_HOST`: `redis` or `tcp`; with TLS: `rediss` or `tls`. Unix sockets are refused.',
  },
  'redis-read-connection-timeout-milliseconds': {
    kind: 'value',
    fate: 'same',
    as: 'REDIS_COMMAND_TIMEOUT_MS',
    note: 'Maximum time to connect to Redis, and for one command. Default: 2,000.',
  },
  'redis-write-connection-timeout-milliseconds': {
    kind: 'value',
    fate: 'same',
    as: 'REDIS_WRITE_TIMEOUT_MS',
    note: 'Maximum time that a write waits for Redis. Default: 5,000 (Edge: 2,000).',
  },
  's3-bucket-name': {
    kind: 'value',
    fate: 'refused',
    note: 'Flags are kept in a folder (`BACKUP_FOLDER`) or in Redis (`REDIS_URL`).',
  },
};

const NO_PUSH =
  'Burgee does not push metrics. Prometheus, or one of its agents, can read `/internal-backstage/prometheus`.';

const METRICS_PUSH: Readonly<Record<string, OptionDetails>> = {
  'prometheus-remote-write-url': {
    kind: 'value',
    fate: 'none',
    note: NO_PUSH,
  },
  'prometheus-push-interval': { kind: 'value', fate: 'none', note: NO_PUSH },
  'prometheus-username': { kind: 'value', fate: 'none', note: NO_PUSH },
  'prometheus-password': { kind: 'value', fate: 'none', note: NO_PUSH },
  'prometheus-user-id': { kind: 'value', fate: 'none', note: NO_PUSH },
};

const NO_SENTRY = 'Burgee does not report to Sentry. Errors are in the log and in the gauges.';

const MONITORING: Readonly<Record<string, OptionDetails>> = {
  'sentry-dsn': { kind: 'value', fate: 'none', note: NO_SENTRY },
  'sentry-tracing-rate': { kind: 'value', fate: 'none', note: NO_SENTRY },
  'sentry-debug': { kind: 'switch', fate: 'none', note: NO_SENTRY },
  'sentry-enable-logs': { kind: 'switch', fate: 'none', note: NO_SENTRY },
  'datadog-url': { kind: 'value', fate: 'none', note: 'Datadog’s agent can read `/internal-backstage/prometheus`.' },
  'otel-collector-url': { kind: 'value', fate: 'none', note: 'A collector can read `/internal-backstage/prometheus`.' },
};

/** Options of earlier versions of Edge, and options that are hidden in its last version. */
const FORMER: Readonly<Record<string, OptionDetails>> = {
  strict: {
    kind: 'switch',
    fate: 'same',
    note: 'A client token is accepted only if `TOKENS` and `PRETRUSTED_TOKENS` cover its environment and projects. Without this option, all tokens that upstream knows are accepted, as with `DYNAMIC`.',
  },
  dynamic: {
    kind: 'switch',
    fate: 'same',
    note: 'Accepted, but not needed: the relay always behaves like this unless `STRICT` is set. Tokens that are not in `TOKENS` are accepted.',
  },
  streaming: {
    kind: 'switch',
    fate: 'same',
    note: 'The relay reads the stream of upstream, if there is one, also without this option; `false` turns this off. SDKs can always use streams.',
  },
  delta: { kind: 'switch', fate: 'none', note: 'SDKs can always request deltas.' },
  consumption: { kind: 'switch', fate: 'none', note: 'The relay does not count consumption for usage-based billing.' },
  'delta-diff': { kind: 'switch', fate: 'none', note: 'SDKs can always request deltas.' },
};

const OFFLINE: Readonly<Record<string, OptionDetails>> = {
  'bootstrap-file': {
    short: 'b',
    kind: 'value',
    fate: 'same',
    note: 'File with the flags ([offline.md](offline.md)). Exports are also accepted.',
  },
  tokens: { short: 't', kind: 'list', fate: 'same', note: 'Older name of `CLIENT_TOKENS`.' },
  'client-tokens': { short: 'c', kind: 'list', fate: 'same', note: 'Tokens of backend SDKs.' },
  'frontend-tokens': { short: 'f', kind: 'list', fate: 'same', note: 'Tokens of frontend SDKs.' },
  'reload-interval': {
    short: 'r',
    kind: 'value',
    fate: 'same',
    note: 'Seconds between two checks whether the file has changed. Default: the file is read only once.',
  },
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
