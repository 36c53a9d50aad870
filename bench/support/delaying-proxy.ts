import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A network with a long way, between callers and a service on this machine: it passes every byte, and every end of a connection, on after a delay. It
 * counts the requests that arrive after the service has closed their connection: nobody answers them, and the caller finds its connection reset.
 */
export class DelayingProxy {
  readonly #port: number;
  readonly #delayMs: number;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Connections of callers. */
  connections = 0;
  /** Requests that met a closed connection. */
  lost = 0;

  /** `port` of the service; `delayMs` for each direction. */
  constructor(port: number, delayMs: number) {
    this.#port = port;
    this.#delayMs = delayMs;
  }

  /** Opens another address of the service, so that a client that has one pool for each address has one for this caller. */
  async url(): Promise<string> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => this.#serve(caller));
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async urls(count: number): Promise<string[]> {
    const urls: string[] = [];
    for (let index = 0; index < count; index++) urls.push(await this.url());
    return urls;
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #serve(caller: Socket): void {
    this.connections++;
    const service = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [caller, service]) {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    const later = (act: () => void) => setTimeout(act, this.#delayMs);
    let isClosed = false;
    let isAsking = false;
    const lose = () => {
      if (isAsking) this.lost++;
      isAsking = false;
      later(() => caller.resetAndDestroy());
    };
    caller.on('data', (bytes) => {
      later(() => {
        isAsking = true;
        if (isClosed) lose();
        else service.write(bytes);
      });
    });
    caller.on('end', () => later(() => service.end()));
    caller.on('error', () => service.destroy());
    caller.on('close', () => later(() => service.destroy()));
    service.on('data', (bytes) => {
      isAsking = false;
      later(() => caller.write(bytes));
    });
    service.on('end', () => {
      isClosed = true;
      later(() => caller.end());
    });
    service.on('error', lose);
    service.on('close', () => {
      isClosed = true;
      if (isAsking) lose();
    });
  }
}
