import { describe, expect, it } from 'vitest';
import { OPTIONS, readConfig } from '../../../src/config.ts';
import { FEATURES } from '../../../src/features/modules.ts';
import { limitEntries } from '../../../src/model/limits.ts';
import { runProgram } from '../../../src/products/program/program.ts';
import { EDGE_OPTIONS, variableOf } from '../../../src/products/relay/edge-options.ts';
import { edgeEnvironment } from '../../../src/products/relay/edge-variables.ts';
import { unknownVariables, variableWarnings } from '../../../src/products/unknown-variables.ts';
import { UNLEASH_VARIABLES } from '../../../src/products/unleash-variables.ts';

/** The variables on the pages "Configure Unleash", "Import and export", "Resource limits" and "License keys" of Unleash's documentation. */
const DOCUMENTED = `
  DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USERNAME DATABASE_PASSWORD DATABASE_SCHEMA DATABASE_SSL DATABASE_SSL_CA_CONFIG
  DATABASE_SSL_REJECT_UNAUTHORIZED DATABASE_SSL_CA_FILE DATABASE_SSL_CERT_FILE DATABASE_SSL_KEY_FILE DATABASE_POOL_MIN DATABASE_POOL_MAX
  DATABASE_POOL_IDLE_TIMEOUT_MS DATABASE_APPLICATION_NAME DATABASE_DISABLE_MIGRATION DATABASE_URL DATABASE_URL_FILE
  UNLEASH_URL EMAIL_HOST EMAIL_PORT EMAIL_SECURE EMAIL_USER EMAIL_PASSWORD EMAIL_SENDER
  AUTH_TYPE AUTH_ENABLE_API_TOKEN AUTH_DEMO_ALLOW_ADMIN_LOGIN UNLEASH_DEFAULT_ADMIN_USERNAME UNLEASH_DEFAULT_ADMIN_PASSWORD
  INIT_CLIENT_API_TOKENS INIT_BACKEND_API_TOKENS INIT_FRONTEND_API_TOKENS INIT_ADMIN_API_TOKENS
  HTTP_PORT HTTP_HOST BASE_URI_PATH CDN_PREFIX SERVER_KEEPALIVE_TIMEOUT SERVER_DISABLE_COMPRESSION GRACEFUL_SHUTDOWN_ENABLE
  GRACEFUL_SHUTDOWN_TIMEOUT ENABLE_SCHEDULED_CREATED_BY_MIGRATION SECURE_HEADERS CSP_ALLOWED_SCRIPT SESSION_TTL_HOURS
  SESSION_CLEAR_SITE_DATA_ON_LOGOUT MAX_PARALLEL_SESSIONS UNLEASH_FRONTEND_API_ORIGINS LOG_LEVEL REQUEST_LOGGER_ENABLE
  UNLEASH_RESPONSE_TIME_WITH_APP_NAME_KILL_SWITCH DAILY_METRICS_STORAGE_DAYS CHECK_VERSION UNLEASH_VERSION_URL
  CLIENT_FEATURE_CACHING_ENABLED CLIENT_FEATURE_CACHING_MAXAGE FRONTEND_API_REFRESH_INTERVAL_MS ACCESS_CONTROL_MAX_AGE ENABLED_ENVIRONMENTS
  REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE CLIENT_METRICS_RATE_LIMIT_PER_MINUTE REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE
  FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE SIMPLE_LOGIN_LIMIT_PER_MINUTE CREATE_USER_RATE_LIMIT_PER_MINUTE HTTP_PROXY HTTPS_PROXY NO_PROXY
  SEND_TELEMETRY IMPORT_FILE IMPORT_PROJECT IMPORT_ENVIRONMENT IMPORT_DROP_BEFORE_IMPORT IMPORT_KEEP_EXISTING UNLEASH_LICENSE
  UNLEASH_FEATURE_FLAGS_LIMIT UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT UNLEASH_CONSTRAINTS_LIMIT UNLEASH_CONSTRAINT_VALUES_LIMIT
  UNLEASH_SEGMENTS_LIMIT UNLEASH_STRATEGY_SEGMENTS_LIMIT UNLEASH_SEGMENT_VALUES_LIMIT UNLEASH_API_TOKENS_LIMIT UNLEASH_PROJECTS_LIMIT
  UNLEASH_ENVIRONMENTS_LIMIT UNLEASH_SIGNAL_ENDPOINTS_LIMIT UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT UNLEASH_ACTION_SET_ACTIONS_LIMIT
  UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT UNLEASH_ACTION_SET_FILTERS_LIMIT UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT UNLEASH_RELEASE_TEMPLATES_LIMIT
`
  .trim()
  .split(/\s+/);

/** The variables on the page "Configure Unleash Edge". */
const DOCUMENTED_BY_EDGE = `
  PORT INTERFACE BASE_PATH APP_NAME INSTANCE_ID EDGE_REQUEST_TIMEOUT EDGE_KEEPALIVE_TIMEOUT WORKERS TLS_ENABLE TLS_SERVER_KEY TLS_SERVER_CERT
  TLS_SERVER_PORT REDIRECT_HTTP_TO_HTTPS CORS_ORIGIN CORS_ALLOWED_HEADERS CORS_MAX_AGE CORS_EXPOSED_HEADERS CORS_METHODS ALLOW_LIST DENY_LIST
  TRUST_PROXY PROXY_TRUSTED_SERVERS EDGE_AUTH_HEADER TOKEN_HEADER LOG_FORMAT DISABLE_ALL_ENDPOINT DISABLE_METRICS_BATCH_ENDPOINT
  DISABLE_METRICS_ENDPOINT DISABLE_FEATURES_ENDPOINT DISABLE_TOKENS_ENDPOINT DISABLE_INSTANCE_DATA_ENDPOINT UPSTREAM_URL TOKENS
  SKIP_SSL_VERIFICATION CUSTOM_CLIENT_HEADERS UPSTREAM_REQUEST_TIMEOUT UPSTREAM_SOCKET_TIMEOUT CLIENT_KEEPALIVE_TIMEOUT UPSTREAM_AUTH_HEADER
  METRICS_INTERVAL_SECONDS FEATURES_REFRESH_INTERVAL_SECONDS TOKEN_REVALIDATION_INTERVAL_SECONDS STREAMING BACKUP_FOLDER S3_BUCKET_NAME
  REDIS_URL REDIS_MODE REDIS_HOST REDIS_PORT REDIS_USERNAME REDIS_PASSWORD REDIS_SECURE REDIS_SCHEME
  REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS PROMETHEUS_REMOTE_WRITE_URL PROMETHEUS_PUSH_INTERVAL
  PROMETHEUS_USERNAME PROMETHEUS_PASSWORD PROMETHEUS_USER_ID DATADOG_URL OTEL_COLLECTOR_URL SENTRY_DSN SENTRY_TRACING_RATE SENTRY_DEBUG
  SENTRY_ENABLE_LOGS PKCS8_CLIENT_CERTIFICATE_FILE PKCS8_CLIENT_KEY_FILE PKCS12_IDENTITY_FILE PKCS12_PASSPHRASE PEM_CERT_FILE
  UPSTREAM_CERTIFICATE_FILE BOOTSTRAP_FILE RELOAD_INTERVAL CLIENT_TOKENS FRONTEND_TOKENS
`
  .trim()
  .split(/\s+/);

/** Variables that other programs read, too. */
const SHARED = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

describe("Unleash's environment variables", () => {
  it.each(DOCUMENTED)('%s works, or a warning says what to do', (name) => {
    expect(FEATURES.length).toBeGreaterThan(0);
    const works = [...Object.values(OPTIONS), ...limitEntries().map(([, { env }]) => ({ env: [env] }))].some(
      ({ env }) => (env as readonly (string | null)[]).includes(name),
    );
    const { warnings, refusal } = unknownVariables({ [name]: 'something' });
    expect(refusal).toBeNull();
    if (works || SHARED.includes(name)) expect(warnings).toEqual([]);
    else expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name} has no effect here\\. .{20,}`))]);
  });

  it('are in one table only once, and none of them is an option', () => {
    const names = UNLEASH_VARIABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const options = [...Object.values(OPTIONS).flatMap(({ env }) => [...env] as string[]), ...limitVariables()];
    expect(names.filter((name) => options.includes(name))).toEqual([]);
  });

  it('cause no warning with a value that asks for what Burgee always does, and one warning for several with the same reason', () => {
    for (const { name, fulfilled = [] } of UNLEASH_VARIABLES) {
      for (const value of fulfilled) expect(unknownVariables({ [name]: value }).warnings).toEqual([]);
    }
    const { warnings } = unknownVariables({ EMAIL_HOST: 'mail', EMAIL_USER: 'me', AUTH_ENABLE_API_TOKEN: 'false' });
    expect(warnings).toEqual([
      expect.stringMatching(/^AUTH_ENABLE_API_TOKEN has no effect here\. With AUTH_TYPE=none,/),
      expect.stringMatching(/^EMAIL_HOST, EMAIL_USER have no effect here\. Burgee sends no mail\./),
    ]);
  });

  it('cause no start with STRICT_CONFIG, and burgee config reports them, too', async () => {
    const environment = { STRICT_CONFIG: 'true', CDN_PREFIX: 'https://cdn.example.com' };
    expect(() => variableWarnings(environment, readConfig(environment))).toThrow(/STRICT_CONFIG.*CDN_PREFIX/);
    let err = '';
    const io = {
      out: () => {},
      err: (text: string) => {
        err += text;
      },
    };
    expect(await runProgram(['config'], { environment: { CDN_PREFIX: 'https://cdn.example.com' }, ...io })).toBe(0);
    expect(err).toContain('warning: CDN_PREFIX has no effect here.');
  });

  it('of a server cause a warning on a relay', () => {
    expect(unknownVariables({ IMPORT_FILE: 'x' }, ['UPSTREAM_URL']).warnings).toEqual([
      'the environment holds IMPORT_FILE, which is for burgee serve, and means nothing to this command',
    ]);
  });
});

describe("Edge's environment variables", () => {
  it('are all in the list of Edge’s options, which says what each does here', () => {
    const known = EDGE_OPTIONS.map(variableOf);
    expect(DOCUMENTED_BY_EDGE.filter((name) => !known.includes(name))).toEqual([]);
    expect(EDGE_OPTIONS.filter(({ note }) => note.length < 10)).toEqual([]);
  });

  it('ACCESS_CONTROL_MAX_AGE has the value of CORS_MAX_AGE on a relay', () => {
    expect(edgeEnvironment({ CORS_MAX_AGE: '60' }, 'edge').environment.ACCESS_CONTROL_MAX_AGE).toBe('60');
  });
});

function limitVariables(): string[] {
  return limitEntries().flatMap(([, { env }]) => env ?? []);
}
