import { setTimeout as sleep } from 'node:timers/promises';
import { headerOf } from '../support/answer-parser.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { LIST_PATH, switchRequest } from '../support/paths.ts';
import { SeededRandom } from '../support/random.ts';
import { CLIENT_TOKEN } from '../support/service.ts';

/** Maximum time until a change is visible: by then, even the poll of the log has brought it. */
const SEEN_TIMEOUT_MS = 5_000;
/** Maximum number of polls between two writes. The number is random, so that the times of writes do not depend on those of polls. */
const POLLS_BETWEEN_MAX = 12;

/** Polls one replica for its list, with the ETag it has, and writes on another. */
export class Watcher {
  readonly #writer: Connection;
  readonly #poller: Connection;
  readonly #writerTarget: ReturnType<typeof targetOf>;
  readonly #pollerTarget: ReturnType<typeof targetOf>;
  readonly #random = new SeededRandom(5);
  readonly #flag: string;
  #etag = '';
  #isOn = false;

  constructor(writerUrl: string, pollerUrl: string, flag: string) {
    this.#writerTarget = targetOf(writerUrl);
    this.#pollerTarget = targetOf(pollerUrl);
    this.#writer = new Connection(this.#writerTarget);
    this.#poller = new Connection(this.#pollerTarget);
    this.#flag = flag;
  }

  /** Milliseconds from sending a write to one replica until the other has answered with a list that holds it. */
  async time(): Promise<number> {
    for (let left = this.#random.integer(POLLS_BETWEEN_MAX); left >= 0; left--) await this.#poll();
    await sleep(this.#random.next() * 3);
    this.#isOn = !this.#isOn;
    const startedMs = performance.now();
    const written = this.#writer.ask(switchRequest(this.#writerTarget, this.#flag, this.#isOn ? 'on' : 'off'));
    written.catch(() => {});
    while (!(await this.#poll())) {
      if (performance.now() - startedMs > SEEN_TIMEOUT_MS) throw new Error('a write is not seen on the other replica');
    }
    const tookMs = performance.now() - startedMs;
    const { status } = await written;
    if (status !== 200) throw new Error(`a write was answered ${status}`);
    return tookMs;
  }

  close(): void {
    this.#writer.close();
    this.#poller.close();
  }

  /** Whether the list differs from that of the last poll. */
  async #poll(): Promise<boolean> {
    const answer = await this.#poller.ask(this.#request());
    if (answer.status === 304) return false;
    if (answer.status !== 200) throw new Error(`a poll was answered ${answer.status}`);
    this.#etag = headerOf(answer.head, 'etag') ?? '';
    return true;
  }

  #request(): Buffer {
    return requestBytes('GET', this.#pollerTarget, LIST_PATH, {
      authorization: CLIENT_TOKEN,
      'unleash-client-spec': '5.2.0',
      'accept-encoding': 'gzip',
      ...(this.#etag !== '' && { 'if-none-match': this.#etag }),
    });
  }
}
