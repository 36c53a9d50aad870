import { readFileSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { hostname } from 'node:os';
import { ConfigError, type Environment, type Option, readOptions } from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { parseTokenText } from '../../features/tokens/commands.ts';
import { ALL } from '../../model/api-token.ts';
import { URL_SAFE_CHARACTERS } from '../../model/primitives.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import { readSwitch } from './read-switch.ts';
import type { RelayOptions, UpstreamTls } from './relay-options.ts';
import { checkTls } from './upstream-tls.ts';

const seconds = { kind: 'integer', min: 1, max: 86_400 } as const;
const file = { kind: 'text', default: '' } as const;
const MEGABYTE = 1024 * 1024;
const flag = { kind: 'text', default: 'false' } as const;

/** The options of `burgee relay`, in addition to those of every service. Names and defaults are Edge's. */
export const RELAY_OPTIONS = {
  upstreamUrl: {
    env: ['UPSTREAM_URL'],
    kind: 'url',
    default: '',
    description: 'Address of upstream, without `/api`: an Unleash, a Burgee, an Edge or another relay.',
  },
  tokens: {
    env: ['TOKENS'],
    kind: 'list',
    default: '',
    description: 'Client tokens whose flags are fetched at the start.',
    secret: true,
  },
  pretrustedTokens: {
    env: ['PRETRUSTED_TOKENS'],
    kind: 'list',
    default: '',
    description:
      'Frontend tokens that are accepted without validation by upstream: `project:environment.secret`, or `any-text@environment`.',
    secret: true,
  },
  refreshS: {
    ...seconds,
    env: ['FEATURES_REFRESH_INTERVAL_SECONDS'],
    default: '15',
    description: 'Seconds between two requests for changes to upstream.',
  },
  metricsS: {
    ...seconds,
    env: ['METRICS_INTERVAL_SECONDS'],
    default: '60',
    description: 'Seconds between two usage reports to upstream.',
  },
  revalidateS: {
    ...seconds,
    env: ['TOKEN_REVALIDATION_INTERVAL_SECONDS'],
    default: '3600',
    description: 'Seconds between two validations of the known tokens.',
  },
  connectS: {
    ...seconds,
    env: ['UPSTREAM_SOCKET_TIMEOUT'],
    default: '5',
    description: 'Seconds to connect to upstream, including TLS.',
  },
  timeoutS: {
    ...seconds,
    env: ['UPSTREAM_REQUEST_TIMEOUT'],
    default: '5',
    description:
      'Seconds that upstream may take, once connected, to begin its answer and between two pieces of it; also how long SDKs wait for flags of upstream.',
  },
  answerMb: {
    env: ['UPSTREAM_ANSWER_MB'],
    kind: 'integer',
    min: 1,
    max: 512,
    default: '128',
    description:
      'Maximum size in megabytes of one list of upstream, or one event of its stream, after decompression. A larger list or event is not accepted.',
  },
  memoryMb: {
    env: ['UPSTREAM_MEMORY_MB'],
    kind: 'integer',
    min: 1,
    max: 65_536,
    default: '256',
    description:
      'Maximum size in megabytes of all lists and events of upstream together while they are read. Further ones wait for memory.',
  },
  headers: {
    env: ['CUSTOM_CLIENT_HEADERS'],
    kind: 'list',
    default: '',
    description: '`Name: value`, comma-separated, sent with every request to upstream.',
    secret: true,
  },
  authHeader: {
    env: ['UPSTREAM_AUTH_HEADER', 'TOKEN_HEADER'],
    kind: 'text',
    default: 'authorization',
    description: 'The header in which the token is sent to upstream.',
  },
  appName: {
    env: ['APP_NAME'],
    kind: 'text',
    default: 'burgee-relay',
    description: 'The name by which this relay reports to upstream.',
  },
  instanceId: {
    env: ['INSTANCE_ID'],
    kind: 'text',
    default: '',
    description: 'The id by which this process reports to upstream. Empty: the machine’s name.',
  },
  strict: { ...flag, env: ['STRICT'], description: 'Serves only tokens whose scope is covered by `TOKENS`.' },
  streaming: {
    ...flag,
    env: ['STREAMING'],
    default: 'true',
    description:
      'Reads upstream’s stream of changes where it has one; `false`: requests lists, until upstream asks for streams (docs/reach/sdk-modes.md).',
  },
  unverified: { ...flag, env: ['SKIP_SSL_VERIFICATION'], description: 'Accepts any certificate of upstream.' },
  caFile: {
    ...file,
    env: ['UPSTREAM_CERTIFICATE_FILE'],
    description: 'PEM of a certificate authority that is trusted in addition to the usual ones.',
  },
  certificateFile: {
    ...file,
    env: ['PKCS8_CLIENT_CERTIFICATE_FILE'],
    description: 'PEM of the client certificate for upstream.',
  },
  keyFile: { ...file, env: ['PKCS8_CLIENT_KEY_FILE'], description: 'PEM of the key of the client certificate.' },
  pemFile: {
    ...file,
    env: ['PEM_CERT_FILE'],
    description: 'Client certificate and key for upstream, in one PEM file.',
  },
  identityFile: {
    ...file,
    env: ['PKCS12_IDENTITY_FILE'],
    description: 'Client certificate and key for upstream, as PKCS #12.',
  },
  passphrase: { ...file, env: ['PKCS12_PASSPHRASE'], description: 'Passphrase of the PKCS #12 file.', secret: true },
} as const satisfies Record<string, Option>;

type OptionValues = ReturnType<typeof readOptions<typeof RELAY_OPTIONS>>;

/** The options that the environment sets. @throws ConfigError */
export function readRelayOptions(environment: Environment): RelayOptions {
  const options = readOptions(RELAY_OPTIONS, environment);
  if (options.upstreamUrl === '')
    throw new ConfigError('specify the address of upstream: --upstream-url URL, or UPSTREAM_URL');
  if (!/^[\w-]+$/.test(options.authHeader))
    throw new ConfigError(`UPSTREAM_AUTH_HEADER must be the name of a header, not "${options.authHeader}"`);
  if (options.memoryMb < options.answerMb)
    throw new ConfigError(
      'UPSTREAM_MEMORY_MB must be at least UPSTREAM_ANSWER_MB: there must be memory for one answer',
    );
  return {
    upstreamUrl: options.upstreamUrl.replace(/\/+$/, '').replace(/\/api$/, ''),
    tokens: options.tokens,
    pretrusted: options.pretrustedTokens.map(pretrustedToken),
    isStrict: readSwitch(options.strict, 'STRICT'),
    refreshMs: options.refreshS * 1_000,
    metricsMs: options.metricsS * 1_000,
    revalidateMs: options.revalidateS * 1_000,
    connectMs: options.connectS * 1_000,
    timeoutMs: options.timeoutS * 1_000,
    answers: { eachBytes: options.answerMb * MEGABYTE, totalBytes: options.memoryMb * MEGABYTE },
    isStreaming: readSwitch(options.streaming, 'STREAMING'),
    headers: headersOf(options.headers),
    authHeader: options.authHeader.toLowerCase(),
    tls: tlsOf(options),
    appName: headerValue(options.appName, 'APP_NAME'),
    instanceId: headerValue(options.instanceId || hostname(), 'INSTANCE_ID'),
  };
}

const PRETRUSTED_ENVIRONMENT = new RegExp(`^[^:]+@([${URL_SAFE_CHARACTERS}]+)$`);

/** `any-text@environment` gives access to all projects of the environment. */
function pretrustedToken(secret: string, index: number): SourceToken {
  const [, environment] = PRETRUSTED_ENVIRONMENT.exec(secret) ?? [];
  if (environment !== undefined) return { secret, type: 'frontend', environment, projects: [ALL] };
  const parsed = parseTokenText(secret, () => false);
  if (!(parsed instanceof Rejection) && parsed.environment !== ALL) return { secret, type: 'frontend', ...parsed };
  throw new ConfigError(
    `PRETRUSTED_TOKENS, item ${index + 1}: a pretrusted token has the form project:environment.secret or any-text@environment`,
  );
}

/** Headers may contain secrets, so no message contains their values. */
function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    const [, name, value] = /^([\w-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new ConfigError(`CUSTOM_CLIENT_HEADERS, item ${index + 1}: a header has the form Name: value`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}

function headerValue(text: string, variable: string): string {
  try {
    validateHeaderValue(variable, text);
  } catch {
    throw new ConfigError(
      `${variable} is sent in a header: its characters must be Latin-1, and not control characters`,
    );
  }
  return text;
}

function tlsOf(options: OptionValues): UpstreamTls {
  const { caFile, certificateFile, keyFile, pemFile, identityFile, passphrase } = options;
  if ((certificateFile === '') !== (keyFile === ''))
    throw new ConfigError('PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE must be set together');
  const certificate = certificateFile || pemFile;
  const key = keyFile || pemFile;
  const variableNames = {
    certificate: certificateFile ? 'PKCS8_CLIENT_CERTIFICATE_FILE' : 'PEM_CERT_FILE',
    key: keyFile ? 'PKCS8_CLIENT_KEY_FILE' : 'PEM_CERT_FILE',
  };
  const tls: UpstreamTls = {
    ...(caFile !== '' && { ca: contentOf(caFile, 'UPSTREAM_CERTIFICATE_FILE').toString() }),
    ...(certificate !== '' && { certificate: contentOf(certificate, variableNames.certificate).toString() }),
    ...(key !== '' && { key: contentOf(key, variableNames.key).toString() }),
    ...(identityFile !== '' && { identity: contentOf(identityFile, 'PKCS12_IDENTITY_FILE') }),
    ...(passphrase !== '' && { passphrase }),
    ...(readSwitch(options.unverified, 'SKIP_SSL_VERIFICATION') && { isUnverified: true }),
  };
  checkTls(tls, variableNames);
  return tls;
}

function contentOf(path: string, variable: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${variable}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
