import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from './programs/certificate.ts';

/** An environment of a command that serves, and whether the command starts with it. */
export interface TriedEnvironment {
  readonly name: string;
  readonly command: 'serve' | 'relay' | 'offline';
  readonly variables: Readonly<Record<string, string>>;
  /** What the refusal of the start contains; null if it starts. */
  readonly refusal: RegExp | null;
}

const SAML = { SAML_ENTITY_ID: 'idp', SAML_SIGN_ON_URL: 'https://idp.test/sso', SAML_CERTIFICATE: 'MIIB' };
const OIDC = { OIDC_ENABLED: 'true', OIDC_DISCOVER_URL: 'https://idp.test', OIDC_CLIENT_ID: 'burgee' };
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
/** Nothing listens there: a start that accepts its options waits for Redis. */
const NO_REDIS = '127.0.0.1:9';

type Row = readonly [name: string, variables: Readonly<Record<string, string>>, refusal?: RegExp];

function serverRows(file: (name: string) => string): readonly Row[] {
  const tls = { TLS_ENABLE: 'true', TLS_SERVER_PORT: '0' };
  const key = { TLS_SERVER_KEY: file('key.pem') };
  return [
    ['no option', {}],
    ['TLS with a key and its certificate', { ...tls, ...key, TLS_SERVER_CERT: file('cert.pem') }],
    ['TLS off, with a key that does not exist', { TLS_SERVER_KEY: file('missing.pem') }],
    ['TLS without a key', tls, /TLS_ENABLE needs TLS_SERVER_KEY/],
    [
      'TLS with a missing file',
      { ...tls, ...key, TLS_SERVER_CERT: file('missing.pem') },
      /TLS_SERVER_CERT cannot be read/,
    ],
    [
      'TLS with the certificate of another key',
      { ...tls, ...key, TLS_SERVER_CERT: file('other.pem') },
      /no key and its cert/,
    ],
    ['TLS with files that are not PEM', { ...tls, ...key, TLS_SERVER_CERT: file('flags.json') }, /no key and its cert/],
    [
      'HTTP and HTTPS on one port',
      { ...tls, HTTP_PORT: '45991', TLS_SERVER_PORT: '45991', ...key, TLS_SERVER_CERT: file('cert.pem') },
      /are both 45991/,
    ],
    ['Redis', { REDIS_URL: `redis://${NO_REDIS}` }],
    ['Redis with a user, TLS and a database', { REDIS_URL: `rediss://me:word@${NO_REDIS}/3` }],
    ['Redis, and an unknown variable of Redis', { REDIS_URL: `redis://${NO_REDIS}`, REDIS_HOST: 'a' }],
    ['an address of Redis without a scheme', { REDIS_URL: 'localhost:6379' }, /REDIS_URL: not a connection string/],
    ['sentinels without a name', { REDIS_URL: 'redis-sentinel://a:26379' }, /REDIS_URL: the name of the server/],
    ['a misspelled REDIS_URL', { REDIS_URI: 'redis://a' }, /is REDIS_URL meant/],
    ['a key for secrets', { SECRETS_KEY: 'k'.repeat(32) }],
    ['a short key for secrets', { SECRETS_KEY: 'short' }, /SECRETS_KEY must have at least/],
    ['trusted proxies', { TRUSTED_PROXIES: 'loopback,10.0.0.0/8' }],
    ['trusted proxies that are no addresses', { TRUSTED_PROXIES: 'foo' }, /TRUSTED_PROXIES .*"foo"/],
    ['addresses that may call', { ALLOW_LIST: '127.0.0.0/8', DENY_LIST: '10.1.2.3' }],
    ['addresses that may call that are none', { DENY_LIST: '10.0.0.0/64' }, /ALLOW_LIST or DENY_LIST/],
    ['another header for tokens', { EDGE_AUTH_HEADER: 'X-Token' }],
    ['a header that is none', { EDGE_AUTH_HEADER: 'x token' }, /EDGE_AUTH_HEADER must be/],
    ['SAML', { SAML_ENABLED: 'true', ...SAML }],
    ['SAML that is configured, but not enabled', { SAML_ENTITY_ID: 'idp' }],
    [
      'SAML without settings',
      { SAML_ENABLED: 'true' },
      /SAML_ENTITY_ID, SAML_SIGN_ON_URL, SAML_CERTIFICATE is not set/,
    ],
    ['OpenID Connect', OIDC],
    ['OpenID Connect without a client', { ...OIDC, OIDC_CLIENT_ID: '' }, /OIDC_CLIENT_ID is not set/],
    ['private addresses of integrations', { ADDON_ALLOW_PRIVATE: '10.0.0.0/8' }],
    ['private addresses of integrations that are none', { ADDON_ALLOW_PRIVATE: 'intranet' }, /ADDON_ALLOW_PRIVATE/],
    ['a collector', { ...COLLECTOR, OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }],
    ['a protocol of collectors, without one', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    [
      'a protocol that is not supported',
      { ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /OTEL_EXPORTER_OTLP_PROTOCOL must/,
    ],
    ['a port that is none', { HTTP_PORT: 'many' }, /HTTP_PORT must be/],
    ['a base path', { BASE_URI_PATH: 'flags/' }],
    ['an unknown variable', { HTTPPORT: '1' }],
    ['an unknown variable, strictly', { HTTPPORT: '1', STRICT_CONFIG: 'true' }, /STRICT_CONFIG is set, and .*HTTPPORT/],
    ['a file as the data directory', { DATA_DIR: file('flags.json') }, /DATA_DIR: .*flags\.json is not a directory/],
    ['chosen tokens', { INIT_ADMIN_API_TOKENS: '*:*.a', INIT_CLIENT_API_TOKENS: 'default:production.b' }],
    [
      'a token without a form',
      { INIT_CLIENT_API_TOKENS: 'topsecret' },
      /INIT_CLIENT_API_TOKENS, item 1: .*project:environment/,
    ],
    [
      'a token of an unknown environment',
      { INIT_CLIENT_API_TOKENS: '*:nowhere.b' },
      /environment nowhere does not exist/,
    ],
    [
      'one token for two types',
      { INIT_CLIENT_API_TOKENS: '*:development.b', INIT_FRONTEND_API_TOKENS: '*:development.b' },
      /of the type client/,
    ],
    ['a limit that is none', { TAGS_LIMIT: 'few' }, /TAGS_LIMIT must be/],
    ['sentinels', { REDIS_URL: `redis-sentinel://${NO_REDIS}/main` }],
    ['a number of trusted proxies', { TRUSTED_PROXIES: '2' }],
    ['other limits', { TAGS_LIMIT: '7', UNLEASH_API_TOKENS_LIMIT: '10' }],
    ['a public URL', { UNLEASH_URL: 'https://flags.example.com/team' }],
    ['a shared port', { HTTP_SHARE_PORT: 'true' }],
    [
      'origins, and a token for operators',
      { UNLEASH_FRONTEND_API_ORIGINS: 'https://a.example.com', BACKSTAGE_TOKEN: 'b' },
    ],
    ['a chosen password', { UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Chosen-word-1' }],
    ['a blank username', { UNLEASH_DEFAULT_ADMIN_USERNAME: '  ' }, /UNLEASH_DEFAULT_ADMIN_USERNAME: /],
    [
      'hashed secrets of tokens, MCP and short times',
      { API_TOKEN_SECRETS: 'hashed', MCP_WRITE: 'true', EVENTS_KEEP_DAYS: '30' },
    ],
  ];
}

function relayRows(file: (name: string) => string): readonly Row[] {
  const upstream = { UPSTREAM_URL: 'http://127.0.0.1:9', TOKENS: '*:development.a' };
  return [
    ['an upstream', upstream],
    ['an upstream that is trusted by its authority', { ...upstream, UPSTREAM_CERTIFICATE_FILE: file('cert.pem') }],
    [
      'an upstream, with Edge’s format of logs and a folder',
      { ...upstream, LOG_FORMAT: 'plain', BACKUP_FOLDER: file('relay') },
    ],
    ['no upstream', { TOKENS: '*:development.a' }, /specify the address of upstream/],
    [
      'a certificate of another key',
      { ...upstream, PKCS8_CLIENT_CERTIFICATE_FILE: file('other.pem'), PKCS8_CLIENT_KEY_FILE: file('key.pem') },
      /PKCS8_CLIENT_KEY_FILE: /,
    ],
    ['a switch that is none', { ...upstream, DISABLE_METRICS_ENDPOINT: 'perhaps' }, /DISABLE_METRICS_ENDPOINT must be/],
    ['trusted proxies that are no addresses', { ...upstream, TRUSTED_PROXIES: 'foo' }, /TRUSTED_PROXIES/],
  ];
}

function offlineRows(file: (name: string) => string): readonly Row[] {
  const flags = { BOOTSTRAP_FILE: file('flags.json'), CLIENT_TOKENS: 'dev' };
  return [
    ['a file', flags],
    ['a file, with tokens of browsers', { ...flags, FRONTEND_TOKENS: 'web', RELOAD_INTERVAL: '1' }],
    ['no file', { CLIENT_TOKENS: 'dev' }, /specify the file with the flags/],
    ['a file that is missing', { ...flags, BOOTSTRAP_FILE: file('missing.json') }, /BOOTSTRAP_FILE .*missing\.json/],
    ['a file that is not JSON', { ...flags, BOOTSTRAP_FILE: file('key.pem') }, /BOOTSTRAP_FILE .*key\.pem/],
    ['one token for two types', { ...flags, FRONTEND_TOKENS: 'dev' }, /is also in FRONTEND_TOKENS/],
  ];
}

/** The environments, with the files that they name in `folder`. Half of them are wrong. */
export function triedEnvironments(folder: string): readonly TriedEnvironment[] {
  const [own, other] = [selfSigned('localhost'), selfSigned('elsewhere')];
  const file = (name: string) => join(folder, name);
  writeFileSync(file('key.pem'), own.key);
  writeFileSync(file('cert.pem'), own.certificate);
  writeFileSync(file('other.pem'), other.certificate);
  writeFileSync(file('flags.json'), '{"checkout": {"enabled": true}}');
  const rows = { serve: serverRows(file), relay: relayRows(file), offline: offlineRows(file) };
  return (['serve', 'relay', 'offline'] as const).flatMap((command) =>
    rows[command].map(([name, variables, refusal = null]) => ({ name, command, variables, refusal })),
  );
}

/** Returns the whole environment of a start: a free port and a new data directory in the folder, unless the variables set others. */
export function environmentsIn(folder: string) {
  let starts = 0;
  return ({ command, variables }: Pick<TriedEnvironment, 'command' | 'variables'>) => ({
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    ...(command === 'serve' && { DATA_DIR: join(folder, `data-${starts++}`) }),
    ...variables,
  });
}
