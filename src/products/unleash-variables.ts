/** A variable that configures Unleash and has no effect here. Those that have an effect are options: `config.ts` and the limits. */
interface UnleashVariable {
  /** Its name. `*` at the end stands for any letters. */
  readonly name: string;
  /** Values that ask for what Burgee always does. They cause no warning. */
  readonly fulfilled?: readonly string[];
  /** Other programs read it too, so that it is no sign of a mistake: it causes no warning. */
  readonly isShared?: true;
  /** What Burgee does, and what to do: sentences for operators. */
  readonly note: string;
}

const POSTGRES =
  'Burgee uses no PostgreSQL. It stores its data in `DATA_DIR`, or in Redis with `REDIS_URL`; `burgee migrate` imports the data of a running Unleash.';
const NO_MAIL =
  'Burgee sends no mail. Admins get the links for invitations and new passwords, and pass them on (docs/operate/sign-on.md).';
const NO_RATES =
  'Burgee does not count requests by address. Reports cost little, because they are added up in memory; to limit requests, use your proxy.';
const GUARDED =
  'Attempts with wrong passwords are limited by account and by address, and the limits cannot be changed.';
const NO_VERSION_CHECK = 'Burgee never asks for new versions.';
const PREPARED = 'Lists for SDKs are prepared when a flag changes, and answers are never older than the last change.';
const NO_DROP = 'An import replaces the flags in the file and keeps all others.';
const PROXY =
  'Integrations and sign-on connect directly. With Node 24 or newer, set `NODE_USE_ENV_PROXY=1` to send requests through the proxy.';

const rows = (note: string, ...names: readonly string[]): readonly UnleashVariable[] =>
  names.map((name) => ({ name, note }));

/** Every variable that Unleash's documentation names and that has no effect here (versions 5 to 8, and the import of version 4). */
export const UNLEASH_VARIABLES: readonly UnleashVariable[] = [
  ...rows(POSTGRES, 'DATABASE_HOST', 'DATABASE_PORT', 'DATABASE_NAME', 'DATABASE_USERNAME', 'DATABASE_PASSWORD'),
  ...rows(POSTGRES, 'DATABASE_SCHEMA', 'DATABASE_SSL*', 'DATABASE_POOL_*', 'DATABASE_APPLICATION_NAME'),
  ...rows(POSTGRES, 'DATABASE_DISABLE_MIGRATION', 'DATABASE_URL', 'DATABASE_URL_FILE'),
  ...rows(NO_MAIL, 'EMAIL_HOST', 'EMAIL_PORT', 'EMAIL_SECURE', 'EMAIL_USER', 'EMAIL_PASSWORD', 'EMAIL_SENDER'),
  {
    name: 'AUTH_ENABLE_API_TOKEN',
    fulfilled: ['true'],
    note: 'With `AUTH_TYPE=none`, callers without a token can use the client API. All other APIs always need one.',
  },
  {
    name: 'AUTH_DEMO_ALLOW_ADMIN_LOGIN',
    fulfilled: ['false'],
    note: 'There is no sign-on without a password. `burgee demo` starts a service to try.',
  },
  {
    name: 'CDN_PREFIX',
    note: 'The console loads its files only from this service, which sends them compressed and lets browsers cache them.',
  },
  {
    name: 'SERVER_DISABLE_COMPRESSION',
    fulfilled: ['false'],
    note: 'Only callers that send `Accept-Encoding` get compressed answers: let your proxy remove this header.',
  },
  {
    name: 'GRACEFUL_SHUTDOWN_ENABLE',
    fulfilled: ['true'],
    note: 'A stop always answers requests in progress. Set `GRACEFUL_SHUTDOWN_TIMEOUT=0` not to wait for them.',
  },
  {
    name: 'ENABLE_SCHEDULED_CREATED_BY_MIGRATION',
    fulfilled: ['false'],
    note: 'It is for databases of Unleash before 5.8.',
  },
  {
    name: 'SECURE_HEADERS',
    fulfilled: ['true'],
    note: 'Answers that a browser may show always have security headers; with TLS, also `Strict-Transport-Security`.',
  },
  {
    name: 'CSP_ALLOWED_*',
    note: 'The console needs nothing from other hosts, and its policy allows no other hosts.',
  },
  {
    name: 'SESSION_CLEAR_SITE_DATA_ON_LOGOUT',
    fulfilled: ['false'],
    note: 'A sign-out ends the session, and does not clear what other pages of the host keep in the browser.',
  },
  {
    name: 'UNLEASH_RESPONSE_TIME_WITH_APP_NAME_KILL_SWITCH',
    fulfilled: ['true'],
    note: 'Durations of requests never have the name of an application.',
  },
  {
    name: 'DAILY_METRICS_STORAGE_DAYS',
    fulfilled: ['91'],
    note: 'Daily counts are always stored for 91 days, which is Unleash’s maximum, too.',
  },
  { name: 'CHECK_VERSION', fulfilled: ['false'], note: NO_VERSION_CHECK },
  { name: 'SEND_TELEMETRY', fulfilled: ['false'], note: 'Burgee sends nothing about itself to anybody.' },
  ...rows(NO_VERSION_CHECK, 'UNLEASH_VERSION_URL'),
  ...rows(PREPARED, 'CLIENT_FEATURE_CACHING_ENABLED', 'CLIENT_FEATURE_CACHING_MAXAGE'),
  ...rows(PREPARED, 'FRONTEND_API_REFRESH_INTERVAL_MS'),
  ...rows(NO_RATES, 'REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE', 'CLIENT_METRICS_RATE_LIMIT_PER_MINUTE'),
  ...rows(NO_RATES, 'REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE', 'FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE'),
  ...rows(NO_RATES, 'CREATE_USER_RATE_LIMIT_PER_MINUTE'),
  ...rows(GUARDED, 'SIMPLE_LOGIN_LIMIT_PER_MINUTE'),
  { name: 'IMPORT_DROP_BEFORE_IMPORT', fulfilled: ['false'], note: NO_DROP },
  { name: 'IMPORT_KEEP_EXISTING', fulfilled: ['false'], note: NO_DROP },
  { name: 'UNLEASH_LICENSE', note: 'Burgee needs no license key, and its rights do not depend on one.' },
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map((name) => ({ name, isShared: true as const, note: PROXY })),
];

/** The row of a variable; undefined if Unleash does not know it, or if it has an effect here. */
function rowOf(variable: string): UnleashVariable | undefined {
  return UNLEASH_VARIABLES.find(({ name }) =>
    name.endsWith('*') ? variable.startsWith(name.slice(0, -1)) : variable === name,
  );
}

/** Whether Unleash knows this variable although it has no effect here. */
export function isUnleashVariable(variable: string): boolean {
  return rowOf(variable) !== undefined;
}

/** One warning for all variables that have the same note. `values`: the variables that are set. */
export function unleashWarnings(values: ReadonlyMap<string, string>): readonly string[] {
  const byNote = new Map<string, string[]>();
  for (const [variable, value] of values) {
    const row = rowOf(variable);
    if (row === undefined || row.isShared || row.fulfilled?.includes(value)) continue;
    byNote.set(row.note, [...(byNote.get(row.note) ?? []), variable]);
  }
  return Array.from(
    byNote,
    ([note, variables]) =>
      `${variables.join(', ')} ${variables.length > 1 ? 'have' : 'has'} no effect here. ${note.replaceAll('`', '')}`,
  );
}
