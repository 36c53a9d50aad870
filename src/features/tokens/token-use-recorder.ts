import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import type { ApiToken } from '../../model/api-token.ts';
import type { PersonalToken } from '../../model/personal-token.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { TokenUse } from '../../model/token-use.ts';
import { markUsersSeen } from '../people/personal-tokens/commands.ts';
import { markTokensSeen } from './commands.ts';

/** Milliseconds between two collections of uses. It is also the precision of `seenAt`. */
const COLLECT_MS = 30_000;

/**
 * A token's `seenAt` is written again only if the stored value is at least this old, in milliseconds. SDKs poll all day: if every collection wrote
 * every token, the log would contain little else. Pending uses are written when the service stops. A crash loses at most the uses of this period.
 */
const REWRITE_MS = 300_000;

/** Maximum number of tokens in a commit. It bounds the time for which the writer blocks the event loop. */
const TOKENS_PER_COMMIT = 256;

/** Provides the uses of API tokens: the token view. */
interface TokenUseProvider {
  /** The stored forms of the secrets that were used since the last call. */
  takeUsedSecrets(): ReadonlySet<string>;
  token(secret: string): ApiToken | undefined;
}

/** Provides the uses of personal tokens, and the wrong passwords: the view of users' credentials, and the login guard. */
interface UserUseProvider {
  /** The stored forms of the personal tokens that were used since the last call. */
  takeUsedSecrets(): ReadonlySet<string>;
  token(secret: string): PersonalToken | undefined;
  /** Id of the user → number of wrong passwords since the last call. */
  takeWrong(): ReadonlyMap<number, number>;
}

const NO_USER_USES: UserUseProvider = {
  takeUsedSecrets: () => new Set(),
  token: () => undefined,
  takeWrong: () => new Map(),
};

/**
 * Stores when tokens were last used, and the number of wrong passwords of each user. It collects both and writes them in batches, so that there is
 * not one commit for each request. It writes nothing if no token was used and no wrong password was entered.
 */
export class TokenUseRecorder {
  readonly #tokens: TokenUseProvider;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Uses that are not written yet: stored form of the secret → time of the last use (RFC 3339). */
  readonly #pending = new Map<string, string>();
  readonly #users: UserUseProvider;
  /** Uses of personal tokens that are not written yet, in the same form. */
  readonly #pendingOfUsers = new Map<string, string>();
  /** Id of the user → number of wrong passwords that are not written yet. */
  readonly #wrongPasswords = new Map<number, number>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(
    tokens: TokenUseProvider,
    writer: Writer,
    clock: Clock,
    logger: Logger,
    users: UserUseProvider = NO_USER_USES,
  ) {
    this.#tokens = tokens;
    this.#users = users;
    this.#writer = writer;
    this.#clock = clock;
    this.#logger = logger;
    this.#done = this.#run();
  }

  /** Writes the uses that are due, or all uses. */
  async flush(which: 'due' | 'all' = 'due'): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const isDue = (seenAt: string | null) =>
      which === 'all' || seenAt === null || nowMs - Date.parse(seenAt) >= REWRITE_MS;
    const uses = collect(this.#tokens, this.#pending, isoTime(nowMs), isDue);
    for (const batch of batchesOf(uses)) await this.#write(batch);
    const usesOfUsers = collect(this.#users, this.#pendingOfUsers, isoTime(nowMs), isDue);
    for (const [userId, count] of this.#users.takeWrong())
      this.#wrongPasswords.set(userId, (this.#wrongPasswords.get(userId) ?? 0) + count);
    for (const batch of batchesOf(usesOfUsers)) await this.#writeUsers(batch, []);
    for (const batch of batchesOf([...this.#wrongPasswords])) await this.#writeUsers([], batch);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.flush('all');
  }

  /** Writes these uses. If the write fails, the uses stay pending and are retried with the next collection. */
  async #write(uses: readonly TokenUse[]): Promise<void> {
    try {
      const outcome = await this.#writer.submit(markTokensSeen, { uses }, { id: SYSTEM_USER_ID, name: 'burgee' });
      if (outcome instanceof Rejection) return;
      for (const { secret, seenAt } of uses) if (this.#pending.get(secret) === seenAt) this.#pending.delete(secret);
    } catch (error) {
      this.#logger.error(
        { err: error },
        'writing when API tokens were last used failed; it is tried again after the next collection',
      );
    }
  }

  /** Writes uses of personal tokens and counts of wrong passwords. If the write fails, both stay pending and are retried with the next collection. */
  async #writeUsers(uses: readonly TokenUse[], wrong: readonly (readonly [number, number])[]): Promise<void> {
    const input = { uses, wrong: wrong.map(([userId, count]) => ({ userId, count })) };
    try {
      const outcome = await this.#writer.submit(markUsersSeen, input, { id: SYSTEM_USER_ID, name: 'burgee' });
      if (outcome instanceof Rejection) return;
    } catch (error) {
      this.#logger.error(
        { err: error },
        'writing when personal tokens were last used failed; it is tried again after the next collection',
      );
      return;
    }
    for (const { secret, seenAt } of uses)
      if (this.#pendingOfUsers.get(secret) === seenAt) this.#pendingOfUsers.delete(secret);
    for (const [userId] of wrong) this.#wrongPasswords.delete(userId);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#clock.sleep(COLLECT_MS, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.flush();
    }
  }
}

/** Collects new uses and returns the pending uses that are due. Uses of deleted tokens are dropped. */
function collect(
  source: {
    takeUsedSecrets(): ReadonlySet<string>;
    token(secret: string): { readonly seenAt: string | null } | undefined;
  },
  pending: Map<string, string>,
  seenAt: string,
  isDue: (writtenSeenAt: string | null) => boolean,
): TokenUse[] {
  for (const secret of source.takeUsedSecrets()) pending.set(secret, seenAt);
  const uses: TokenUse[] = [];
  for (const [secret, lastSeenAt] of pending) {
    const token = source.token(secret);
    if (!token) pending.delete(secret);
    else if (isDue(token.seenAt)) uses.push({ secret, seenAt: lastSeenAt });
  }
  return uses;
}

function* batchesOf<T>(all: readonly T[]): Iterable<T[]> {
  for (let start = 0; start < all.length; start += TOKENS_PER_COMMIT) yield all.slice(start, start + TOKENS_PER_COMMIT);
}
