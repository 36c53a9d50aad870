import { LOG_FORMATS, LOG_LEVELS } from './base/logger.ts';
import { type Environment, type Option, type Options, readInteger, readOptions } from './base/options.ts';
import { type Limits, limitEntries } from './model/limits.ts';
import { SIGN_ON_OPTIONS } from './model/sign-on-options.ts';
import { TLS_OPTIONS } from './model/tls-options.ts';

/** Every option of Burgee, once. Types, environment names, error messages and the table of docs/options.md derive from this list. */
export const OPTIONS = {
  port: {
    env: ['HTTP_PORT', 'PORT'],
    kind: 'integer',
    max: 65_535,
    default: '4242',
    description: 'Port to listen on; 0 takes a free one.',
  },
  host: {
    env: ['HTTP_HOST'],
    kind: 'text',
    default: '',
    description: 'Address to listen on. Empty: every address of the machine, IPv4 and IPv6.',
  },
  sharePort: {
    env: ['HTTP_SHARE_PORT'],
    kind: 'boolean',
    default: 'false',
    description: 'Lets several processes of one machine listen on the port (SO_REUSEPORT).',
  },
  ...TLS_OPTIONS,
  basePath: {
    env: ['BASE_URI_PATH'],
    kind: 'path',
    default: '',
    description: 'Put before every path, for example `/flags`.',
  },
  serviceUrl: {
    env: ['UNLEASH_URL'],
    kind: 'url',
    default: '',
    description: 'Public URL of the service, used in links. Empty: http://localhost, with the port.',
  },
  dataDirectory: {
    env: ['DATA_DIR'],
    kind: 'text',
    default: './data',
    description: 'Where the embedded store keeps its files, and a replica on Redis its local copy.',
  },
  redisUrl: {
    env: ['REDIS_URL'],
    kind: 'text',
    default: '',
    description:
      'Keeps everything in this Redis instead of the embedded store, so that several processes are one service: `redis://`, ' +
      '`redis-sentinel://` or `redis-cluster://`, `rediss…` for TLS (docs/replicas.md).',
    secret: true,
  },
  redisKeyPrefix: {
    env: ['REDIS_KEY_PREFIX'],
    kind: 'text',
    default: 'burgee',
    description: 'Prefix of all keys: separates services on one Redis.',
  },
  redisStrict: {
    env: ['REDIS_STRICT'],
    kind: 'boolean',
    default: 'false',
    description: 'Refuses a Redis whose settings may lose acknowledged changes, instead of warning.',
  },
  redisOnLoss: {
    env: ['REDIS_ON_LOSS'],
    kind: ['refill', 'halt'],
    default: 'refill',
    description:
      'When Redis comes back with less than replicas know: `refill` puts it back from memory, `halt` refuses writes until an operator has put it back.',
  },
  redisWaitReplicas: {
    env: ['REDIS_WAIT_REPLICAS'],
    kind: 'integer',
    max: 100,
    default: '0',
    description: 'Replicas of Redis that must have a change before it is acknowledged.',
  },
  redisCommandTimeoutMs: {
    env: ['REDIS_COMMAND_TIMEOUT_MS'],
    kind: 'integer',
    min: 1,
    default: '2000',
    description: 'Connecting to Redis, and one command of it. A connection that does not answer by then is given up.',
  },
  redisWriteTimeoutMs: {
    env: ['REDIS_WRITE_TIMEOUT_MS'],
    kind: 'integer',
    min: 1,
    default: '5000',
    description: 'A write that Redis has not taken by then is answered with 503.',
  },
  redisPollMs: {
    env: ['REDIS_POLL_MS'],
    kind: 'integer',
    min: 1,
    default: '1000',
    description: 'How often a replica asks Redis for the newest change, in case a hint was lost.',
  },
  redisGraceMs: {
    env: ['REDIS_GRACE_MS'],
    kind: 'integer',
    default: '2000',
    description:
      'After Redis was started again: how long replicas have to say what they know before anything is written.',
  },
  localCopyEveryMs: {
    env: ['LOCAL_COPY_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '60000',
    description: 'With Redis: how often a copy of the state is saved in `DATA_DIR`, for a start while Redis is away.',
  },
  minRevisionWaitMs: {
    env: ['MIN_REVISION_WAIT_MS'],
    kind: 'integer',
    default: '2000',
    description:
      'With Redis: how long a request with `burgee-min-revision` waits for that revision before it is answered with 503.',
  },
  logLevel: {
    env: ['LOG_LEVEL'],
    kind: LOG_LEVELS,
    default: 'info',
    description: 'Least serious level that is logged.',
  },
  logFormat: {
    env: ['LOG_FORMAT'],
    kind: LOG_FORMATS,
    default: 'auto',
    description:
      'Format of log lines: `json` for collectors, `pretty` for people, `auto`: `pretty` on a terminal and `json` elsewhere.',
  },
  authType: {
    env: ['AUTH_TYPE'],
    kind: ['open-source', 'none'],
    default: 'open-source',
    description:
      '`none` opens the client API to callers without a token (environment `development`, all projects); nothing else.',
  },
  initAdminTokens: {
    env: ['INIT_ADMIN_API_TOKENS'],
    kind: 'list',
    default: '',
    description: 'Admin tokens to create at start where missing, as `*:*.secret`.',
    secret: true,
  },
  initClientTokens: {
    env: ['INIT_CLIENT_API_TOKENS', 'INIT_BACKEND_API_TOKENS'],
    kind: 'list',
    default: '',
    description:
      'Client tokens to create at start where missing, as `project:environment.secret`. Both lists count. A token of all environments (`*:*.secret`) is an admin token: it stops the start.',
    secret: true,
  },
  initFrontendTokens: {
    env: ['INIT_FRONTEND_API_TOKENS'],
    kind: 'list',
    default: '',
    description: 'Frontend tokens to create at start where missing, as `project:environment.secret`.',
    secret: true,
  },
  trustProxy: {
    env: ['TRUSTED_PROXIES', 'TRUST_PROXY'],
    kind: 'list',
    default: '',
    description:
      'Whose `X-Forwarded-For` is believed for the caller’s address, and whose `X-Forwarded-Proto` for TLS: no sender’s when empty or `false`; that of the last so many proxies, as a number; that of ' +
      'proxies at these addresses or ranges, comma-separated (`loopback` and `private` are short for theirs); every sender’s with `true`.',
  },
  allowList: {
    env: ['ALLOW_LIST'],
    kind: 'list',
    default: '',
    description: 'Addresses and ranges that may call, comma-separated; empty: all. All others get 403.',
  },
  denyList: {
    env: ['DENY_LIST'],
    kind: 'list',
    default: '',
    description: 'Addresses and ranges of those who may not call, even if `ALLOW_LIST` has them.',
  },
  backstageToken: {
    env: ['BACKSTAGE_TOKEN'],
    kind: 'text',
    default: '',
    description:
      'Token that Prometheus and other tools send for paths under `/internal-backstage` (but `health` and `ready`). Empty: these paths are open, ' +
      'and metrics leave out the names of private projects and their flags (docs/backstage.md).',
    secret: true,
  },
  tokenHeader: {
    env: ['EDGE_AUTH_HEADER', 'TOKEN_HEADER'],
    kind: 'text',
    default: 'authorization',
    description: 'The header in which callers send their token. What they send in another one is not looked at.',
  },
  defaultAdminUsername: {
    env: ['UNLEASH_DEFAULT_ADMIN_USERNAME'],
    kind: 'text',
    default: 'admin',
    description: 'The username of the first admin.',
  },
  defaultAdminPassword: {
    env: ['UNLEASH_DEFAULT_ADMIN_PASSWORD'],
    kind: 'text',
    default: '',
    description:
      'Their password: they are created at a start that finds no people. Empty: the very first start makes one up, which is shown with the ' +
      'first tokens; with tokens of your own in the environment no admin is made.',
    secret: true,
  },
  sessionLifetimeHours: {
    env: ['SESSION_TTL_HOURS'],
    kind: 'integer',
    min: 1,
    max: 24 * 365,
    default: '48',
    description: 'How long people stay signed on in a browser, counted from when they signed on.',
  },
  apiTokenSecrets: {
    env: ['API_TOKEN_SECRETS'],
    kind: ['readable', 'hashed'],
    default: 'readable',
    description:
      'How secrets of API tokens are stored. `hashed`: as SHA-256 only; a secret is shown once, when its token is created. It can be ' +
      'turned on for a store that has tokens, which go on working, and never off again (docs/token-secrets.md).',
  },
  ...SIGN_ON_OPTIONS,
  frontendOrigins: {
    env: ['UNLEASH_FRONTEND_API_ORIGINS'],
    kind: 'list',
    default: '*',
    description:
      'Origins whose pages may call the frontend API, comma-separated; `*` means every origin. Once origins are set over HTTP, those count.',
  },
  bodyLimitBytes: {
    env: ['BODY_LIMIT_BYTES'],
    kind: 'integer',
    min: 1,
    default: '1000000',
    description: 'Largest request body.',
  },
  importBodyLimitBytes: {
    env: ['IMPORT_BODY_LIMIT_BYTES'],
    kind: 'integer',
    min: 1,
    default: '50000000',
    description: 'Largest request body of the import paths.',
  },
  deltaCommits: {
    env: ['DELTA_COMMITS'],
    kind: 'integer',
    min: 1,
    max: 16_384,
    default: '1024',
    description:
      'Commits that are remembered by what they changed: SDKs that are further behind are sent everything instead of a delta.',
  },
  handlerDeadlineMs: {
    env: ['HANDLER_DEADLINE_MS'],
    kind: 'integer',
    min: 1,
    default: '30000',
    description: 'A request that is not answered by then gets 503.',
  },
  gracefulShutdownTimeoutMs: {
    env: ['GRACEFUL_SHUTDOWN_TIMEOUT'],
    kind: 'integer',
    default: '5000',
    description: 'How long a stop waits for requests under way.',
  },
  snapshotEveryCommits: {
    env: ['SNAPSHOT_EVERY_COMMITS'],
    kind: 'integer',
    min: 1,
    default: '10000',
    description: 'Commits after which a snapshot is taken and the log is trimmed.',
  },
  eventsKeepMax: {
    env: ['EVENTS_KEEP_MAX'],
    kind: 'integer',
    default: '1000000',
    description:
      'Audit events that are kept; of more, the oldest are dropped (docs/audit-trail.md). 0: without a bound.',
  },
  eventsKeepBytes: {
    env: ['EVENTS_KEEP_BYTES'],
    kind: 'integer',
    default: '1073741824',
    description: 'Memory of Redis, or room in the data file, that audit events may take. 0: without a bound.',
  },
  eventsKeepDays: {
    env: ['EVENTS_KEEP_DAYS'],
    kind: 'integer',
    max: 100_000,
    default: '0',
    description: 'Days for which audit events are kept. 0: as long as the other two allow.',
  },
  eventsTrimEveryMs: {
    env: ['EVENTS_TRIM_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '60000',
    description:
      'How often it is looked whether audit events are to be dropped; after 1,024 new ones it is looked sooner.',
  },
  strictConfig: {
    env: ['STRICT_CONFIG'],
    kind: 'boolean',
    default: 'false',
    description:
      'Refuses to start when the environment holds a variable that looks like one of these and is none, instead of warning of it.',
  },
  staleCheckEveryMs: {
    env: ['STALE_CHECK_EVERY_MS'],
    kind: 'integer',
    min: 1,
    default: '3600000',
    description:
      'How often flags are looked for that have outlived the lifetime of their type, to record each in the audit log; the first time five ' +
      'minutes after a start at the latest.',
  },
} as const satisfies Record<string, Option>;

export type Config = Options<typeof OPTIONS> & { readonly limits: Limits };

/** Reads every option. @throws ConfigError */
export function readConfig(environment: Environment): Config {
  return { ...readOptions(OPTIONS, environment), limits: readLimits(environment) };
}

/** The limits, each an option of its own. */
function readLimits(environment: Environment): Limits {
  const limits: Record<string, number> = {};
  for (const [name, limit] of limitEntries()) {
    const { default: usual, max, env } = limit;
    const text = (env === null ? '' : environment[env]) || String(usual);
    limits[name] = readInteger(text, { env: [], min: 1, max }, env ?? name);
  }
  return limits as Limits;
}
