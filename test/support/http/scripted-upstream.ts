import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ScriptedList {
  readonly features: readonly object[];
  readonly segments?: readonly object[];
  readonly etag?: string;
}

/**
 * An upstream that a test controls for each token: it answers requests with the test's lists, and sends events of streams when the test calls `tell`. All
 * tokens are valid except those in `unknown`.
 */
export class ScriptedUpstream {
  readonly #server: Server;
  readonly lists = new Map<string, ScriptedList>();
  readonly #streams = new Map<string, ServerResponse>();
  /** How often each token asked for its list. */
  readonly asked = new Map<string, number>();
  /** Invalid tokens. */
  readonly unknown = new Set<string>();
  /** The status that answers requests for a stream; 200 begins one. */
  streamStatus = 200;
  /** The events that each stream begins with. */
  firstEvents: readonly object[] = [];
  /** Number of streams that each token has begun. */
  readonly begun = new Map<string, number>();
  /** Bodies of bulk reports that it accepted. */
  readonly reports: string[] = [];
  /** Larger reports are answered 413. */
  reportBytesMax = Number.POSITIVE_INFINITY;
  /** Lists are made when they are requested, and sent when this resolves. */
  sending: Promise<void> = Promise.resolve();

  private constructor() {
    this.#server = createServer((request, response) => {
      const { url = '', headers } = request;
      const token = headers.authorization ?? '';
      if (url.startsWith('/api/client/features')) this.#list(token, response);
      else if (url.startsWith('/api/client/streaming')) this.#stream(token, response);
      else {
        let body = '';
        request.setEncoding('utf8').on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => this.#take(url, body, response));
      }
    });
  }

  static async start(lists: Readonly<Record<string, ScriptedList>>): Promise<ScriptedUpstream> {
    const upstream = new ScriptedUpstream();
    for (const [token, list] of Object.entries(lists)) upstream.lists.set(token, list);
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether the token's stream is open. */
  isOpen(token: string): boolean {
    return this.#streams.has(token);
  }

  tell(token: string, events: readonly object[], event = 'unleash-updated'): void {
    this.#streams.get(token)?.write(`event: ${event}\ndata: ${JSON.stringify({ events })}\n\n`);
  }

  /** Sends a comment, which only keeps the stream alive. */
  comment(token: string): void {
    this.#streams.get(token)?.write(': alive\n\n');
  }

  /** Sends a whole list, as the first event of a stream does. */
  hydrate(token: string, { features, segments = [] }: ScriptedList, eventId = 1): void {
    this.tell(token, [{ type: 'hydration', eventId, features, segments }], 'unleash-connected');
  }

  /** Cuts the token's connection in the middle of its stream. */
  cut(token: string): void {
    this.#streams.get(token)?.destroy();
    this.#streams.delete(token);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #list(token: string, response: ServerResponse): void {
    this.asked.set(token, (this.asked.get(token) ?? 0) + 1);
    const { features = [], segments = [], etag } = this.lists.get(token) ?? {};
    if (etag) response.setHeader('etag', etag);
    const body = JSON.stringify({ version: 2, features, segments });
    void this.sending.then(() => response.end(body));
  }

  #stream(token: string, response: ServerResponse): void {
    if (this.streamStatus !== 200) return void response.writeHead(this.streamStatus).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': begun\n\n');
    this.begun.set(token, (this.begun.get(token) ?? 0) + 1);
    this.#streams.set(token, response);
    if (this.firstEvents.length > 0) this.tell(token, this.firstEvents, 'unleash-connected');
    response.on('close', () => {
      if (this.#streams.get(token) === response) this.#streams.delete(token);
    });
  }

  #take(url: string, body: string, response: ServerResponse): void {
    if (url.startsWith('/edge/validate')) {
      const { tokens: asked } = JSON.parse(body) as { tokens: string[] };
      const known = asked.filter((token) => !this.unknown.has(token));
      const tokens = known.map((token) => ({ token, type: 'client' }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ tokens }));
    } else if (Buffer.byteLength(body) > this.reportBytesMax) response.writeHead(413).end();
    else {
      if (url.startsWith('/api/client/metrics/bulk')) this.reports.push(body);
      response.writeHead(202).end();
    }
  }
}
