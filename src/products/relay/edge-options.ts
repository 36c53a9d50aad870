/** One option of Unleash Edge, up to its last open-source version, and its effect here. */
export interface EdgeOption {
  /** Without its dashes. Its variable is called the same, in capitals. */
  readonly flag: string;
  /** The one-letter flag. */
  readonly short?: string;
  /** The command that has it. In Edge, options of `both` come before the command `edge` or `offline`; here they may be before or after it. */
  readonly of: 'both' | 'edge' | 'offline';
  /** `switch`: without a value it means true. `list`: it may be repeated. */
  readonly kind: 'value' | 'list' | 'switch';
  /**
   * `same`: it has the same effect as in Edge. `other`: `note` describes another way to the same goal. `none`: not supported, and it would change nothing
   * that SDKs see. `refused`: not supported, and a service without it would differ from the requested one, so the start is refused.
   */
  readonly fate: 'same' | 'other' | 'none' | 'refused';
  /** Burgee's own variable for it, if its name differs. */
  readonly as?: string;
  /** Only a relay has an upstream: the option is accepted in all modes, but `burgee offline --help` leaves it out. */
  readonly upstreamOnly?: true;
  readonly note: string;
}

type Stated = Omit<EdgeOption, 'flag' | 'of'>;

function of(owner: EdgeOption['of'], options: Readonly<Record<string, Stated>>): readonly EdgeOption[] {
  return Object.entries(options).map(([flag, stated]) => ({ flag, of: owner, ...stated }));
}

const SERVER: Readonly<Record<string, Stated>> = {
  port: { short: 'p', kind: 'value', fate: 'same', as: 'HTTP_PORT', note: 'Port to listen on: 3063 without it.' },
  interface: {
    short: 'i',
    kind: 'value',
    fate: 'same',
    as: 'HTTP_HOST',
    note: 'Address to listen on: every one without it, IPv6 too.',
  },
  'base-path': { kind: 'value', fate: 'same', as: 'BASE_URI_PATH', note: 'Put before every path.' },
  workers: {
    short: 'w',
    kind: 'value',
    fate: 'none',
    note: 'One thread serves. With `HTTP_SHARE_PORT=true` several processes of a machine share the port.',
  },
  'edge-request-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds after which a request is answered with 503: 30 without it, not 5.',
  },
  'edge-keepalive-timeout': {
    kind: 'value',
    fate: 'none',
    note: 'Connections are kept for as long as proxies usually keep theirs.',
  },
  'client-keepalive-timeout': {
    kind: 'value',
    fate: 'none',
    note: 'Connections to upstream are kept while they are used.',
  },
  'log-format': {
    short: 'l',
    kind: 'value',
    fate: 'same',
    note: '`auto`, `json`, `pretty`, or `plain`, which is `pretty` here. Without it: `pretty` on a terminal, `json` elsewhere.',
  },
  'app-name': {
    short: 'a',
    kind: 'value',
    fate: 'same',
    upstreamOnly: true,
    note: 'The name by which the relay itself reports to upstream.',
  },
  'instance-id': {
    kind: 'value',
    fate: 'same',
    upstreamOnly: true,
    note: 'The id by which this process reports to upstream: the machine’s name without it.',
  },
};

const CALLERS: Readonly<Record<string, Stated>> = {
  'cors-origin': {
    kind: 'list',
    fate: 'same',
    as: 'UNLEASH_FRONTEND_API_ORIGINS',
    note: 'Origins whose pages may call the frontend API: every one without it.',
  },
  'cors-allowed-headers': { kind: 'list', fate: 'none', note: 'Whichever headers a page asks for are allowed.' },
  'cors-exposed-headers': { kind: 'list', fate: 'none', note: 'What SDKs read of an answer is exposed.' },
  'cors-methods': { kind: 'list', fate: 'none', note: 'The methods that a path has are allowed.' },
  'cors-max-age': { kind: 'value', fate: 'none', note: 'A day, which is the most that browsers take.' },
  'allow-list': {
    kind: 'list',
    fate: 'same',
    note: 'Addresses and ranges that may call: every one without it. All others get 403.',
  },
  'deny-list': { kind: 'list', fate: 'same', note: 'Addresses and ranges that may not call.' },
  'trust-proxy': {
    kind: 'switch',
    fate: 'same',
    note: 'Believes `X-Forwarded-For`, of every sender or of `PROXY_TRUSTED_SERVERS`. Burgee’s own values (addresses, or a number of proxies) work too.',
  },
  'proxy-trusted-servers': {
    kind: 'list',
    fate: 'same',
    note: 'Addresses and ranges of the proxies that are believed; together with `TRUST_PROXY`.',
  },
  'edge-auth-header': {
    kind: 'value',
    fate: 'same',
    note: 'The header in which SDKs send their token: `authorization` without it.',
  },
  'token-header': {
    kind: 'value',
    fate: 'same',
    note: 'Older name of `EDGE_AUTH_HEADER` and `UPSTREAM_AUTH_HEADER`.',
  },
};

const ENDPOINTS: Readonly<Record<string, Stated>> = {
  'disable-all-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Takes `/api/frontend/all` and `/api/proxy/all` away.',
  },
  'disable-metrics-batch-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Takes `/internal-backstage/metricsbatch` away.',
  },
  'disable-metrics-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Takes `/internal-backstage/metrics` and `/internal-backstage/prometheus` away.',
  },
  'disable-features-endpoint': { kind: 'switch', fate: 'same', note: 'Takes `/internal-backstage/features` away.' },
  'disable-tokens-endpoint': { kind: 'switch', fate: 'same', note: 'Takes `/internal-backstage/tokens` away.' },
  'disable-instance-data-endpoint': {
    kind: 'switch',
    fate: 'same',
    note: 'Takes `/internal-backstage/instancedata` away.',
  },
};

const TLS: Readonly<Record<string, Stated>> = {
  'tls-enable': { kind: 'switch', fate: 'same', note: 'Serves TLS.' },
  'tls-server-key': { kind: 'value', fate: 'same', note: 'File of the key, PEM.' },
  'tls-server-cert': { kind: 'value', fate: 'same', note: 'File of the certificate chain, PEM.' },
  'tls-server-port': { kind: 'value', fate: 'same', note: 'Port of TLS: 3043 without it.' },
  'redirect-http-to-https': {
    kind: 'switch',
    fate: 'none',
    note: 'Both ports serve; `HTTP_HOST=127.0.0.1` keeps the plain one to the machine.',
  },
};

const UPSTREAM: Readonly<Record<string, Stated>> = {
  'upstream-url': {
    short: 'u',
    kind: 'value',
    fate: 'same',
    note: 'Where upstream is, without `/api`: an Unleash, a Burgee, an Edge or another relay.',
  },
  tokens: { short: 't', kind: 'list', fate: 'same', note: 'Client tokens whose flags are fetched at the start.' },
  'pretrusted-tokens': {
    short: 'p',
    kind: 'list',
    fate: 'same',
    note: 'Frontend tokens that are believed without asking upstream: of the usual form, or `any-text@environment`.',
  },
  'features-refresh-interval-seconds': {
    short: 'f',
    kind: 'value',
    fate: 'same',
    note: 'Between two looks at upstream: 15 without it.',
  },
  'metrics-interval-seconds': {
    short: 'm',
    kind: 'value',
    fate: 'same',
    note: 'Between two reports of use to upstream: 60 without it.',
  },
  'token-revalidation-interval-seconds': {
    kind: 'value',
    fate: 'same',
    note: 'Between two questions whether tokens are still good: 3,600 without it.',
  },
  'upstream-request-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds that upstream may take to begin its answer, once it is connected, and between two pieces of it: 5 without it.',
  },
  'upstream-socket-timeout': {
    kind: 'value',
    fate: 'same',
    note: 'Seconds that connecting to upstream may take, with TLS: 5 without it.',
  },
  'custom-client-headers': {
    short: 'H',
    kind: 'list',
    fate: 'same',
    note: '`Name: value`, sent with every request to upstream.',
  },
  'upstream-auth-header': {
    kind: 'value',
    fate: 'same',
    note: 'The header in which upstream is sent the token: `authorization` without it.',
  },
  'skip-ssl-verification': { short: 's', kind: 'switch', fate: 'same', note: 'Believes any certificate of upstream.' },
  'upstream-certificate-file': {
    kind: 'value',
    fate: 'same',
    note: 'PEM of a certificate authority that is believed beside the usual ones.',
  },
  'pkcs8-client-certificate-file': {
    kind: 'value',
    fate: 'same',
    note: 'PEM of the certificate that upstream is shown.',
  },
  'pkcs8-client-key-file': { kind: 'value', fate: 'same', note: 'PEM of its key.' },
  'pkcs12-identity-file': { kind: 'value', fate: 'same', note: 'Both, as PKCS #12.' },
  'pkcs12-passphrase': { kind: 'value', fate: 'same', note: 'Its passphrase.' },
  'pem-cert-file': {
    kind: 'value',
    fate: 'same',
    note: 'Certificate and key that upstream is shown, in one PEM file.',
  },
};

const KEEPING: Readonly<Record<string, Stated>> = {
  'backup-folder': {
    short: 'b',
    kind: 'value',
    fate: 'same',
    as: 'DATA_DIR',
    note: 'Folder in which flags and tokens are kept for a start without upstream. A first start begins with what Edge kept in it, and leaves that alone; each process has a folder of its own.',
  },
  'redis-url': { kind: 'list', fate: 'same', note: 'Keeps them in Redis, for several relays at once.' },
  'redis-mode': { kind: 'value', fate: 'same', note: '`single` or `cluster`.' },
  'redis-host': { kind: 'value', fate: 'same', note: 'Instead of `REDIS_URL`.' },
  'redis-port': { kind: 'value', fate: 'same', note: '6379 without it.' },
  'redis-username': { kind: 'value', fate: 'same', note: 'Also beside `REDIS_URL`.' },
  'redis-password': { kind: 'value', fate: 'same', note: 'Also beside `REDIS_URL`.' },
  'redis-secure': { kind: 'switch', fate: 'same', note: 'TLS.' },
  'redis-scheme': {
    kind: 'value',
    fate: 'same',
    note: '`redis` and `tcp`, or `rediss` and `tls`. Unix sockets are refused.',
  },
  'redis-read-connection-timeout-milliseconds': {
    kind: 'value',
    fate: 'same',
    as: 'REDIS_COMMAND_TIMEOUT_MS',
    note: '2,000 without it.',
  },
  'redis-write-connection-timeout-milliseconds': {
    kind: 'value',
    fate: 'same',
    as: 'REDIS_WRITE_TIMEOUT_MS',
    note: '5,000 without it, not 2,000.',
  },
  's3-bucket-name': {
    kind: 'value',
    fate: 'refused',
    note: 'Flags are kept in a folder (`BACKUP_FOLDER`) or in Redis (`REDIS_URL`).',
  },
};

const PUSHING: Readonly<Record<string, Stated>> = {
  'prometheus-remote-write-url': {
    kind: 'value',
    fate: 'none',
    note: 'Prometheus, or an agent of it, reads `/internal-backstage/prometheus`.',
  },
  'prometheus-push-interval': { kind: 'value', fate: 'none', note: 'See above.' },
  'prometheus-username': { kind: 'value', fate: 'none', note: 'See above.' },
  'prometheus-password': { kind: 'value', fate: 'none', note: 'See above.' },
  'prometheus-user-id': { kind: 'value', fate: 'none', note: 'See above.' },
};

const WATCHING: Readonly<Record<string, Stated>> = {
  'sentry-dsn': { kind: 'value', fate: 'none', note: 'What goes wrong is in the log and in gauges.' },
  'sentry-tracing-rate': { kind: 'value', fate: 'none', note: 'See above.' },
  'sentry-debug': { kind: 'switch', fate: 'none', note: 'See above.' },
  'sentry-enable-logs': { kind: 'switch', fate: 'none', note: 'See above.' },
  'datadog-url': { kind: 'value', fate: 'none', note: 'Datadog’s agent reads `/internal-backstage/prometheus`.' },
  'otel-collector-url': { kind: 'value', fate: 'none', note: 'A collector reads `/internal-backstage/prometheus`.' },
};

/** Options of earlier versions, or hidden in the last version. */
const FORMER: Readonly<Record<string, Stated>> = {
  strict: {
    kind: 'switch',
    fate: 'same',
    note: 'Only tokens whose flags `TOKENS` cover are served. Without it other tokens are learnt when they call, as with `DYNAMIC`.',
  },
  dynamic: { kind: 'switch', fate: 'same', note: 'How it is without `STRICT`.' },
  streaming: {
    kind: 'switch',
    fate: 'same',
    note: 'Upstream’s stream is read where it has one, also without this: `false` turns it off. SDKs may always stream.',
  },
  delta: { kind: 'switch', fate: 'none', note: 'SDKs may always ask for deltas.' },
  consumption: { kind: 'switch', fate: 'none', note: 'What is billed by use is not counted.' },
  'delta-diff': { kind: 'switch', fate: 'none', note: 'See above.' },
};

const OFFLINE: Readonly<Record<string, Stated>> = {
  'bootstrap-file': {
    short: 'b',
    kind: 'value',
    fate: 'same',
    note: 'The file with the flags ([offline.md](offline.md)); exports are read too.',
  },
  tokens: { short: 't', kind: 'list', fate: 'same', note: 'Older name of `CLIENT_TOKENS`.' },
  'client-tokens': { short: 'c', kind: 'list', fate: 'same', note: 'Tokens that backend SDKs may call with.' },
  'frontend-tokens': { short: 'f', kind: 'list', fate: 'same', note: 'Tokens that frontend SDKs may call with.' },
  'reload-interval': {
    short: 'r',
    kind: 'value',
    fate: 'same',
    note: 'Seconds between two looks at the file: none without it.',
  },
};

/** All options, in display order. */
export const EDGE_OPTIONS: readonly EdgeOption[] = [
  ...of('both', SERVER),
  ...of('both', CALLERS),
  ...of('both', ENDPOINTS),
  ...of('both', TLS),
  ...of('both', WATCHING),
  ...of('edge', UPSTREAM),
  ...of('edge', KEEPING),
  ...of('edge', PUSHING),
  ...of('edge', FORMER),
  ...of('offline', OFFLINE),
];

/** The variable of an option of Edge. */
export function variableOf({ flag }: Pick<EdgeOption, 'flag'>): string {
  return flag.toUpperCase().replaceAll('-', '_');
}
