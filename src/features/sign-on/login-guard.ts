import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { networkOf } from '../../base/network/caller-network.ts';
import { Rejection } from '../../base/rejection.ts';
import { comparable } from '../../model/user.ts';
import { type Counters, newestBuckets, type Series } from '../../stores/counters.ts';
import { StoreError } from '../../stores/store.ts';
import type { CounterRecorder } from '../usage/counter-recorder.ts';
import { RecentAttempts, SPAN_MS, SPANS, type Spans, sumOf, waitOf } from './recent-attempts.ts';

/** Names that are kept per span. Five names cost one password check, and a process checks fewer passwords in that time. */
const NAMES_MAX = 20_000;

const NAME_LENGTH = 22;

/** Wrong passwords, by address and account. Shared by all replicas, and by a process with the process that replaces it. */
export const WRONG_PASSWORDS: Series = {
  name: 'wrong-passwords',
  spanMs: SPAN_MS,
  bucketsMax: SPANS,
  namesMax: NAMES_MAX,
  nameBytesMax: NAMES_MAX * NAME_LENGTH,
};

/**
 * Limits of wrong passwords in a quarter of an hour: from one address for one account, from one address for all accounts, and the number from which
 * an account counts as attacked. No limit locks an account as a whole, because an attacker could then lock its owner out. While an account is
 * attacked from many addresses, each address has fewer attempts.
 */
export const LOGIN_LIMITS = { ofPair: 10, ofAddress: 100, attacked: 50, ofPairWhenAttacked: 3, resets: 10 } as const;

/** The maximum age of the counts from other replicas. */
const SHARED_MS = 5_000;

/** An admitted attempt at a password. Call exactly one of its methods. */
interface Attempt {
  /**
   * Under another name of this account, this address has reached its limit of wrong passwords. The password does not count as correct, and the
   * response must be the same as for a wrong one. A rejection would show that both names belong to one account.
   */
  readonly isLimitReached: boolean;
  /** The password was correct, or was not checked: the attempt does not count. */
  forget(): void;
  /** The password was wrong. `userId`: the user, if one exists. */
  wrong(userId: number | undefined): void;
}

/**
 * Limits attempts at passwords, and requests that need no password. An attempt counts from the moment it is admitted, so that a thousand concurrent
 * attempts count like a thousand sequential ones. Names are kept as hashes, because users sometimes type a password into the name field.
 */
export class LoginGuard {
  readonly #counters: Counters;
  readonly #recorder: CounterRecorder;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The attempts at this process. */
  readonly #logins: RecentAttempts;
  /** The wrong passwords of all processes, as the store has them. */
  #shared: Spans = new Map();
  #sharedAtMs = Number.NEGATIVE_INFINITY;
  #sharing: Promise<void> | undefined;
  /** Separate and only of this process: resets are cheap, and a flood of them must not displace login counts or cause writes to the store. */
  readonly #resets: RecentAttempts;
  /** User id → number of wrong passwords that is not written to the user yet. */
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
   * Admits or rejects an attempt at a password from the address, with the name that the client sent. `userId`: the account with this name, if one
   * exists. Only the sent name decides on a rejection, so that it does not show whether the account exists.
   */
  async admit(sentName: string, address: string, userId: number | undefined): Promise<Attempt | Rejection> {
    const from = networkOf(address);
    const byName = pairOf(comparable(sentName), from);
    const byUser = pairOf(userId ?? comparable(sentName), from);
    const ofAddress = nameOf('address', from);
    await this.#share();
    if (this.#isOverLimit(byName) || this.#count(ofAddress) >= LOGIN_LIMITS.ofAddress)
      return this.#refusal([...this.#logins.spans, ...this.#shared], [byName.pair, ofAddress]);
    const isLimitReached = this.#isOverLimit(byUser);
    const names = new Set([...Object.values(byName), ...Object.values(byUser), ofAddress]);
    return { isLimitReached, ...this.#attempt([...names]) };
  }

  #isOverLimit({ pair, account }: Pair): boolean {
    const isAttacked = this.#count(account) >= LOGIN_LIMITS.attacked;
    return this.#count(pair) >= (isAttacked ? LOGIN_LIMITS.ofPairWhenAttacked : LOGIN_LIMITS.ofPair);
  }

  /** A rejection if the address has requested too many accounts or password links. Otherwise counts the request and returns undefined. */
  refuseReset(address: string): Rejection | undefined {
    // These requests cost no password check, so a client with many IPv6 networks could use many names. Therefore the larger network is counted.
    const name = nameOf('reset', networkOf(address, 48));
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

  /** The user has signed on: their earlier wrong passwords are not written any more. */
  signedOn(userId: number): void {
    this.#wrongOfUsers.delete(userId);
  }

  #attempt(names: readonly string[]): Omit<Attempt, 'isLimitReached'> {
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

  /** The larger of both counts: local counts may not have reached the store yet, and only the store has the counts of other replicas. */
  #count(name: string): number {
    return Math.max(sumOf(this.#logins.spans, name, this.#clock), sumOf(this.#shared, name, this.#clock));
  }

  #refusal(spans: Parameters<typeof waitOf>[0], names: readonly string[]): Rejection {
    const waitS = waitOf(spans, names, this.#clock);
    return new Rejection('TooManyRequestsError', 'Too many attempts have failed. Try again later.', [], waitS);
  }

  /** Reads the counts of other replicas, unless they were read recently. Keeps the known counts if the store is unavailable. */
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
      const range = newestBuckets(WRONG_PASSWORDS, this.#clock.nowMs(), SPANS);
      for await (const bucket of this.#counters.read(range)) shared.set(bucket.startMs, bucket.counts);
      this.#shared = shared;
    } catch (error) {
      if (!(error instanceof StoreError))
        this.#logger.error(
          { err: error },
          'the counts of wrong passwords could not be read from the store: only the attempts at this process are limited',
        );
    }
  }
}

/** The counter names of an account, from a name of it or from the user id. */
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
