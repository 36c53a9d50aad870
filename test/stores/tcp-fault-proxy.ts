import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';

/** What the proxy does to a connection. */
type Fault =
  /** Bytes pass. */
  | 'none'
  /** Bytes are dropped in both directions; the connection stays open, as if a cable was pulled. */
  | 'black-hole'
  /** Bytes from the server are dropped: commands take effect, but the client gets no answer. */
  | 'deaf';

/**
 * One direction of a connection. As with TCP, bytes keep their order, also when the delay changes or a cut follows, and nothing arrives after
 * lost bytes: otherwise the client would take an answer for that of another command.
 */
class Way {
  #hasLost = false;
  readonly #waiting: { readonly dueMs: number; readonly pass: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  lose(): void {
    this.#hasLost = true;
  }

  pass(delayMs: number, pass: () => void): void {
    if (this.#hasLost) return;
    if (delayMs === 0 && this.#waiting.length === 0) {
      pass();
      return;
    }
    const dueMs = Math.max(performance.now() + delayMs, this.#waiting.at(-1)?.dueMs ?? 0);
    this.#waiting.push({ dueMs, pass });
    this.#timer ??= setTimeout(() => this.#passDue(), delayMs);
  }

  #passDue(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      if (next.dueMs > nowMs) {
        this.#timer = setTimeout(() => this.#passDue(), next.dueMs - nowMs);
        return;
      }
      this.#waiting.shift();
      next.pass();
    }
  }
}

interface Pair {
  readonly client: Socket;
  readonly toServer: Way;
  readonly toClient: Way;
  server: Socket;
  isSubscriber: boolean;
  fault: Fault;
  /** Bytes of the server that still pass before the connection is cut; infinite without a cut. */
  bytesUntilCut: number;
}

/** A TCP proxy in front of a server. A test can make it drop or delay bytes, and cut or refuse connections. */
export class TcpFaultProxy {
  #targetPort: number;
  /** The port for connections of subscribers; null for the same port as all others. */
  #hintsPort: number | null = null;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** For new connections. */
  fault: Fault = 'none';
  /** The delay of each chunk, in both directions. */
  delayMs = 0;
  /** New connections are refused. */
  isClosed = false;
  cuts = 0;
  /** The number of connections ever accepted. */
  accepted = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(targetPort: number): Promise<TcpFaultProxy> {
    const proxy = new TcpFaultProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** New connections lead to this server. Those of subscribers lead to `hintsPort` if it is set. */
  aim(port: number, hintsPort: number | null = null): void {
    this.#targetPort = port;
    this.#hintsPort = hintsPort;
  }

  /** Applies a fault to current and to new connections. */
  setFault(fault: Fault): void {
    this.fault = fault;
    for (const pair of this.#pairs) pair.fault = fault;
  }

  /** Applies a fault to current connections only. */
  strike(fault: Fault): void {
    for (const pair of this.#pairs) pair.fault = fault;
  }

  /** Cuts all connections at once. */
  cut(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  /** Cuts every connection after `bytes` more bytes from the server, in the middle of a reply. */
  cutMidReply(bytes: number): void {
    for (const pair of this.#pairs) pair.bytesUntilCut = bytes;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    if (this.isClosed) {
      client.destroy();
      return;
    }
    const server = connectSocket(this.#targetPort, '127.0.0.1');
    const bytesUntilCut = Number.POSITIVE_INFINITY;
    const ways = { toServer: new Way(), toClient: new Way() };
    const pair: Pair = { client, server, ...ways, isSubscriber: false, fault: this.fault, bytesUntilCut };
    this.#pairs.add(pair);
    this.accepted += 1;
    this.#attach(pair, client);
    this.#attach(pair, server);
    client.on('data', (chunk) => {
      if (this.#hintsPort !== null && !pair.isSubscriber && isSubscription(chunk)) this.#lead(pair, this.#hintsPort);
      if (pair.fault === 'black-hole') pair.toServer.lose();
      else pair.toServer.pass(this.delayMs, () => pair.server.write(chunk));
    });
    server.on('data', (chunk) => this.#fromServer(pair, chunk));
  }

  #attach(pair: Pair, socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      if (socket === pair.client || socket === pair.server) this.#cut(pair, false);
    });
  }

  /** From here on the client talks to another server. */
  #lead(pair: Pair, port: number): void {
    const before = pair.server;
    pair.isSubscriber = true;
    pair.server = connectSocket(port, '127.0.0.1');
    this.#attach(pair, pair.server);
    pair.server.on('data', (chunk) => this.#fromServer(pair, chunk));
    before.destroy();
  }

  #fromServer(pair: Pair, chunk: Buffer): void {
    if (pair.fault !== 'none') {
      pair.toClient.lose();
      return;
    }
    if (chunk.length < pair.bytesUntilCut) {
      pair.bytesUntilCut -= chunk.length;
      pair.toClient.pass(this.delayMs, () => pair.client.write(chunk));
      return;
    }
    const last = chunk.subarray(0, pair.bytesUntilCut);
    pair.bytesUntilCut = 0;
    pair.toClient.pass(this.delayMs, () => pair.client.write(last, () => this.#cut(pair)));
  }

  #cut(pair: Pair, isOurs = true): void {
    if (!this.#pairs.delete(pair)) return;
    if (isOurs) this.cuts += 1;
    pair.client.destroy();
    pair.server.destroy();
  }
}

function isSubscription(chunk: Buffer): boolean {
  return chunk.length < 1_024 && /^\*\d+\r\n\$9\r\nsubscribe\r\n/i.test(chunk.toString('latin1'));
}
