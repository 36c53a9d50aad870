import { randomUUID } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { OTHER_VERSION_ADVICE } from '../../state/stored-schema.ts';
import type { LogLoss, LogPosition } from '../shared-store.ts';
import { StoreError, type StoreStatus } from '../store.ts';
import { describeHost, describeTarget, type RedisTarget } from './connection-string.ts';
import { GREET } from './history-scripts.ts';
import { type Keys, STORE_FORMAT } from './keys.ts';
import { Link } from './link.ts';
import { locateServer } from './locate-server.ts';
import type { RedisStoreOptions, RedisTimeouts } from './options.ts';
import { checkServer, type ServerReport, UnfitServerError } from './server-check.ts';
import { LostAnswerError, RefusedError, Session } from './session.ts';
import { Signal } from './signal.ts';
import { toVerdict, type Verdict } from './verdict.ts';

/** A session on a server whose history was confirmed to be ours. */
export interface Line {
  readonly session: Session;
  readonly epoch: string;
  /** First arguments of every script that must not touch another history: format, epoch, run. */
  readonly guard: readonly [number, string, string];
}

export interface HistoryParts extends Pick<RedisStoreOptions, 'clock'> {
  readonly target: RedisTarget;
  readonly keys: Keys;
  readonly timeouts: RedisTimeouts;
  readonly logger: Logger;
  readonly random: () => number;
  readonly strict: boolean;
  readonly replicaId: string;
  readonly known: LogPosition | null;
  readonly onTip: (tip: number) => void;
  readonly onLoss: (loss: LogLoss | null) => void;
}

/** What a use of a line answers when the script found another history: it is looked at again, and the use repeated. */
export const STALE = Symbol('stale');

/** Signing in failed: trying again will not help. */
const SIGN_IN_REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username-password/i;

/** Between two tries on a server that answers but refuses. */
const REFUSED_PAUSE_MS = 20;

/**
 * The connection for commands and what is known of the history behind it. A line is handed out only while the server's history is the one
 * this replica knows: same epoch, at least as long, the same write at the known place, and a run of the server that replicas agreed on.
 */
export class History {
  readonly link: Link;
  readonly #parts: HistoryParts;
  #known: LogPosition | null;
  #line: Line | null = null;
  #session: { session: Session; report: ServerReport } | null = null;
  #verdict: Verdict | null = null;
  #loss: LogLoss | null = null;
  #unreachable: { since: string; sinceMs: number; reason: string } | null;
  #lasting: string | null = null;
  #toldSettings = '';
  #closed = false;
  /** A line came or went, or a loss. */
  readonly #changed: Signal;
  /** The history should be looked at before the next poll. */
  readonly #nudged: Signal;
  #isNudged = false;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#known = parts.known;
    this.#changed = new Signal(parts.clock);
    this.#nudged = new Signal(parts.clock);
    this.#unreachable = this.#downNow('not connected yet');
    const { target, keys, timeouts, clock, random } = parts;
    this.link = new Link({
      clock,
      random,
      reconnectMinMs: timeouts.reconnectMinMs,
      reconnectMaxMs: timeouts.reconnectMaxMs,
      open: async (signal) =>
        Session.open(target, await locateServer(target, keys.meta, timeouts, signal), timeouts, signal),
      serve: (session, proven) => this.#serve(session, proven),
      onDown: (reason) => this.#down(reason),
    });
  }

  get known(): LogPosition | null {
    return this.#known;
  }

  get loss(): LogLoss | null {
    return this.#loss;
  }

  /** What the server said last. Null before the first time. */
  get verdict(): Verdict | null {
    return this.#verdict;
  }

  /** Why waiting will not help, or null. */
  get lasting(): string | null {
    return this.#lasting;
  }

  get reason(): string {
    if (this.#closed) return 'the store is not open';
    return this.#loss?.message ?? this.#unreachable?.reason ?? 'the connection was lost';
  }

  /** The connection, confirmed or not, and the server behind it: what a refill works on. */
  get session(): { readonly session: Session; readonly report: ServerReport } | null {
    return this.#session;
  }

  status(): StoreStatus {
    if (!this.#unreachable) return { reachable: true };
    return { reachable: false, since: this.#unreachable.since, reason: this.reason };
  }

  /** A line, waited for until `untilMs`; not longer than a write may wait, counted from when it was lost. Null when there is none. */
  async ready(untilMs: number): Promise<Line | null> {
    const { clock, timeouts } = this.#parts;
    for (;;) {
      if (this.#closed || this.#loss || this.#lasting !== null) return null;
      if (this.#line) return this.#line;
      const lostMs = (this.#unreachable?.sinceMs ?? clock.nowMs()) + timeouts.appendMs;
      const leftMs = Math.min(untilMs, lostMs) - clock.nowMs();
      if (leftMs <= 0) return null;
      await this.#changed.wait(leftMs);
    }
  }

  /** Resolves when the state of this changed, or after `timeoutMs`. */
  changed(timeoutMs: number): Promise<void> {
    return this.#changed.wait(timeoutMs);
  }

  /** Does something harmless to repeat on a line, again when a connection is lost on the way. @throws StoreError */
  async attempt<T>(what: string, use: (line: Line) => Promise<T | typeof STALE>): Promise<T> {
    const { clock, timeouts } = this.#parts;
    const untilMs = clock.nowMs() + timeouts.connectMs + timeouts.commandMs;
    for (;;) {
      const line = await this.ready(untilMs);
      if (!line) throw new StoreError(`cannot ${what}: ${this.reason}`, 'not-appended');
      try {
        const result = await use(line);
        if (result !== STALE) return result;
        this.recheck(line);
      } catch (error) {
        await this.failed(line, error);
        if (clock.nowMs() >= untilMs) {
          throw new StoreError(`cannot ${what}: ${(error as Error).message}`, 'not-appended', { cause: error });
        }
      }
    }
  }

  /** Puts aside a line that failed. Rethrows what is no failure of a connection or server. */
  async failed(line: Line, error: unknown): Promise<void> {
    if (error instanceof LostAnswerError) this.#forget(line, error.message);
    else if (error instanceof RefusedError) {
      // Most refusals end the session; after the others (BUSY, OOM, NOREPLICAS) the server may think better of it.
      this.recheck(line);
      await this.#parts.clock.sleep(REFUSED_PAUSE_MS);
    } else throw error;
  }

  /** The line is not used any more until the history has been looked at again. */
  recheck(line: Line): void {
    if (this.#line === line) this.#line = null;
    this.nudge();
  }

  /** Looks at the history now. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudged.fire();
  }

  /** This replica now knows the history up to `seq`. */
  advance(line: { readonly epoch: string }, seq: number, writeId: string): void {
    if (this.#known?.epoch === line.epoch && seq > this.#known.seq) this.#known = { epoch: line.epoch, seq, writeId };
  }

  /** Takes another position for the known one: a history that was adopted, or made. */
  reset(known: LogPosition | null): void {
    this.#known = known;
    this.#setLoss(null);
    this.nudge();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#line = null;
    this.#changed.fire();
    this.nudge();
    await this.link.close();
  }

  async #serve(session: Session, proven: () => void): Promise<void> {
    const { timeouts, keys, replicaId } = this.#parts;
    try {
      const report = await checkServer(session);
      this.#tellSettings(session, report);
      this.#session = { session, report };
      while (!this.#closed) {
        this.#isNudged = false;
        const { epoch, seq, writeId } = this.#known ?? { epoch: '', seq: 0, writeId: '' };
        const reply = await session.run(
          GREET,
          [keys.meta, keys.log, keys.election, keys.claims],
          [
            STORE_FORMAT,
            report.runId,
            replicaId,
            epoch,
            seq,
            writeId,
            timeouts.graceMs,
            randomUUID(),
            timeouts.electionMs,
          ],
        );
        proven();
        const pauseMs = this.#settle(session, report, toVerdict(reply));
        if (!this.#isNudged) await this.#nudged.wait(pauseMs, session);
      }
    } catch (error) {
      if (error instanceof UnfitServerError && error.lasting) this.#lasting = error.message;
      throw error;
    } finally {
      this.#session = null;
    }
  }

  /** Acts on what the server said. Tells how long to wait before it is asked again. */
  #settle(session: Session, report: ServerReport, verdict: Verdict): number {
    const { pollMs } = this.#parts.timeouts;
    this.#verdict = verdict;
    switch (verdict.name) {
      case 'ok':
        this.#up(session, report, verdict);
        return pollMs;
      case 'wait':
        this.#withdraw('the server was started again or lost its log: replicas are comparing what they know');
        return Math.min(pollMs, Number(verdict.details[0]));
      case 'refill':
      case 'await':
        this.#behind(verdict);
        return pollMs;
      case 'epoch':
        return this.#otherEpoch(verdict);
      case 'diverged':
        this.#lost('foreign', verdict, `its entry ${this.#known?.seq} is another one than this replica knows`);
        return pollMs;
      case 'format': {
        const message = `the log has format ${verdict.details[0]}; this Burgee reads format ${STORE_FORMAT}. ${OTHER_VERSION_ADVICE}`;
        throw new UnfitServerError(message, true);
      }
    }
  }

  #up(session: Session, report: ServerReport, { epoch, tip }: Verdict): void {
    const { logger, onTip } = this.#parts;
    const name = epoch ?? '';
    this.#known ??= { epoch: name, seq: 0, writeId: '' };
    const wasUp = this.#unreachable === null;
    if (this.#line?.session !== session || this.#line.epoch !== name) {
      this.#line = { session, epoch: name, guard: [STORE_FORMAT, name, report.runId] };
    }
    this.#unreachable = null;
    this.#lasting = null;
    this.#setLoss(null);
    if (!wasUp) logger.info({ server: describeHost(session.address), epoch: name, tip }, 'Redis is in reach');
    this.#changed.fire();
    if (tip > this.#known.seq) onTip(tip);
  }

  #behind(verdict: Verdict): void {
    const { name, tip, epoch, details } = verdict;
    const found = epoch === null ? 'its log is gone' : `its log ends at ${tip}`;
    if (name === 'refill') {
      this.#lost('behind', verdict, `${found}, but this replica knows it up to ${this.#known?.seq}`);
      return;
    }
    const message = `${found}, but replica ${details[0]} knows it up to ${details[1]}`;
    if (this.#known && this.#known.seq > tip) this.#lost('behind', verdict, message);
    else this.#withdraw(message);
  }

  /** Another epoch: fine when it was refilled from all that is known here, else a loss. */
  #otherEpoch(verdict: Verdict): number {
    const known = this.#known;
    const { pollMs } = this.#parts.timeouts;
    if (!known || verdict.epoch === null) return pollMs;
    const base = verdict.ancestors.find(({ epoch }) => epoch === known.epoch);
    if (base && known.seq < base.seq) return this.#descend(known, verdict);
    const same = base && (known.writeId === '' || base.writeId === '' || known.writeId === base.writeId);
    if (same && known.seq === base.seq) return this.#descend(known, verdict);
    if (base) {
      const message = `another replica refilled it up to ${base.seq}, but this one knew it up to ${known.seq}`;
      this.#lost('superseded', verdict, message);
    } else {
      this.#lost('foreign', verdict, `its epoch is ${verdict.epoch}, which does not descend from ${known.epoch}`);
    }
    return pollMs;
  }

  #descend(known: LogPosition, { epoch, tip }: Verdict): number {
    this.#parts.logger.warn({ from: known.epoch, epoch, tip }, 'another replica refilled Redis: a new epoch begins');
    this.#known = { ...known, epoch: epoch ?? '' };
    this.nudge();
    return 0;
  }

  #lost(kind: LogLoss['kind'], verdict: Verdict, message: string): void {
    const known = this.#known ?? { epoch: '', seq: 0, writeId: '' };
    this.#withdraw(message);
    const mayRefill = verdict.name === 'refill';
    this.#setLoss({ kind, mayRefill, known, foundEpoch: verdict.epoch, foundTip: verdict.tip, message });
  }

  #setLoss(loss: LogLoss | null): void {
    if (JSON.stringify(loss) === JSON.stringify(this.#loss)) return;
    this.#loss = loss;
    if (loss) this.#parts.logger.error({ ...loss }, 'Redis does not hold the history this replica knows');
    else this.#parts.logger.warn({ epoch: this.#known?.epoch }, 'Redis holds the history this replica knows again');
    this.#changed.fire();
    this.#parts.onLoss(loss);
  }

  /** Connected, but not to be used. */
  #withdraw(reason: string): void {
    this.#line = null;
    this.#unreachable = { ...(this.#unreachable ?? this.#downNow(reason)), reason };
    this.#changed.fire();
  }

  #forget(line: Line, reason: string): void {
    line.session.drop(reason);
    if (this.#line !== line) return;
    this.#down(reason);
  }

  #down(reason: string): void {
    this.#line = null;
    if (this.#closed) return;
    const { logger, target } = this.#parts;
    if (!this.#unreachable) logger.warn({ server: describeTarget(target), reason }, 'Redis is out of reach');
    this.#unreachable = { ...(this.#unreachable ?? this.#downNow(reason)), reason };
    if (SIGN_IN_REFUSED.test(reason)) this.#lasting = reason;
    this.#changed.fire();
  }

  #downNow(reason: string): { since: string; sinceMs: number; reason: string } {
    const sinceMs = this.#parts.clock.nowMs();
    return { since: isoTime(sinceMs), sinceMs, reason };
  }

  #tellSettings(session: Session, { findings, version }: ServerReport): void {
    const { strict, logger } = this.#parts;
    const told = findings.join('; ');
    if (strict && told !== '') throw new UnfitServerError(`REDIS_STRICT: ${told}`, true);
    if (told === this.#toldSettings) return;
    this.#toldSettings = told;
    const server = describeHost(session.address);
    for (const finding of findings) logger.warn({ server, version, finding }, 'Redis is not set up to be durable');
  }
}
