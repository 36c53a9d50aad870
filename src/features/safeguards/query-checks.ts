import type { Logger } from '../../base/logger.ts';
import type { Safeguard } from '../../model/safeguard.ts';
import { passes } from './measuring.ts';
import { type Prometheus, QUERY_TIMEOUT_MS, type QueryAnswer } from './prometheus.ts';

/** Queries that are asked at the same time. */
const QUERIES_AT_ONCE = 4;
/** Maximum time for all queries of one check, in milliseconds. Queries that are not asked in it come first at the next check. */
const ROUND_MS = 6 * QUERY_TIMEOUT_MS;

const NO_PROMETHEUS: QueryAnswer = { problem: 'This service names no Prometheus: set PROMETHEUS_URL.' };
const NOT_ASKED: QueryAnswer = { problem: 'It was not asked: earlier queries took too long.' };

/** What the last comparison of a safeguard gave. */
export interface Check {
  readonly atMs: number;
  readonly value: number | null;
  /** Why nothing was compared. */
  readonly problem: string | null;
}

/** The answers to queries, in one check. */
export type Answers = ReadonlyMap<string, QueryAnswer>;

interface AskParts {
  readonly prometheus: Pick<Prometheus, 'ask'> | null;
  /** Ends with the service. */
  readonly signal: AbortSignal;
}

/** Asks the queries of safeguards, some at a time. */
export class QueryRounds {
  readonly #roundMs: number;
  #round = 0;
  /** Query → the round in which it was last asked. Only queries of the last round are kept. */
  #askedIn = new Map<string, number>();

  constructor(roundMs = ROUND_MS) {
    this.#roundMs = roundMs;
  }

  /** Asks each query once, as far as there is time. Those that have waited longest come first, so each gets its turn. Never rejects. */
  async ask(queries: Iterable<string>, { prometheus, signal }: AskParts): Promise<Answers> {
    const lastRound = (query: string) => this.#askedIn.get(query) ?? 0;
    const waiting = [...new Set(queries)].sort((left, right) => lastRound(left) - lastRound(right));
    if (!prometheus) return new Map(waiting.map((query) => [query, NO_PROMETHEUS]));
    this.#round++;
    const end = AbortSignal.any([signal, AbortSignal.timeout(this.#roundMs)]);
    const [answers, askedIn] = [new Map<string, QueryAnswer>(), new Map<string, number>()];
    const next = waiting.values();
    const askInTurn = async () => {
      for (const query of next) {
        const isAsked = !end.aborted;
        const answer = isAsked ? await prometheus.ask(query, end) : NOT_ASKED;
        // A question that the end of the round cut off says nothing about its query.
        answers.set(query, end.aborted && 'problem' in answer ? NOT_ASKED : answer);
        askedIn.set(query, isAsked ? this.#round : lastRound(query));
      }
    };
    await Promise.all(Array.from({ length: QUERIES_AT_ONCE }, askInTurn));
    this.#askedIn = askedIn;
    return answers;
  }
}

/** The result of comparing the safeguard with the answer; `isTripped`: the value passes the threshold. */
export function compared(
  safeguard: Safeguard,
  answer: QueryAnswer,
  atMs: number,
): { check: Check; isTripped: boolean } {
  if ('problem' in answer) return { check: { atMs, value: null, problem: answer.problem }, isTripped: false };
  return { check: { atMs, value: answer.value, problem: null }, isTripped: passes(safeguard, answer.value) };
}

/** Logs a problem when it begins or changes, and its end. `about`: what the safeguard is of. */
export function logChange(logger: Logger, about: object, before: Check | undefined, after: Check): void {
  if ((before?.problem ?? null) === after.problem) return;
  if (after.problem === null) logger.info(about, 'the query of a safeguard is compared again');
  else logger.warn({ ...about, problem: after.problem }, 'the query of a safeguard gives no value to compare');
}
