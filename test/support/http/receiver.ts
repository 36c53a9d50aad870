import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request; undefined: 200 with the text `ok`. */
export type Answering = (received: Received, response: ServerResponse, number: number) => void;

/** A real HTTP server that records what it gets: the destination of an add-on. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Connections that were made so far. */
  readonly connections: number;
  answer: Answering;
  close(): Promise<void>;
}

export const ACCEPTS: Answering = (_received, response) => void response.end('ok');
export const refuses =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (_received, response) =>
    void response.writeHead(status, headers).end('no');

export async function startReceiver(
  answer: Answering = ACCEPTS,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces).toString('utf8') };
      received.push(one);
      receiver.answer(one, response, received.length);
    });
  });
  server.on('connection', () => void connections++);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const used = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}`,
    port: used,
    received,
    get connections() {
      return connections;
    },
    answer,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** The environment of a service whose add-ons may send to this machine. */
export const ADDON_ENV = {
  SECRETS_KEY: 'a-key-of-the-tests-with-enough-characters',
  ADDON_ALLOW_PRIVATE: '127.0.0.0/8',
} as const;

/** The body of a request that creates a webhook. */
export function webhookTo(url: string, rest: object = {}, parameters: object = {}) {
  return {
    provider: 'webhook',
    enabled: true,
    description: null,
    events: ['feature-created'],
    ...rest,
    parameters: { url, ...parameters },
  };
}
