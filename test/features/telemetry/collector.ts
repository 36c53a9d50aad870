import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Any = any;

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** A receiver of OTLP over HTTP. It accepts, refuses, or leaves requests without an answer. */
export class Collector {
  mode: 'accept' | 'refuse' | 'hang' = 'accept';
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.received.push({ path: request.url ?? '', headers: request.headers, bytes: Buffer.concat(chunks) });
        if (this.mode === 'hang') this.#hanging.add(response);
        else response.writeHead(this.mode === 'accept' ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The metrics of all requests, by name. A later value replaces an earlier one. */
  get metrics(): ReadonlyMap<string, Any> {
    const found = new Map<string, Any>();
    for (const document of this.#documents('/v1/metrics'))
      for (const { scopeMetrics } of document.resourceMetrics)
        for (const { metrics } of scopeMetrics) for (const metric of metrics) found.set(metric.name, metric);
    return found;
  }

  get spans(): readonly Any[] {
    return this.#documents('/v1/traces').flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }: Any) => scopeSpans.flatMap(({ spans }: Any) => spans)),
    );
  }

  #documents(path: string): Any[] {
    return this.received.filter((each) => each.path === path).map(({ bytes }) => JSON.parse(bytes.toString()));
  }

  async close(): Promise<void> {
    for (const response of this.#hanging) response.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The attributes of a span, a sample or a resource, as an object. */
export function attributesOf({ attributes }: { readonly attributes: readonly Any[] }): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The contents of the fields with this number in a message in the format of Protocol Buffers. */
export function fieldsOf(message: Buffer, wanted: number): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const wire = key & 7;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else {
      const length = varint();
      if (key >>> 3 === wanted) found.push(message.subarray(at, at + length));
      at += length;
    }
  }
  return found;
}
