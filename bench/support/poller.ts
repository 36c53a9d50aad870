import { headerOf } from './answer-parser.ts';
import { Connection, requestBytes, targetOf } from './connection.ts';
import { LIST_PATH } from './paths.ts';
import { percentile } from './report.ts';
import { CLIENT_TOKEN } from './service.ts';

interface PollOptions {
  readonly url: string;
  readonly connections: number;
  readonly pollsPerS: number;
  /** Whether polls send the ETag they have, as SDKs do; otherwise every poll asks for the whole list. */
  readonly tellEtag: boolean;
}

export interface PollResult {
  readonly polls: number;
  readonly notModified: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Client {
  readonly connection: Connection;
  etag: string;
  request: Buffer;
}

/**
 * Polls at a fixed rate while `work` runs. `work` starts when every client is connected and has the list. The rate does not depend on the answers: a slow
 * server gets as many polls. A poll that finds no free connection waits, and its wait counts as latency.
 */
export async function pollDuring(work: () => Promise<unknown>, options: PollOptions): Promise<PollResult> {
  const poller = new Poller(options);
  try {
    await poller.warmUp();
    const timer = setInterval(() => poller.sendDue(), 1);
    try {
      await Promise.race([work(), poller.failed]);
    } finally {
      clearInterval(timer);
    }
    return poller.result();
  } finally {
    poller.close();
  }
}

class Poller {
  readonly #options: PollOptions;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #clients: Client[];
  readonly #idle: Client[];
  /** When polls that wait for a connection were due. */
  readonly #waiting: number[] = [];
  readonly #latencies: number[] = [];
  #startedMs = 0;
  #sent = 0;
  #notModified = 0;
  #fail: (error: Error) => void = () => {};
  readonly failed: Promise<never>;

  constructor(options: PollOptions) {
    this.#options = options;
    this.#target = targetOf(options.url);
    this.#clients = Array.from({ length: options.connections }, () => ({
      connection: new Connection(this.#target),
      etag: '',
      request: this.#request(''),
    }));
    this.#idle = [...this.#clients];
    this.failed = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => {});
  }

  /** Connects every client and gets its first list. */
  async warmUp(): Promise<void> {
    await Promise.all(this.#clients.map((client) => this.#poll(client, performance.now())));
    this.#latencies.length = 0;
    this.#notModified = 0;
    this.#startedMs = performance.now();
  }

  sendDue(): void {
    const nowMs = performance.now();
    const due = Math.floor(((nowMs - this.#startedMs) / 1000) * this.#options.pollsPerS);
    for (; this.#sent < due; this.#sent++) {
      // The client that was idle longest, so that all clients poll equally often.
      const client = this.#idle.shift();
      if (client) this.#send(client, nowMs);
      else this.#waiting.push(nowMs);
    }
  }

  result(): PollResult {
    return {
      polls: this.#latencies.length,
      notModified: this.#notModified,
      p50Ms: percentile(this.#latencies, 0.5),
      p99Ms: percentile(this.#latencies, 0.99),
    };
  }

  close(): void {
    this.#fail = () => {};
    for (const { connection } of this.#clients) connection.close();
  }

  #send(client: Client, startedMs: number): void {
    this.#poll(client, startedMs).then(
      () => {
        const due = this.#waiting.shift();
        if (due === undefined) this.#idle.push(client);
        else this.#send(client, due);
      },
      (error) => this.#fail(error),
    );
  }

  async #poll(client: Client, startedMs: number): Promise<void> {
    const answer = await client.connection.ask(client.request);
    this.#latencies.push(performance.now() - startedMs);
    if (answer.status === 304) {
      this.#notModified++;
      return;
    }
    if (answer.status !== 200) throw new Error(`a poll was answered ${answer.status}`);
    if (!this.#options.tellEtag) return;
    const etag = headerOf(answer.head, 'etag') ?? '';
    if (etag !== client.etag) client.request = this.#request(etag);
    client.etag = etag;
  }

  #request(etag: string): Buffer {
    return requestBytes('GET', this.#target, LIST_PATH, {
      authorization: CLIENT_TOKEN,
      'unleash-client-spec': '5.2.0',
      'accept-encoding': 'gzip',
      ...(etag !== '' && { 'if-none-match': etag }),
    });
  }
}
