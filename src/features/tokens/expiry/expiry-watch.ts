import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Writer } from '../../../engine/writer.ts';
import type { ApiToken } from '../../../model/api-token.ts';
import { SYSTEM_USER_ID } from '../../../model/primitives.ts';
import type { State } from '../../../state/state.ts';
import { Marker } from '../../shared/marker.ts';
import { WARNINGS_PER_COMMIT, warnOfTokenExpiry } from './commands.ts';
import { dueDays, WARNING_DAYS, warningDays } from './expiry.ts';

const FIRST_SEARCH_MS = 10_000;
const EVERY_MS = 3_600_000;
/** Time between two lines in the log about tokens that expire soon. */
const LOG_EVERY_MS = 86_400_000;
/** Maximum number of tokens in one line of the log. */
const LOGGED_MAX = 20;
/** Maximum number of expiring tokens that are remembered, for metrics and lists. */
const FOUND_MAX = 10_000;

interface ExpiryParts {
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Warns of used tokens that expire soon: in the audit log, from where integrations send it, in the log, in metrics and in the console. */
export class ExpiryWatch {
  readonly #parts: ExpiryParts;
  readonly #marker: Marker;
  /** Stored forms of the secrets that the last search found. */
  #found: readonly string[] = [];
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ExpiryParts) {
    const { clock, logger, writer } = parts;
    this.#parts = parts;
    this.#marker = new Marker({
      clock,
      logger,
      what: 'tokens that expire soon',
      firstMs: FIRST_SEARCH_MS,
      everyMs: EVERY_MS,
      marksPerCommit: WARNINGS_PER_COMMIT,
      find: (nowMs) => this.#find(nowMs),
      mark: (secrets) => writer.submit(warnOfTokenExpiry, { secrets }, { id: SYSTEM_USER_ID, name: 'burgee' }),
    });
  }

  start(): void {
    this.#marker.start();
  }

  close(): Promise<void> {
    return this.#marker.close();
  }

  /** Searches now, and records what is due. */
  search(): Promise<void> {
    return this.#marker.search();
  }

  /** The tokens that the last search found, as they are now, without those that no longer expire soon. */
  *tokens(): Iterable<{ readonly token: ApiToken; readonly days: number }> {
    const { state, clock } = this.#parts;
    const nowMs = clock.nowMs();
    for (const secret of this.#found) {
      const token = state.get('apiTokens', secret);
      const days = token && warningDays(token, nowMs);
      if (token && days !== undefined) yield { token, days };
    }
  }

  /** The number of these tokens, by warning days. A token that expires within one day also expires within seven. */
  counts(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>(WARNING_DAYS.map((days) => [days, 0]));
    for (const { days } of this.tokens())
      for (const within of WARNING_DAYS) if (days <= within) counts.set(within, (counts.get(within) ?? 0) + 1);
    return counts;
  }

  /** Environment → when the first of these tokens expires, as a Unix time in seconds. */
  firstExpiries(): ReadonlyMap<string, number> {
    const first = new Map<string, number>();
    for (const { token } of this.tokens()) {
      const seconds = Date.parse(token.expiresAt ?? '') / 1_000;
      first.set(token.environment, Math.min(seconds, first.get(token.environment) ?? seconds));
    }
    return first;
  }

  /** Remembers the tokens that expire soon, then yields those whose event is not recorded yet. */
  *#find(nowMs: number): Iterable<string | undefined> {
    const { state } = this.#parts;
    const found: string[] = [];
    for (const token of state.values('apiTokens')) {
      if (found.length < FOUND_MAX && warningDays(token, nowMs) !== undefined) found.push(token.secret);
      yield undefined;
    }
    this.#found = found;
    this.#log(nowMs);
    for (const secret of found) {
      const token = state.get('apiTokens', secret);
      yield token && dueDays(token, nowMs) !== undefined ? secret : undefined;
    }
  }

  #log(nowMs: number): void {
    if (this.#found.length === 0 || nowMs - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = nowMs;
    const expiring: object[] = [];
    for (const { token } of this.tokens()) {
      const { tokenName: name, type, environment, expiresAt } = token;
      if (expiring.push({ name, type, environment, expiresAt }) >= LOGGED_MAX) break;
    }
    this.#parts.logger.warn(
      { count: this.#found.length, expiring },
      'API tokens that are in use expire soon: callers with them are refused after that',
    );
  }
}
