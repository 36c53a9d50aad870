import { reasonOf } from '../../../base/remote-error.ts';
import { type Send, ToolError } from '../../../features/mcp/tools/api.ts';

/** Maximum size of an answer, in bytes. */
const ANSWER_BYTES_MAX = 4_000_000;

const TIMEOUT_MS = 30_000;

interface Connection {
  readonly url: string;
  readonly token: string;
}

/** Sends requests of tools to a running service. */
export function sendOverHttp({ url, token }: Connection): Send {
  return async ({ method, path, params, query, body, headers }) => {
    const address = `${url}${pathWith(path, params)}${query === '' ? '' : `?${query}`}`;
    const sentHeaders: Record<string, string> = { ...headers, accept: 'application/json', authorization: token };
    if (body !== undefined) sentHeaders['content-type'] = 'application/json';
    const init = { method: method.toUpperCase(), headers: sentHeaders, redirect: 'manual' as const };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(address, { ...init, signal, ...(body !== undefined && { body }) });
      return { status: answer.status, text: await boundedBody(answer) };
    } catch (error) {
      throw error instanceof ToolError ? error : new ToolError(`No answer from the service: ${reasonOf(error)}.`);
    }
  };
}

/** A part that is a dot segment would lead to another path, also if it is encoded. */
function pathWith(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:([A-Za-z]+)/g, (_match, name: string) => {
    const value = params[name] ?? '';
    if (value === '' || value === '.' || value === '..')
      throw new ToolError('A name or an id is missing, or is not valid.');
    return encodeURIComponent(value);
  });
}

async function boundedBody(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX)
      throw new ToolError(`The answer of the service has more than ${ANSWER_BYTES_MAX} bytes. Request less.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
