import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { checkDocumented } from '../checks/documented-answers.ts';

export interface PlainRequest {
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for a stream of events, which has no end: it is closed. */
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });
const decoder = new TextDecoder();

/**
 * A request by Node's client: it costs a quarter of `fetch`, and asks for no compression. It follows no redirect. A request that meets a connection which
 * the server has just closed, unused, is sent again. The answer is checked against the OpenAPI document.
 */
export async function plainRequest(url: string, asked: PlainRequest = {}): Promise<PlainAnswer> {
  const answer = await answerTo(url, asked);
  const headers = new Headers();
  for (let index = 0; index < answer.rawHeaders.length; index += 2) {
    headers.append(answer.rawHeaders[index] as string, answer.rawHeaders[index + 1] as string);
  }
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  if (isStream) answer.destroy();
  const plain = { status: answer.statusCode as number, headers, text: isStream ? '' : await textOf(answer) };
  await checkDocumented(asked.method ?? 'GET', url, plain);
  return plain;
}

/** As `text` of node:stream/consumers, at half of its cost: every request of most tests comes here. */
function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => resolve(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))));
    answer.on('error', reject);
  });
}

function answerTo(url: string, asked: PlainRequest): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body } = asked;
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent }, resolve).on('error', (error) => {
      const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (isStale) answerTo(url, asked).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}
