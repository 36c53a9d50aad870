import { LOG_FORMATS, LOG_LEVELS } from './base/logger.ts';
import { type Environment, type Option, type Options, readInteger, readOptions } from './base/options.ts';
import { type Limits, limitEntries } from './model/limits.ts';
import { BACKUP_OPTIONS } from './model/options/backup.ts';
import { FRONT_OPTIONS } from './model/options/front.ts';
import { SAFEGUARD_OPTIONS } from './model/options/safeguard.ts';
import { SDK_OPTIONS } from './model/options/sdk.ts';
import { SIGN_ON_OPTIONS } from './model/options/sign-on.ts';
import { START_OPTIONS } from './model/options/start.ts';
import { TELEMETRY_OPTIONS } from './model/options/telemetry.ts';
import { TLS_OPTIONS } from './model/options/tls.ts';
import { TOKEN_OPTIONS } from './model/options/token.ts';

/** The only list of all options. Types, environment names, error messages and the table of docs/reference/options.md derive from it. */
export const OPTIONS = {
  port: {
    env: ['HTTP_PORT', 'PORT'],
    kind: 'integer',
    max: 65_535,
    default: '4242',
    description: 'Port to listen on. 0: a free port.',
  },
  host: {
    env: ['HTTP_HOST'],
    kind: 'text',
    default: '',
    description: 'Address to listen on. Empty: all addresses of the machine, IPv4 and IPv6.',
  },
  sharePort: {
    env: ['HTTP_SHARE_PORT'],
    kind: 'boolean',
    default: 'false',
    description: 'Several processes on one machine can listen on the same port (SO_REUSEPORT).',
  },
  ...FRONT_OPTIONS,
  ...TLS_OPTIONS,
  basePath: {
    env: ['BASE_URI_PATH'],
    kind: 'path',
    default: '',
    description: 'Prefix of every path, for example `/flags`.',
  },
  serviceUrl: {
    env: ['UNLEASH_URL'],
    kind: 'url',
    default: '',
    description: 'Public URL of the service, used in links. Empty: http://localhost, with the port and the base path.',
  },
  dataDirectory: {
    env: ['DATA_DIR'],
    kind: 'text',
    default: './data',
    description: 'Folder with the files of the embedded store; with Redis, with the local copy of the state.',
  },
  redisUrl: {
    env: ['REDIS_URL'],
    kind: 'text',
    default: '',
    description:
      'Stores all data in this Redis instead of the embedded store, so that several processes form one service. Schemes: `redis://`, ' +
      '`redis-sentinel://` and `redis-cluster://`; `rediss…` for TLS (docs/operate/replicas.md).',
    secret: true,
  },
  redisKeyPrefix: {
    env: ['REDIS_KEY_PREFIX'],
    kind: 'text',
    default: 'burgee',
    description: 'Prefix of all keys in Redis. Services that use the same Redis need different prefixes.',
  },
  redisStrict: {
    env: ['REDIS_STRICT'],
    kind: 'boolean',
    default: 'false',
    description:
      'Burgee refuses a Redis whose settings can lose acknowledged changes. Without this option, it only logs a warning.',
  },
  redisOnLoss: {
    env: ['REDIS_ON_LOSS'],
    kind: ['refill', 'halt'],
    default: 'refill',
    description:
      'What happens if Redis comes back with fewer changes than the replicas have. `refill`: a replica writes its state to Redis. `halt`: writes ' +
      'are refused until an operator has repaired Redis (docs/operate/replicas.md).',
  },
  redisWaitReplicas: {
    env: ['REDIS_WAIT_REPLICAS'],
    kind: 'integer',
    max: 100,
    default: '0',
    description: 'Number of replicas of Redis that must have a change before it is acknowledged.',
  },
  redisCommandTimeoutMs: {
    env: ['REDIS_COMMAND_TIMEOUT_MS'],
    kind: 'integer',
    min: 1,
    default: '2000',
    description:
      'Maximum time to connect to Redis, and for one command. A connection that does not answer in this time is closed.',
  },
  redisWriteTimeoutMs: {
    env: ['REDIS_WRITE_TIMEOUT_MS'],
    kind: 'integer',
    min: 1,
    default: '5000',
    description: 'Maximum time that a write waits for Redis. A write that waits longer is answered with 503.',
  },
  redisPollMs: {
    env: ['REDIS_POLL_MS'],
    kind: 'integer',
    min: 1,
    default: '1000',
    description: 'Interval at which a replica asks Redis for the newest change, in case a notification was lost.',
  },
  redisGraceMs: {
    env: ['REDIS_GRACE_MS'],
    kind: 'integer',
    default: '2000',
    description:
      'After a restart of Redis: time for all replicas to report the newest change that they know. No replica writes before that.',
  },
  localCopyEveryMs: {
    env: ['LOCAL_COPY_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '60000',
    description:
      'With Redis: interval at which a copy of the state is saved in `DATA_DIR`. A replica that starts while Redis is unreachable serves this ' +
      'copy.',
  },
  minRevisionWaitMs: {
    env: ['MIN_REVISION_WAIT_MS'],
    kind: 'integer',
    default: '2000',
    description:
      'With Redis: maximum time that a request with `burgee-min-revision` waits for that revision. A request that waits longer is answered with 503.',
  },
  logLevel: {
    env: ['LOG_LEVEL'],
    kind: LOG_LEVELS,
    default: 'info',
    description: 'Lowest level of the messages that are logged.',
  },
  logFormat: {
    env: ['LOG_FORMAT'],
    kind: LOG_FORMATS,
    default: 'auto',
    description:
      'Format of log lines. `json`: for log collectors; `pretty`: for people; `auto`: `pretty` on a terminal, otherwise `json`.',
  },
  authType: {
    env: ['AUTH_TYPE'],
    kind: ['open-source', 'none'],
    default: 'open-source',
    description:
      '`none`: callers without a valid token can use the client API (environment `development`, all projects). All other APIs still need a token.',
  },
  initAdminTokens: {
    env: ['INIT_ADMIN_API_TOKENS'],
    kind: 'list',
    default: '',
    description: 'Admin tokens of the form `*:*.secret`. Missing ones are created at the start.',
    secret: true,
  },
  initClientTokens: {
    env: ['INIT_CLIENT_API_TOKENS', 'INIT_BACKEND_API_TOKENS'],
    kind: 'list',
    default: '',
    description:
      'Client tokens of the form `project:environment.secret`. Missing ones are created at the start. The lists of both variables are used. A ' +
      'token for all environments (`*:*.secret`) is an admin token: if one of the lists contains it, Burgee does not start.',
    secret: true,
  },
  initFrontendTokens: {
    env: ['INIT_FRONTEND_API_TOKENS'],
    kind: 'list',
    default: '',
    description: 'Frontend tokens of the form `project:environment.secret`. Missing ones are created at the start.',
    secret: true,
  },
  trustProxy: {
    env: ['TRUSTED_PROXIES', 'TRUST_PROXY'],
    kind: 'list',
    default: '',
    description:
      'Senders whose `X-Forwarded-For` (the caller’s address) and `X-Forwarded-Proto` (whether the caller uses TLS) are believed. Empty or ' +
      '`false`: none. A number, such as `2`: the last two proxies. Comma-separated addresses and ranges, also `loopback` and `private`: proxies ' +
      'at these addresses. `true`: all senders (docs/operate/operations.md).',
  },
  allowList: {
    env: ['ALLOW_LIST'],
    kind: 'list',
    default: '',
    description: 'Addresses and ranges that may call, comma-separated. Empty: all. Other addresses get 403.',
  },
  denyList: {
    env: ['DENY_LIST'],
    kind: 'list',
    default: '',
    description: 'Addresses and ranges that may not call, comma-separated, even if `ALLOW_LIST` contains them.',
  },
  backstageToken: {
    env: ['BACKSTAGE_TOKEN'],
    kind: 'text',
    default: '',
    description:
      'Token that Prometheus and other tools must send for paths under `/internal-backstage`, except `health` and `ready`. Empty: these paths ' +
      'need no token, and metrics leave out the names of private projects and their flags (docs/operate/backstage.md).',
    secret: true,
  },
  tokenHeader: {
    env: ['EDGE_AUTH_HEADER', 'TOKEN_HEADER'],
    kind: 'text',
    default: 'authorization',
    description: 'Header in which callers send their token. Tokens in other headers are ignored.',
  },
  defaultAdminUsername: {
    env: ['UNLEASH_DEFAULT_ADMIN_USERNAME'],
    kind: 'text',
    default: 'admin',
    description: 'Username of the first admin.',
  },
  defaultAdminPassword: {
    env: ['UNLEASH_DEFAULT_ADMIN_PASSWORD'],
    kind: 'text',
    default: '',
    description:
      'Password of the first admin, who is created at a start if there are no users. Empty: the first start of a new store generates a password ' +
      'and shows it with the first tokens; if `INIT_…_API_TOKENS` are set, no admin is created, and a warning says that nobody can sign on.',
    secret: true,
  },
  sessionLifetimeHours: {
    env: ['SESSION_TTL_HOURS'],
    kind: 'integer',
    min: 1,
    max: 24 * 365,
    default: '48',
    description: 'Hours that users stay signed on in a browser, counted from the sign-on.',
  },
  ...TOKEN_OPTIONS,
  ...SIGN_ON_OPTIONS,
  ...START_OPTIONS,
  frontendOrigins: {
    env: ['UNLEASH_FRONTEND_API_ORIGINS'],
    kind: 'list',
    default: '*',
    description:
      'Origins whose pages may call the frontend API, comma-separated. `*`: every origin. Origins that are set over HTTP replace this list.',
  },
  bodyLimitBytes: {
    env: ['BODY_LIMIT_BYTES'],
    kind: 'integer',
    min: 1,
    default: '1000000',
    description: 'Maximum size of a request body.',
  },
  importBodyLimitBytes: {
    env: ['IMPORT_BODY_LIMIT_BYTES'],
    kind: 'integer',
    min: 1,
    default: '50000000',
    description: 'Maximum size of a request body of the import endpoints.',
  },
  ...SDK_OPTIONS,
  deltaCommits: {
    env: ['DELTA_COMMITS'],
    kind: 'integer',
    min: 1,
    max: 16_384,
    default: '1024',
    description:
      'Number of newest commits whose changes are kept in memory for deltas. SDKs that are further behind get the complete list instead of a ' +
      'delta.',
  },
  handlerDeadlineMs: {
    env: ['HANDLER_DEADLINE_MS'],
    kind: 'integer',
    min: 1,
    default: '30000',
    description: 'Maximum time to answer a request. A request that takes longer is answered with 503.',
  },
  gracefulShutdownTimeoutMs: {
    env: ['GRACEFUL_SHUTDOWN_TIMEOUT'],
    kind: 'integer',
    default: '5000',
    description: 'Maximum time in milliseconds that a stop waits for requests in progress.',
  },
  snapshotEveryCommits: {
    env: ['SNAPSHOT_EVERY_COMMITS'],
    kind: 'integer',
    min: 1,
    default: '10000',
    description: 'Maximum number of commits between two snapshots. After each snapshot, the log is trimmed.',
  },
  ...BACKUP_OPTIONS,
  eventsKeepMax: {
    env: ['EVENTS_KEEP_MAX'],
    kind: 'integer',
    default: '1000000',
    description:
      'Maximum number of audit events. If there are more, the oldest are deleted (docs/operate/audit-log.md). 0: no limit.',
  },
  eventsKeepBytes: {
    env: ['EVENTS_KEEP_BYTES'],
    kind: 'integer',
    default: '1073741824',
    description:
      'Maximum size of all audit events, in the memory of Redis or in the data file. If it is exceeded, the oldest are deleted. 0: no limit.',
  },
  eventsKeepDays: {
    env: ['EVENTS_KEEP_DAYS'],
    kind: 'integer',
    max: 100_000,
    default: '0',
    description: 'Days for which audit events are kept. 0: no limit of age.',
  },
  eventsTrimEveryMs: {
    env: ['EVENTS_TRIM_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '60000',
    description:
      'Interval at which Burgee checks whether audit events must be deleted. It also checks after 1,024 new events.',
  },
  addonAllowPrivate: {
    env: ['ADDON_ALLOW_PRIVATE'],
    kind: 'list',
    default: '',
    description:
      'Ranges of addresses to which integrations may send although they are not public, such as `10.0.0.0/8`, comma-separated. `*`: all ' +
      'addresses. Empty: only public addresses (docs/extend/addons.md).',
  },
  addonTimeoutMs: {
    env: ['ADDON_TIMEOUT_MS'],
    kind: 'integer',
    min: 100,
    max: 60_000,
    default: '10000',
    description:
      'Maximum time in which a destination must take and answer an event of an integration (docs/extend/addons.md).',
  },
  mcpWrite: {
    env: ['MCP_WRITE'],
    kind: 'boolean',
    default: 'false',
    description:
      'Whether the tools at `/mcp` may create flags and add changes to change requests. Otherwise they only read (docs/extend/mcp.md).',
  },
  mcpWriteDirectly: {
    env: ['MCP_WRITE_DIRECTLY'],
    kind: 'boolean',
    default: 'false',
    description:
      'Like `MCP_WRITE`. The tools may then also change environments that need no review, without a change request (docs/extend/mcp.md).',
  },
  ...TELEMETRY_OPTIONS,
  ...SAFEGUARD_OPTIONS,
  strictConfig: {
    env: ['STRICT_CONFIG'],
    kind: 'boolean',
    default: 'false',
    description:
      'Burgee does not start if there is a warning about an environment variable, for example about an unknown name that looks like one of these ' +
      'options. Without this option, it only logs the warning.',
  },
  staleCheckEveryMs: {
    env: ['STALE_CHECK_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '3600000',
    description:
      'Interval at which Burgee searches for flags that are older than the lifetime of their type, and records each in the audit log. The first ' +
      'search is at most five minutes after the start.',
  },
} as const satisfies Record<string, Option>;

export type Config = Options<typeof OPTIONS> & { readonly limits: Limits };

/** Reads every option. @throws ConfigError */
export function readConfig(environment: Environment): Config {
  return { ...readOptions(OPTIONS, environment), limits: readLimits(environment) };
}

/** Reads the limits. A limit whose `env` is null is fixed: it has no variable, and always its default value. */
function readLimits(environment: Environment): Limits {
  const limits: Record<string, number> = {};
  for (const [name, limit] of limitEntries()) {
    const { default: defaultValue, max, env } = limit;
    const text = (env === null ? '' : environment[env]) || String(defaultValue);
    limits[name] = readInteger(text, { env: [], min: 1, max }, env ?? name);
  }
  return limits as Limits;
}
