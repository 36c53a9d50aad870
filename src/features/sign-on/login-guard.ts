import { createHash } from 'node:crypto';
import { placeOf } from '../../base/caller-place.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { comparable } from '../../model/user.ts';
import { type Counters, newest, type Series } from '../../stores/counters.ts';
import { StoreError } from '../../stores/store.ts';
import type { CounterRecorder } from '../usage/counter-recorder.ts';
import { RecentAttempts, SPAN_MS, SPANS, type Spans, sumOf, waitOf } from './recent-attempts.ts';

/** Names that are kept for a span. Five of them cost a password that is worked on: a process works on fewer in that time. */
const NAMES_MAX = 20_000;

const NAME_LENGTH = 22;

/** Wrong passwords, by whom and whose: shared by all replicas, and by a process with the one that it replaces. */
export const WRONG_PASSWORDS: Series = {
  name: 'wrong-passwords',
  spanMs: SPAN_MS,
  bucketsMax: SPANS,
  namesMax: NAMES_MAX,
  nameBytesMax: NAMES_MAX * NAME_LENGTH,
};

/**
 * Wrong passwords in a quarter of an hour: from one address for one account, from one address whatever the account, and from how many on an account
 * counts as attacked. Nothing is counted against an account as a whole: else anybody could lock its owner out. From many addresses at once, an
 * attacked account gets fewer tries from each.
 */
export const LOGIN_LIMITS = { ofPair: 10, ofAddress: 100, attacked: 50, ofPairWhenAttacked: 3, resets: 10 } as const;

/** How old what is known of other replicas may be while people sign on. */
const SHARED_MS = 5_000;

/** A try at a password that was let through. Exactly one of its methods is called. */
interface Attempt {
  /**
   * As many passwords of this account were wrong from this address as may be, under another of its names: the password does not count as right, and
   * the answer has to be the same as to a wrong one. A refusal would show that both names are of one account.
   */
  readonly isSpent: boolean;
  /** The password was right, or was not looked at: the attempt does not count. */
  forget(): void;
  /** It was wrong. `userId`: of the user there is. */
  wrong(userId: number | undefined): void;
}

/**
 * Says who may try a password, or ask for something that takes none. An attempt counts from the moment on in which it is let through, so that a
 * thousand at once are as many as a thousand one after the other. What is kept is named by hashes: people type passwords where names belong.
 */
export class LoginGuard {
  readonly #counters: Counters;
  readonly #recorder: CounterRecorder;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Of this process. */
  readonly #logins: RecentAttempts;
  /** The same as the store holds it, of all processes. */
  #shared: Spans = new Map();
  #sharedAtMs = Number.NEGATIVE_INFINITY;
  #sharing: Promise<void> | undefined;
  /** Apart, and of this process alone: they cost nothing, so whoever sends many crowds out no login, and has nothing written to the store. */
  readonly #resets: RecentAttempts;
  /** Users → wrong passwords that are not written to them yet. */
  #wrongOfUsers = new Map<number, number>();

  constructor(counters: Counters, recorder: CounterRecorder, clock: Clock, logger: Logger) {
    this.#counters = counters;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#logger = logger;
    this.#logins = new RecentAttempts(clock, NAMES_MAX);
    this.#resets = new RecentAttempts(clock, NAMES_MAX);
  }

  /**
   * Whether somebody at the address may try a password, by the name that they gave. `userId`: of the account of this name, if there is one. Refuses the
   * same whether there is: only names that were given count for that.
   */
  async admit(given: string, address: string, userId: number | undefined): Promise<Attempt | Rejection> {
    const from = placeOf(address);
    const byName = pairOf(comparable(given), from);
    const byUser = pairOf(userId ?? comparable(given), from);
    const ofAddress = nameOf('address', from);
    await this.#share();
    if (this.#isSpent(byName) || this.#count(ofAddress) >= LOGIN_LIMITS.ofAddress)
      return this.#refusal([...this.#logins.spans, ...this.#shared], [byName.pair, ofAddress]);
    const isSpent = this.#isSpent(byUser);
    const names = new Set([...Object.values(byName), ...Object.values(byUser), ofAddress]);
    return { isSpent, ...this.#attempt([...names]) };
  }

  #isSpent({ pair, account }: Pair): boolean {
    const isAttacked = this.#count(account) >= LOGIN_LIMITS.attacked;
    return this.#count(pair) >= (isAttacked ? LOGIN_LIMITS.ofPairWhenAttacked : LOGIN_LIMITS.ofPair);
  }

  /** Why nobody at the address may ask for an account, or for a link with which to set a password, or undefined: then this one is counted. */
  refuseReset(address: string): Rejection | undefined {
    // Without a password that bounds them, whoever has many networks has many names: of IPv6, the larger one counts.
    const name = nameOf('reset', placeOf(address, 48));
    const { spans } = this.#resets;
    if (sumOf(spans, name, this.#clock) >= LOGIN_LIMITS.resets) return this.#refusal(spans, [name]);
    this.#resets.count(name);
    return undefined;
  }

  /** Wrong passwords since the last call, by user. */
  takeWrong(): ReadonlyMap<number, number> {
    const wrong = this.#wrongOfUsers;
    this.#wrongOfUsers = new Map();
    return wrong;
  }

  /** The user has signed on: earlier wrong passwords of theirs are nothing to tell of any more. */
  signedOn(userId: number): void {
    this.#wrongOfUsers.delete(userId);
  }

  #attempt(names: readonly string[]): Omit<Attempt, 'isSpent'> {
    const counted = names.map((name) => [name, this.#logins.count(name)] as const);
    return {
      forget: () => {
        for (const [name, startMs] of counted) this.#logins.forget(name, startMs);
      },
      wrong: (userId) => {
        for (const name of names) this.#recorder.count(WRONG_PASSWORDS, name);
        if (userId !== undefined) this.#wrongOfUsers.set(userId, (this.#wrongOfUsers.get(userId) ?? 0) + 1);
      },
    };
  }

  /** What is known here may not have reached the store, and what others know is only there. */
  #count(name: string): number {
    return Math.max(sumOf(this.#logins.spans, name, this.#clock), sumOf(this.#shared, name, this.#clock));
  }

  #refusal(spans: Parameters<typeof waitOf>[0], names: readonly string[]): Rejection {
    const waitS = waitOf(spans, names, this.#clock);
    return new Rejection('TooManyRequestsError', 'Too many attempts have failed. Try again later.', [], waitS);
  }

  /** Brings what other replicas have counted up to date, unless it was a moment ago. Goes on with what is known when the store is away. */
  #share(): Promise<void> {
    if (this.#clock.nowMs() - this.#sharedAtMs < SHARED_MS) return this.#sharing ?? Promise.resolve();
    this.#sharing ??= this.#read().finally(() => {
      this.#sharedAtMs = this.#clock.nowMs();
      this.#sharing = undefined;
    });
    return this.#sharing;
  }

  async #read(): Promise<void> {
    const shared = new Map<number, ReadonlyMap<string, number>>();
    try {
      const range = newest(WRONG_PASSWORDS, this.#clock.nowMs(), SPANS);
      for await (const bucket of this.#counters.read(range)) shared.set(bucket.startMs, bucket.counts);
      this.#shared = shared;
    } catch (error) {
      if (!(error instanceof StoreError)) this.#logger.error({ err: error }, 'wrong passwords could not be read');
    }
  }
}

/** What an account is counted by, a name of it or the user. */
interface Pair {
  readonly pair: string;
  readonly account: string;
}

function pairOf(account: string | number, from: string): Pair {
  return { pair: nameOf('pair', account, from), account: nameOf('account', account) };
}

function nameOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, NAME_LENGTH);
}
