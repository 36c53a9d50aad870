import { readConfig } from '../config.ts';
import { ProgramError } from './subcommand.ts';

/** How long a running service may take to answer, unless more is allowed. */
const TIMEOUT_MS = 10_000;

/** The flags of commands that speak with a running service. */
export const SERVICE_FLAGS = { url: { type: 'string' } } as const;

/** For the help of these commands. */
export const SERVICE_HELP = `  --url URL   the running service (http://127.0.0.1 with HTTP_PORT and BASE_URI_PATH of the environment)`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the service is: what `--url` says, else what a service with this environment listens on. @throws ProgramError */
export function serviceAddress(url: string | undefined, environment: Environment): string {
  if (url !== undefined) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      throw new ProgramError(`--url must be an address such as http://127.0.0.1:4242, not "${url}"`);
    }
    return url.replace(/\/+$/, '');
  }
  const { port, host, basePath } = readConfig(environment);
  const name = host === '' || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`;
}

/** Asks a running service. @throws ProgramError when there is no answer */
export async function ask(
  address: string,
  path: string,
  options: {
    readonly method?: string;
    readonly token?: string;
    readonly body?: unknown;
    readonly timeoutMs?: number;
  } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { method = 'GET', token, body, timeoutMs = TIMEOUT_MS } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers.authorization = token;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${address}${path}`, { method, headers, signal, redirect: 'manual', ...sent });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    throw new ProgramError(`no answer from ${address}: ${cause?.code ?? cause?.message ?? message}`);
  }
}
