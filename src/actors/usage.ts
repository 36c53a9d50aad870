import { type Clock, isoTime } from '../base/clock.ts';
import { markTokensSeen } from '../commands/api-token.ts';
import { SYSTEM_USER_ID } from '../model/primitives.ts';
import type { TokenView } from '../views/token-view.ts';
import type { Writer } from './writer.ts';

const INTERVAL_MS = 30_000;

/** Writes down when tokens were last used: one commit an interval, however many requests there were, none when there were none. */
export class UsageRecorder {
  readonly #tokens: TokenView;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(tokens: TokenView, writer: Writer, clock: Clock) {
    this.#tokens = tokens;
    this.#writer = writer;
    this.#clock = clock;
    this.#done = this.#run();
  }

  async flush(): Promise<void> {
    const secrets = [...this.#tokens.takeSeen()];
    if (secrets.length === 0) return;
    const input = { secrets, seenAt: isoTime(this.#clock.nowMs()) };
    await this.#writer.submit(markTokensSeen, input, { id: SYSTEM_USER_ID, name: 'burgee' });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.flush();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#clock.sleep(INTERVAL_MS, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.flush();
    }
  }
}
