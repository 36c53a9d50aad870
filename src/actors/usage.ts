import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import { markTokensSeen, type TokenUse } from '../commands/api-token.ts';
import type { ApiToken } from '../model/api-token.ts';
import { SYSTEM_USER_ID } from '../model/primitives.ts';
import type { Writer } from './writer.ts';

/** How often uses are gathered: so exact is `seenAt`. */
const GATHER_MS = 30_000;

/**
 * A token's `seenAt` is written again when the stored one is this old. A fleet polls all day: writing each of its tokens at every round
 * would fill the log with nothing else. What is not written yet is written at a stop; a crash forgets at most this much.
 */
const REWRITE_MS = 300_000;

/** Tokens a commit marks at most. Bounds how long the writer holds the loop. */
const TOKENS_PER_COMMIT = 256;

/** Where uses are noticed; the token view. */
export interface UsedTokens {
  /** What is stored of the secrets that were used since the last call. */
  takeSeen(): ReadonlySet<string>;
  token(secret: string): ApiToken | undefined;
}

/** Writes down when tokens were last used: lazily and in batches, never a commit a request, none when there were no requests. */
export class UsageRecorder {
  readonly #tokens: UsedTokens;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Uses that are not written yet: what is stored of the secret → RFC 3339. */
  readonly #pending = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(tokens: UsedTokens, writer: Writer, clock: Clock, logger: Logger) {
    this.#tokens = tokens;
    this.#writer = writer;
    this.#clock = clock;
    this.#logger = logger;
    this.#done = this.#run();
  }

  /** Writes the uses that are due; all of them when asked to. */
  async flush(which: 'due' | 'all' = 'due'): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const seenAt = isoTime(nowMs);
    for (const secret of this.#tokens.takeSeen()) this.#pending.set(secret, seenAt);
    const uses: TokenUse[] = [];
    for (const [secret, lastSeenAt] of this.#pending) {
      const token = this.#tokens.token(secret);
      if (!token) this.#pending.delete(secret);
      else if (which === 'all' || token.seenAt === null || nowMs - Date.parse(token.seenAt) >= REWRITE_MS)
        uses.push({ secret, seenAt: lastSeenAt });
    }
    for (let start = 0; start < uses.length; start += TOKENS_PER_COMMIT) {
      await this.#write(uses.slice(start, start + TOKENS_PER_COMMIT));
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.flush('all');
  }

  /** What cannot be written now stays pending and is tried again in the next round. */
  async #write(uses: readonly TokenUse[]): Promise<void> {
    try {
      const outcome = await this.#writer.submit(markTokensSeen, { uses }, { id: SYSTEM_USER_ID, name: 'burgee' });
      if (outcome instanceof Rejection) return;
      for (const { secret, seenAt } of uses) if (this.#pending.get(secret) === seenAt) this.#pending.delete(secret);
    } catch (error) {
      this.#logger.error({ err: error }, 'writing the last use of tokens failed');
    }
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#clock.sleep(GATHER_MS, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.flush();
    }
  }
}
