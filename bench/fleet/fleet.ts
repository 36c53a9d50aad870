import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { headerOf, type RawAnswer } from '../support/answer-parser.ts';
import { Connection, requestBytes, type Target } from '../support/connection.ts';
import { Propagation } from './propagation.ts';

interface FleetShape {
  readonly target: Target;
  readonly basePath: string;
  readonly token: string;
  readonly clients: number;
  readonly intervalMs: number;
  readonly jitter: number;
  readonly encoding: 'gzip' | 'identity';
}

/** Counts since the last reset. */
interface Counts {
  readonly requests: number;
  readonly notModified: number;
  readonly errors: number;
  readonly wireBytes: number;
}

interface Client {
  readonly index: number;
  readonly connection: Connection;
  request: Buffer;
  etag: string;
  dueMs: number;
}

const LATENCY_UNIT_MS = 0.001;

/** SDKs that poll, each at its own times on its own connection. All of them run in this process. */
export class Fleet {
  readonly #shape: FleetShape;
  readonly #clients: Client[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly propagation: Propagation;
  readonly latencies: RecordableHistogram = createHistogram();
  #counts = { requests: 0, notModified: 0, errors: 0, wireBytes: 0 };
  #lastError = '';
  #ended = false;
  /** Number of clients that have a list. */
  equipped = 0;
  readonly #refuse: (error: Error) => void;
  /** Rejects if the instance refuses the token. Without this, the fleet would measure refusals. */
  readonly refused: Promise<never>;

  constructor(shape: FleetShape) {
    this.#shape = shape;
    this.propagation = new Propagation(shape.clients);
    let refuse: (error: Error) => void = () => {};
    this.refused = new Promise((_resolve, reject) => {
      refuse = reject;
    });
    this.refused.catch(() => {});
    this.#refuse = refuse;
    this.#clients = Array.from({ length: shape.clients }, (_, index) => ({
      index,
      connection: new Connection(shape.target),
      request: this.#request(index, ''),
      etag: '',
      dueMs: 0,
    }));
  }

  get counts(): Counts {
    return this.#counts;
  }

  get lastError(): string {
    return this.#lastError;
  }

  /** Number of connections opened so far: the first one of each client, and every reconnection. */
  get connects(): number {
    return this.#clients.reduce((sum, { connection }) => sum + connection.connects, 0);
  }

  /** Begins polling, spread evenly over one interval. */
  start(): void {
    const nowMs = performance.now();
    for (const client of this.#clients)
      this.#schedule(client, nowMs + (client.index / this.#clients.length) * this.#shape.intervalMs);
  }

  /** Resets all counts. */
  resetCounts(): void {
    this.#counts = { requests: 0, notModified: 0, errors: 0, wireBytes: 0 };
    this.latencies.reset();
  }

  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { connection } of this.#clients) connection.close();
  }

  #schedule(client: Client, dueMs: number): void {
    client.dueMs = dueMs;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#poll(client);
      },
      Math.max(0, dueMs - performance.now()),
    );
    this.#timers.add(timer);
  }

  async #poll(client: Client): Promise<void> {
    const startedMs = performance.now();
    try {
      const answer = await client.connection.ask(client.request);
      if (this.#ended) return;
      const nowMs = performance.now();
      this.latencies.record(Math.max(1, Math.round((nowMs - startedMs) / LATENCY_UNIT_MS)));
      this.#counts.requests++;
      this.#counts.wireBytes += answer.wireBytes;
      this.#take(client, answer, nowMs);
    } catch (error) {
      if (this.#ended) return;
      this.#counts.errors++;
      this.#lastError = error instanceof Error ? error.message : String(error);
    }
    const { intervalMs, jitter } = this.#shape;
    // A poll that took longer than its interval is followed by one poll at once, not by all missed polls.
    const nextMs = client.dueMs + intervalMs * (1 + jitter * (2 * Math.random() - 1));
    this.#schedule(client, Math.max(nextMs, performance.now()));
  }

  #take(client: Client, { status, head }: RawAnswer, nowMs: number): void {
    if (status === 304) this.#counts.notModified++;
    else if (status === 401 || status === 403)
      this.#refuse(new Error(`the instance refuses the token: it answered ${status}`));
    else if (status !== 200) {
      this.#counts.errors++;
      this.#lastError = `a poll was answered ${status}`;
      return;
    } else {
      if (client.etag === '') this.equipped++;
      client.etag = headerOf(head, 'etag') ?? 'none';
      client.request = this.#request(client.index, client.etag);
    }
    this.propagation.saw(client.index, revisionOf(client.etag), nowMs);
  }

  #request(index: number, etag: string): Buffer {
    const { target, basePath, token, encoding, intervalMs } = this.#shape;
    return requestBytes('GET', target, `${basePath}/api/client/features`, {
      authorization: token,
      'unleash-appname': 'burgee-fleet',
      'unleash-instanceid': `fleet-${index}`,
      'unleash-client-spec': '5.2.0',
      'unleash-interval': String(Math.round(intervalMs)),
      'accept-encoding': encoding,
      ...(etag !== '' && { 'if-none-match': etag }),
    });
  }
}

/** The revision in an ETag that Burgee sent (`W/"hash:revision"`); -1 for any other ETag. */
function revisionOf(etag: string): number {
  const revision = /:(\d+)"$/.exec(etag)?.[1];
  return revision === undefined ? -1 : Number(revision);
}
