import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { reasonOf } from '../../base/remote-error.ts';
import { readConfig } from '../../config.ts';
import { edgeEnvironment } from '../relay/edge-variables.ts';
import { ProgramError, UsageError } from './subcommand.ts';

/** Default time limit for an answer of a running service. */
const TIMEOUT_MS = 10_000;

/** The flags of commands that send requests to a running service. */
export const SERVICE_FLAGS = { url: { type: 'string' } } as const;

/** The description of these flags in the help of the commands. */
export const SERVICE_HELP = `  --url URL   the running service, without /api (http://127.0.0.1 with HTTP_PORT and BASE_URI_PATH of the environment)`;

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of the service: `url`, or by default the address on which a service with this environment listens. @throws UsageError */
export function serviceAddress(url: string | undefined, environment: Environment): string {
  if (url !== undefined) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      throw new UsageError(`--url must be an address such as http://127.0.0.1:4242, not "${url}"`);
    }
    return withoutApi(url);
  }
  // A container's health check has the same environment as the service.
  const mode = environment.UPSTREAM_URL ? 'edge' : environment.BOOTSTRAP_FILE ? 'offline' : undefined;
  // Edge's LOG_FORMAT=plain is not a valid value here, and does not affect the address.
  const { LOG_FORMAT: _, ...addressEnvironment } = environment;
  const { port, host, basePath } = readConfig(
    mode ? edgeEnvironment(addressEnvironment, mode).environment : addressEnvironment,
  );
  const name = host === '' || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`;
}

/** Removes /api from the address that SDKs use (`https://host/base/api`): every path of this client begins with /api. */
export function withoutApi(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/api(\/admin)?$/, '');
}

/** Sends a request to a running service. @throws ProgramError when there is no answer */
export async function ask(
  address: string,
  path: string,
  options: {
    readonly method?: string;
    readonly token?: string;
    readonly body?: unknown;
    readonly timeoutMs?: number;
  } = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const { method = 'GET', token, body, timeoutMs = TIMEOUT_MS } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers.authorization = token;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const bodyOption = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${address}${path}`, { method, headers, signal, redirect: 'manual', ...bodyOption });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  } catch (error) {
    throw new ProgramError(`no answer from ${address}: ${reasonOf(error)}`);
  }
}

/** Same as `ask`, for a service whose certificate was issued by the authority in this file. @throws ProgramError */
export async function askTrusting(
  caFile: string,
  address: string,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const ca = readCertificate(caFile);
  const get = /^https:/i.test(address) ? getSecure : getPlain;
  return new Promise((resolve, reject) => {
    const fail = ({ code, message }: NodeJS.ErrnoException) =>
      reject(new ProgramError(`no answer from ${address}: ${code ?? message}`));
    const request = get(`${address}${path}`, { ca, timeout: TIMEOUT_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', fail);
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', fail);
  });
}

function readCertificate(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ProgramError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
