import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { gaugeEndpoints } from '../../../src/features/instance/operations/prometheus-page.ts';
import { operationalEndpoints } from '../../../src/features/instance/operations/routes.ts';
import { sdkEndpoints } from '../../../src/features/relayed-registry.ts';
import type { FlagSource } from '../../../src/features/services.ts';
import { commandLine } from '../../../src/products/program/command-line.ts';
import { flagVariables } from '../../../src/products/relay/edge-flags.ts';
import { EDGE_OPTIONS, variableOf } from '../../../src/products/relay/edge-options.ts';
import { edgeEnvironment, optionsOf } from '../../../src/products/relay/edge-variables.ts';
import { hiddenPaths, withoutPaths } from '../../../src/products/relay/hidden-paths.ts';
import { RELAY_OPTIONS, readRelayOptions } from '../../../src/products/relay/relay-environment.ts';
import { ReportBox } from '../../../src/products/relay/report-box.ts';
import { selfSigned } from '../../support/programs/certificate.ts';

const directory = mkdtempSync(join(tmpdir(), 'burgee-edge-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const configOf = (variables: Record<string, string>) => readConfig(edgeEnvironment(variables, 'edge').environment);
const UPSTREAM_URL = 'http://upstream:4242';

describe('the variables of Edge', () => {
  it('set the same options as Burgee’s own variables', () => {
    expect(configOf({})).toMatchObject({ port: 3063, host: '', redisUrl: '' });
    const config = configOf({
      PORT: '8080',
      INTERFACE: '127.0.0.1',
      BASE_PATH: 'flags/',
      CORS_ORIGIN: 'https://a.example,https://b.example',
      BACKUP_FOLDER: '/srv/edge',
      LOG_FORMAT: 'plain',
      RUST_LOG: 'warn,unleash_edge=debug',
      EDGE_REQUEST_TIMEOUT: '7',
      REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS: '900',
    });
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      basePath: '/flags',
      frontendOrigins: ['https://a.example', 'https://b.example'],
      dataDirectory: '/srv/edge',
      logFormat: 'pretty',
      logLevel: 'debug',
      handlerDeadlineMs: 7_000,
      redisCommandTimeoutMs: 900,
    });
  });

  it('have lower priority than Burgee’s own variables, and have no effect when they are empty', () => {
    expect(configOf({ PORT: '8080', HTTP_PORT: '9090' }).port).toBe(9090);
    expect(configOf({ BACKUP_FOLDER: '/a', DATA_DIR: '/b' }).dataDirectory).toBe('/b');
    expect(configOf({ PORT: '', BASE_PATH: '', RUST_LOG: '' })).toMatchObject({
      port: 3063,
      basePath: '',
      logLevel: 'info',
    });
    expect(configOf({ RUST_LOG: 'debug', LOG_LEVEL: 'warn' }).logLevel).toBe('warn');
  });

  it('set the proxies whose X-Forwarded-For is trusted', () => {
    expect(configOf({ TRUST_PROXY: 'true' }).trustProxy).toEqual(['true']);
    const proxies = { PROXY_TRUSTED_SERVERS: '10.0.0.0/8,192.168.0.1' };
    expect(configOf({ TRUST_PROXY: '1', ...proxies }).trustProxy).toEqual(['10.0.0.0/8', '192.168.0.1']);
    expect(configOf(proxies).trustProxy).toEqual([]);
    expect(configOf({ TRUST_PROXY: '10.1.1.1' }).trustProxy).toEqual(['10.1.1.1']);
  });

  it.each([
    [{ REDIS_URL: 'redis://a:1/2' }, 'redis://a:1/2'],
    [{ REDIS_HOST: 'a' }, 'redis://a:6379'],
    [{ REDIS_HOST: 'a', REDIS_PORT: '7', REDIS_SECURE: 'true' }, 'rediss://a:7'],
    [
      { REDIS_HOST: 'a', REDIS_SCHEME: 'tls', REDIS_USERNAME: 'me', REDIS_PASSWORD: 'p@:/' },
      'rediss://me:p%40%3A%2F@a:6379',
    ],
    [{ REDIS_URL: 'redis://a:1', REDIS_PASSWORD: 'p' }, 'redis://:p@a:1'],
    [{ REDIS_URL: 'redis://u:q@a:1', REDIS_PASSWORD: 'p' }, 'redis://u:q@a:1'],
    [{ REDIS_URL: 'redis://a:1,redis://u:p@b:2', REDIS_MODE: 'cluster' }, 'redis-cluster://a:1,b:2'],
    [{ REDIS_URL: 'rediss://u:p@a:1', REDIS_MODE: 'cluster' }, 'rediss-cluster://u:p@a:1'],
  ])('set the URL of Redis: %o', (variables, url) => {
    expect(configOf(variables).redisUrl).toBe(url);
  });

  it('set a default key prefix that separates a relay from a server on the same Redis', () => {
    expect(configOf({ REDIS_URL: 'redis://a' }).redisKeyPrefix).toBe('burgee-relay');
    expect(configOf({ REDIS_URL: 'redis://a', REDIS_KEY_PREFIX: 'mine' }).redisKeyPrefix).toBe('mine');
  });

  it('are refused when a value is invalid or not supported', () => {
    for (const [variables, message] of [
      [{ S3_BUCKET_NAME: 'b' }, 'S3_BUCKET_NAME is not supported. Flags are kept in a folder'],
      [{ REDIS_HOST: 'a', REDIS_SCHEME: 'redis-unix' }, 'REDIS_SCHEME must be one of'],
      [{ REDIS_MODE: 'ring' }, 'REDIS_MODE must be one of single, cluster'],
      [{ SENTRY_DEBUG: 'maybe' }, 'SENTRY_DEBUG must be true or false, not "maybe"'],
    ] as const) {
      expect(() => edgeEnvironment(variables, 'edge')).toThrow(message);
    }
  });

  it('are listed in the notes when they have no effect', () => {
    const { notes } = edgeEnvironment({ WORKERS: '4', SENTRY_DEBUG: 'false', DATADOG_URL: 'http://a' }, 'edge');
    expect(notes).toEqual([
      expect.stringMatching(/^WORKERS has no effect here\. One thread serves/),
      expect.stringMatching(/^DATADOG_URL has no effect here\. /),
    ]);
    expect(edgeEnvironment({ PROMETHEUS_USERNAME: 'a' }, 'offline').notes).toEqual([]);
  });
});

describe('the switches of Edge that hide paths', () => {
  const endpoints = [...operationalEndpoints, ...gaugeEndpoints, ...sdkEndpoints];
  const source: FlagSource = { endpoints, begin: async () => {}, close: async () => {} };
  const left = (variables: Record<string, string>) => withoutPaths(source, hiddenPaths(variables)).endpoints;

  it('hide their paths and no others', () => {
    expect(left({})).toEqual(endpoints);
    expect(left({ DISABLE_ALL_ENDPOINT: 'false' })).toEqual(endpoints);
    const gone = endpoints.filter((endpoint) => !left({ DISABLE_ALL_ENDPOINT: '1' }).includes(endpoint));
    expect(new Set(gone.map(({ path }) => path))).toEqual(new Set(['/api/frontend/all', '/api/proxy/all']));
    const paths = left({ DISABLE_METRICS_ENDPOINT: 'true' }).map(({ path }) => path);
    expect(paths).not.toContain('/internal-backstage/prometheus');
    expect(() => hiddenPaths({ DISABLE_ALL_ENDPOINT: 'maybe' })).toThrow('DISABLE_ALL_ENDPOINT must be true or false');
  });

  it('do not stop the reports of SDKs to upstream', () => {
    const reports = new ReportBox(systemClock, { appName: 'a', instanceId: 'b' });
    const hidden = hiddenPaths({ DISABLE_TOKENS_ENDPOINT: 'true' });
    expect(withoutPaths({ ...source, parts: { reports } }, hidden).parts?.reports).toBe(reports);
  });
});

describe('the options of a relay', () => {
  it('have Edge’s defaults', () => {
    expect(readRelayOptions({ UPSTREAM_URL: 'http://upstream:4242/api/' })).toMatchObject({
      upstreamUrl: UPSTREAM_URL,
      tokens: [],
      pretrusted: [],
      isStrict: false,
      refreshMs: 15_000,
      metricsMs: 60_000,
      revalidateMs: 3_600_000,
      connectMs: 5_000,
      timeoutMs: 5_000,
      headers: {},
      authHeader: 'authorization',
      tls: {},
    });
  });

  it('are all read from variables', () => {
    const file = (name: string, content: string) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const { certificate, key } = selfSigned('relay');
    const options = readRelayOptions({
      UPSTREAM_URL,
      TOKENS: '*:development.a, shop:production.b',
      PRETRUSTED_TOKENS: "shop:production.c,anything@staging,a!b*c'd(e):f!g*h'i(j).k,anything@f!g*h'i(j)",
      STRICT: 'true',
      CUSTOM_CLIENT_HEADERS: 'X-Api-Key: abc,X-Two:d',
      UPSTREAM_AUTH_HEADER: 'X-Token',
      UPSTREAM_SOCKET_TIMEOUT: '2',
      UPSTREAM_REQUEST_TIMEOUT: '9',
      UPSTREAM_CERTIFICATE_FILE: file('ca', certificate),
      PKCS8_CLIENT_CERTIFICATE_FILE: file('certificate', certificate),
      PKCS8_CLIENT_KEY_FILE: file('key', key),
      PKCS12_PASSPHRASE: 'open',
      SKIP_SSL_VERIFICATION: 'true',
      APP_NAME: 'gate',
      INSTANCE_ID: 'gate-1',
    });
    expect(options).toMatchObject({
      tokens: ['*:development.a', 'shop:production.b'],
      pretrusted: [
        { secret: 'shop:production.c', type: 'frontend', environment: 'production', projects: ['shop'] },
        { secret: 'anything@staging', type: 'frontend', environment: 'staging', projects: ['*'] },
        { secret: "a!b*c'd(e):f!g*h'i(j).k", type: 'frontend', environment: "f!g*h'i(j)", projects: ["a!b*c'd(e)"] },
        { secret: "anything@f!g*h'i(j)", type: 'frontend', environment: "f!g*h'i(j)", projects: ['*'] },
      ],
      isStrict: true,
      headers: { 'x-api-key': 'abc', 'x-two': 'd' },
      authHeader: 'x-token',
      connectMs: 2_000,
      timeoutMs: 9_000,
      tls: { ca: certificate, certificate, key, passphrase: 'open', isUnverified: true },
      appName: 'gate',
      instanceId: 'gate-1',
    });
  });

  it('are refused with a message that contains no secrets', () => {
    for (const [variables, message] of [
      [{}, 'specify the address of upstream: --upstream-url URL, or UPSTREAM_URL'],
      [{ UPSTREAM_URL: 'upstream' }, 'UPSTREAM_URL must be an address such as'],
      [
        { UPSTREAM_URL, CUSTOM_CLIENT_HEADERS: 'X-A: 1,secret' },
        'CUSTOM_CLIENT_HEADERS, item 2: a header has the form',
      ],
      [{ UPSTREAM_URL, PRETRUSTED_TOKENS: 'secret' }, 'PRETRUSTED_TOKENS, item 1: a pretrusted token has the form'],
      [
        { UPSTREAM_URL, PKCS8_CLIENT_KEY_FILE: 'x' },
        'PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE must be set together',
      ],
      [
        { UPSTREAM_URL, UPSTREAM_CERTIFICATE_FILE: '/no/such' },
        'UPSTREAM_CERTIFICATE_FILE: /no/such cannot be read: ENOENT',
      ],
      [{ UPSTREAM_URL, METRICS_INTERVAL_SECONDS: '0' }, 'METRICS_INTERVAL_SECONDS must be a whole number, at least 1'],
    ] as const) {
      expect(() => readRelayOptions(variables)).toThrow(message);
      expect(() => readRelayOptions(variables)).not.toThrow('secret"');
    }
  });
});

describe('the identity that a relay presents to upstream', () => {
  const broken = join(directory, 'broken');
  const refusals: readonly (readonly [Record<string, string>, string])[] = [
    [{ UPSTREAM_CERTIFICATE_FILE: broken }, 'UPSTREAM_CERTIFICATE_FILE: the content of the file cannot be used'],
    [{ PEM_CERT_FILE: broken }, 'PEM_CERT_FILE: the content of the file cannot be used'],
    [
      { PKCS8_CLIENT_CERTIFICATE_FILE: broken, PKCS8_CLIENT_KEY_FILE: broken },
      'PKCS8_CLIENT_CERTIFICATE_FILE: the content of the file cannot be used',
    ],
    [
      { PKCS12_IDENTITY_FILE: broken, PKCS12_PASSPHRASE: 'the-word' },
      'PKCS12_IDENTITY_FILE: the content of the file cannot be used',
    ],
    [{ APP_NAME: 'a \u2603' }, 'APP_NAME is sent in a header'],
    [{ INSTANCE_ID: 'a\u0100b' }, 'INSTANCE_ID is sent in a header'],
  ];

  it.each(refusals)('is checked at the start: %o', (variables, message) => {
    writeFileSync(broken, 'neither PEM nor PKCS #12');
    expect(() => readRelayOptions({ UPSTREAM_URL, ...variables })).toThrow(message);
    expect(() => readRelayOptions({ UPSTREAM_URL, ...variables })).not.toThrow('the-word');
  });

  it('is refused when the key and the certificate do not belong together', () => {
    const [certificateFile, keyFile] = [join(directory, 'one.pem'), join(directory, 'another.pem')];
    writeFileSync(certificateFile, selfSigned('one').certificate);
    writeFileSync(keyFile, selfSigned('another').key);
    expect(() =>
      readRelayOptions({
        UPSTREAM_URL,
        PKCS8_CLIENT_CERTIFICATE_FILE: certificateFile,
        PKCS8_CLIENT_KEY_FILE: keyFile,
      }),
    ).toThrow('PKCS8_CLIENT_KEY_FILE: the content of the file cannot be used');
  });
});

describe('the flags of Edge', () => {
  it('set the variable of their option', () => {
    for (const mode of ['edge', 'offline'] as const) {
      for (const option of optionsOf(mode)) {
        const args = option.kind === 'switch' ? [`--${option.flag}`] : [`--${option.flag}`, 'x'];
        const text = option.kind === 'switch' ? 'true' : 'x';
        expect(flagVariables(args, mode)).toMatchObject({ [variableOf(option)]: text });
      }
    }
  });

  it('have short forms, whose meaning depends on the command', () => {
    expect(flagVariables(['-u', 'http://a', '-b', '/f', '-t', 'a', '-t', 'b', '-p', 'c', '-s'], 'edge')).toEqual({
      UPSTREAM_URL: 'http://a',
      BACKUP_FOLDER: '/f',
      DATA_DIR: '/f',
      TOKENS: 'a,b',
      PRETRUSTED_TOKENS: 'c',
      SKIP_SSL_VERIFICATION: 'true',
    });
    expect(flagVariables(['-b', 'f.json', '-p', '1', '-r', '2'], 'offline')).toEqual({
      BOOTSTRAP_FILE: 'f.json',
      PORT: '1',
      HTTP_PORT: '1',
      RELOAD_INTERVAL: '2',
    });
  });

  it('may precede the command', () => {
    expect(commandLine(['-p', '80', '--app-name', 'edge', 'edge', '-u', 'http://a'])).toEqual({
      name: 'relay',
      rest: ['-u', 'http://a'],
      variables: { PORT: '80', HTTP_PORT: '80', APP_NAME: 'edge' },
    });
    expect(commandLine(['offline', '-b', 'f'])).toEqual({ name: 'offline', rest: ['-b', 'f'], variables: {} });
    expect(commandLine(['--upstream-url', 'x', 'edge']).name).toBe('--upstream-url');
    expect(commandLine([]).name).toBe('serve');
  });
});

describe('the list of Edge’s options', () => {
  it('names every variable that a relay reads', () => {
    const ours = ['UPSTREAM_ANSWER_MB', 'UPSTREAM_MEMORY_MB'];
    const known = [...EDGE_OPTIONS.map(variableOf), ...ours];
    for (const { env } of Object.values(RELAY_OPTIONS)) {
      for (const name of env) expect(known).toContain(name);
    }
  });
});
