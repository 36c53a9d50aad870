import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';

/** What a connection through the proxy suffers. */
type Fault =
  /** Bytes pass. */
  | 'none'
  /** Bytes are swallowed on both ways; the connection stays open, as over a cable that was pulled. */
  | 'black-hole'
  /** What the server says is swallowed: commands have their effect, and nobody hears. */
  | 'deaf';

/**
 * One way of a connection. As with TCP, bytes keep their order, also when the delay changes or a cut follows, and nothing arrives behind bytes that were
 * lost: else an answer would be taken for another one's.
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

/** A TCP proxy before a server that drops, delays, swallows and cuts, when a test says so. */
export class TcpFaultProxy {
  #targetPort: number;
  /** Where subscribers' connections lead; as all others without it. */
  #hintsPort: number | null = null;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** For connections to come. */
  fault: Fault = 'none';
  /** Each chunk, either way, is held for as long. */
  delayMs = 0;
  /** New connections are refused. */
  isClosed = false;
  cuts = 0;
  /** Connections there ever were. */
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

  /** Connections to come lead to that server, those of subscribers to another one, if it is given. */
  aim(port: number, hintsPort: number | null = null): void {
    this.#targetPort = port;
    this.#hintsPort = hintsPort;
  }

  /** Applies a fault to the connections of now, and to those to come. */
  setFault(fault: Fault): void {
    this.fault = fault;
    for (const pair of this.#pairs) pair.fault = fault;
  }

  /** Applies a fault to the connections of now only. */
  strike(fault: Fault): void {
    for (const pair of this.#pairs) pair.fault = fault;
  }

  /** Cuts all connections at once. */
  cut(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  /** Cuts every connection in the middle of what the server says next: after `bytes` more bytes. */
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
