import { randomUUID } from 'node:crypto';
import { begin, type LogPosition, ROOT, relate } from '../lineage.ts';
import { type RecoveryAction, type ReportedPosition, recoveryActionOf } from '../recovery-action.ts';
import type { LogLoss } from '../shared-store.ts';
import { StoreError, type StoreStatus } from '../store.ts';
import type { RefusalReason } from '../write-refusal.ts';
import { describeHost, describeTarget } from './connection-string.ts';
import { type HistoryParts, linkTo } from './history-parts.ts';
import { CONFIRM, LOOK, REPORT_POSITION } from './history-scripts.ts';
import { checkFormat, type HistoryStatus, toStatus } from './history-status.ts';
import { STORE_FORMAT } from './keys.ts';
import { type Line, STALE } from './line.ts';
import type { Link } from './link.ts';
import { lossOf } from './loss-description.ts';
import { continued, type Outage } from './outage.ts';
import { refusalOf, SIGN_IN_REFUSED } from './refusal-of.ts';
import { ReplicaPosition } from './replica-position.ts';
import { checkServer, type ServerReport, UnfitServerError } from './server-check.ts';
import { LostAnswerError, NotSentError, RefusedError, type Session } from './session.ts';
import { Signal } from './signal.ts';

const COMPARING = 'the server was started again or lost its log: replicas are comparing what they know';

/** The pause between two tries on a server that answers but refuses. */
const REFUSED_PAUSE_MS = 20;

/**
 * The connection for commands, and the knowledge about the history on the server. The history is checked at every poll, and `recoveryActionOf`
 * decides the recovery action. A line is returned only while the server's run is confirmed and its history has everything that this replica has.
 */
export class History {
  readonly link: Link;
  readonly #parts: HistoryParts;
  readonly #ownPosition: ReplicaPosition;
  #line: Line | null = null;
  #session: { session: Session; report: ServerReport } | null = null;
  #observed: HistoryStatus | null = null;
  /** How many milliseconds the server's clock is ahead of the clock of this process, at the last check. */
  clockAheadMs = 0;
  #loss: LogLoss | null = null;
  /** Why no line can be used; null while one can be used. */
  #outage: Outage | null;
  #lasting: string | null = null;
  #loggedSettings = '';
  #closed = false;
  /** Fires when a line or a loss has begun or ended. */
  readonly #changed: Signal;
  /** Fires when the history should be checked before the next poll. */
  readonly #nudged: Signal;
  #isNudged = false;
  /** The number of losses that were settled here: an answer to a request from before the last settlement is outdated. */
  #settlements = 0;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#ownPosition = new ReplicaPosition(parts.known ?? ROOT);
    this.#changed = new Signal(parts.clock);
    this.#nudged = new Signal(parts.clock);
    this.#outage = continued(null, parts.clock, 'not connected yet', 'unreachable');
    this.link = linkTo(parts, {
      serve: (session, proven) => this.#serve(session, proven),
      onDown: (reason) => this.#down(reason),
    });
  }

  get known(): LogPosition {
    return this.#ownPosition.known;
  }

  /** The position of the state. */
  get applied(): LogPosition {
    return this.#ownPosition.applied;
  }

  /** The epoch that is followed; "" before the first one. */
  get epoch(): string {
    return this.#ownPosition.followed?.epoch ?? '';
  }

  get loss(): LogLoss | null {
    return this.#loss;
  }

  /** The last answer of the server to LOOK. Null before the first one. */
  get observed(): HistoryStatus | null {
    return this.#observed;
  }

  /** Why waiting will not help; null when it may help. */
  get lasting(): string | null {
    return this.#lasting;
  }

  get reason(): string {
    if (this.#closed) return 'the store is not open';
    return this.#loss?.message ?? this.#outage?.reason ?? 'the connection was lost';
  }

  /** The connection, confirmed or not, and the report about its server. A refill uses this. */
  get session(): { readonly session: Session; readonly report: ServerReport } | null {
    return this.#session;
  }

  status(): StoreStatus {
    if (!this.#outage) return { reachable: true };
    const { since, refusal } = this.#outage;
    return { reachable: false, since, reason: this.reason, refusal };
  }

  /** Why no line can be used. Call it only while this is the case. */
  get refusal(): RefusalReason {
    return this.#outage?.refusal ?? 'unreachable';
  }

  /** Waits for a line until `untilMs`, but not longer than a write may wait, counted from the loss of the last line. Null when there is none. */
  async ready(untilMs: number): Promise<Line | null> {
    const { clock, timeouts } = this.#parts;
    for (;;) {
      if (this.#closed || this.#loss || this.#lasting !== null) return null;
      if (this.#line) return this.#line;
      const lostMs = (this.#outage?.sinceMs ?? clock.nowMs()) + timeouts.appendMs;
      const leftMs = Math.min(untilMs, lostMs) - clock.nowMs();
      if (leftMs <= 0) return null;
      await this.#changed.wait(leftMs);
    }
  }

  /** Resolves when a line or a loss has begun or ended, or after `timeoutMs`. */
  changed(timeoutMs: number): Promise<void> {
    return this.#changed.wait(timeoutMs);
  }

  /** Calls `use` with a line, and repeats it when the connection is lost meanwhile: `use` must be safe to repeat. @throws StoreError */
  async attempt<T>(what: string, use: (line: Line) => Promise<T | typeof STALE>): Promise<T> {
    const { clock, timeouts } = this.#parts;
    const untilMs = clock.nowMs() + timeouts.connectMs + timeouts.commandMs;
    for (;;) {
      const line = await this.ready(untilMs);
      if (!line) {
        throw new StoreError(`cannot ${what}: ${this.reason}`, 'not-appended', { refusal: this.refusal });
      }
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

  /** Stops the use of a line that failed. Rethrows an error that is not a failure of a connection or server. */
  async failed(line: Line, error: unknown): Promise<void> {
    if (error instanceof LostAnswerError || error instanceof NotSentError) this.#forget(line, error.message);
    else if (error instanceof RefusedError) {
      // Most refusals end the session; after the others (BUSY, OOM, NOREPLICAS) the server may accept the next try.
      this.recheck(line);
      await this.#parts.clock.sleep(REFUSED_PAUSE_MS);
    } else throw error;
  }

  /** Stops the use of the line until the history has been checked again. */
  recheck(line: Line): void {
    if (this.#line === line) this.#line = null;
    this.nudge();
  }

  /** Checks the history now. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudged.fire();
  }

  /** See `Standing.advance`. */
  advance(epoch: string, seq: number, writeId: string): void {
    this.#ownPosition.advance(epoch, seq, writeId);
  }

  /** See `Standing.take`. Always false during a loss. */
  take(epoch: string, seq: number, writeId: string): boolean {
    return !this.#loss && this.#ownPosition.take(epoch, seq, writeId);
  }

  /** See `Standing.retract`. */
  retract(): void {
    this.#ownPosition.retract();
    this.nudge();
  }

  /** This replica settled the loss: the history is checked once more, and then used again. */
  settled(): void {
    this.#settlements++;
    this.#setLoss(null);
    this.nudge();
  }

  /** Forgets the known position: the server's history is adopted. */
  forget(): void {
    this.#ownPosition.forget();
    this.settled();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#line = null;
    this.#changed.fire();
    this.nudge();
    await this.link.close();
  }

  async #serve(session: Session, proven: () => void): Promise<void> {
    try {
      const report = await checkServer(session);
      this.#logSettings(session, report);
      this.#session = { session, report };
      while (!this.#closed) {
        this.#isNudged = false;
        const settlements = this.#settlements;
        const observed = await this.#look(session, report);
        proven();
        if (this.#settlements !== settlements) continue;
        const pauseMs = await this.#settle(session, report, observed);
        if (!this.#isNudged) await this.#nudged.wait(pauseMs, session);
      }
    } catch (error) {
      if (error instanceof UnfitServerError && error.lasting) this.#lasting = error.message;
      throw error;
    } finally {
      this.#session = null;
    }
  }

  /** Checks once more before a refill. Null unless this replica must still refill the server, and knows the history exactly up to `seq`. */
  async refillable(session: Session, report: ServerReport, seq: number): Promise<HistoryStatus | null> {
    const observed = await this.#look(session, report);
    return this.known.seq === seq && this.#action(observed).name === 'refill' ? observed : null;
  }

  async #look(session: Session, report: ServerReport): Promise<HistoryStatus> {
    const { runId, lineageId } = report;
    const { keys } = this.#parts;
    const { followed } = this.#ownPosition;
    const asked = this.known;
    const snapshotId = this.#observed?.snapshotId ?? '';
    const looked = [keys.meta, keys.log, keys.election, keys.lines, keys.events, keys.pieces(snapshotId)];
    const args = [runId, asked.seq, followed?.epoch ?? '', lineageId, snapshotId];
    const beganMs = this.#parts.clock.nowMs();
    const observed = toStatus(await session.run(LOOK, looked, args), asked, followed);
    this.clockAheadMs = observed.timeMs - (beganMs + this.#parts.clock.nowMs()) / 2;
    checkFormat(observed);
    this.#observed = observed;
    // The look did not check the pieces of a snapshot that was not known at that time, so it must be repeated for this snapshot.
    return observed.snapshotId === snapshotId ? observed : this.#look(session, report);
  }

  /** Carries out the recovery action. Returns how long to wait before the next check. */
  async #settle(session: Session, report: ServerReport, observed: HistoryStatus): Promise<number> {
    const { pollMs, graceMs } = this.#parts.timeouts;
    const action = this.#action(observed);
    switch (action.name) {
      case 'go-on':
        if (observed.format === STORE_FORMAT) this.#up(session, report, observed);
        else await this.#confirm(session, report, observed, '');
        return observed.format === STORE_FORMAT ? pollMs : 0;
      case 'claim':
        this.#withdraw(COMPARING, 'comparing');
        await this.#reportedPosition(session, report, observed);
        return 0;
      case 'wait':
        this.#withdraw(COMPARING, 'comparing');
        return Math.min(pollMs, Math.max(1, graceMs - (observed.claimedForMs ?? 0)));
      case 'confirm':
        await this.#confirm(session, report, observed, observed.version);
        return 0;
      default:
        this.#turnAway(action, observed);
        return pollMs;
    }
  }

  #action(observed: HistoryStatus): RecoveryAction {
    const { asked, line, isConfirmed, missing, writeThere, positions, claimedForMs } = observed;
    const holdsIt = line && relate(asked, line)?.leftDivergent === 0;
    // There are two writes with one number in one epoch: the epoch has two lines, so their common entries are not known.
    if (holdsIt && writeThere !== null && writeThere !== asked.writeId) return { name: 'refuse', why: 'foreign' };
    const isGraceOver = claimedForMs !== null && claimedForMs >= this.#parts.timeouts.graceMs;
    const own = this.#reportedPositionOf(asked);
    return recoveryActionOf({
      own,
      server: line,
      isConfirmed,
      isIncomplete: missing !== null,
      positions,
      isGraceOver,
    });
  }

  #reportedPositionOf(position: LogPosition): ReportedPosition {
    const { replicaId, policy } = this.#parts;
    return { replica: replicaId, position, policy };
  }

  async #reportedPosition(session: Session, { runId }: ServerReport, { asked, line }: HistoryStatus): Promise<void> {
    const { keys, replicaId, timeouts } = this.#parts;
    const reportedPosition = JSON.stringify(this.#reportedPositionOf(asked));
    const args = [runId, line?.epoch ?? '', line?.seq ?? 0, replicaId, reportedPosition, timeouts.electionMs];
    await session.run(REPORT_POSITION, [keys.meta, keys.election, keys.lines], args);
  }

  async #confirm(session: Session, { runId }: ServerReport, { line }: HistoryStatus, version: string): Promise<void> {
    const { keys, replicaId, logger } = this.#parts;
    const next = begin(randomUUID(), line ?? ROOT);
    const found = [line?.epoch ?? '', line?.seq ?? 0, version];
    const args = [STORE_FORMAT, runId, ...found, next.epoch, JSON.stringify(next.ancestors), keys.hints, replicaId];
    const answer = String(await session.run(CONFIRM, [keys.meta, keys.election, keys.lines], args));
    if (answer === 'confirmed') logger.info({ epoch: next.epoch, seq: next.seq }, 'a new epoch of the history begins');
  }

  #up(session: Session, report: ServerReport, { line }: HistoryStatus): void {
    const { logger, onTip } = this.#parts;
    if (!line) return;
    const { epoch, seq: tip } = line;
    const wasUp = this.#outage === null;
    if (this.#line?.session !== session || this.#line.epoch !== epoch) {
      this.#line = { session, epoch, lineage: line, guard: [STORE_FORMAT, epoch, report.runId] };
    }
    this.#ownPosition.follow(line);
    this.#outage = null;
    this.#lasting = null;
    this.#setLoss(null);
    if (!wasUp) logger.info({ server: describeHost(session.address), epoch, tip }, 'Redis is in reach');
    this.#changed.fire();
    if (tip > this.known.seq) onTip(tip);
  }

  /** Stops the use of the server, because this replica must not use it as it is. */
  #turnAway(action: RecoveryAction, observed: HistoryStatus): void {
    const loss = lossOf(action, observed);
    const isHalted = this.#parts.policy === 'halt' && loss.kind !== null;
    this.#withdraw(loss.message, isHalted ? 'halted' : (loss.kind ?? 'comparing'));
    if (loss.kind) this.#setLoss({ ...loss, kind: loss.kind });
  }

  #setLoss(loss: LogLoss | null): void {
    if (JSON.stringify(loss) === JSON.stringify(this.#loss)) return;
    this.#loss = loss;
    const { logger } = this.#parts;
    if (loss) logger.error({ ...loss }, 'Redis does not hold the history this replica knows');
    else logger.warn({ epoch: this.epoch }, 'Redis holds the history this replica knows again');
    this.#changed.fire();
    this.#parts.onLoss(loss);
  }

  /** Stops the use of a connected server. */
  #withdraw(reason: string, refusal: RefusalReason): void {
    this.#line = null;
    this.#outage = continued(this.#outage, this.#parts.clock, reason, refusal);
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
    if (!this.#outage) logger.warn({ server: describeTarget(target), reason }, 'Redis is out of reach');
    const refusal = refusalOf(reason, reason === this.#lasting ? 'unfit-server' : 'unreachable');
    this.#outage = continued(this.#outage, this.#parts.clock, reason, refusal);
    if (SIGN_IN_REFUSED.test(reason)) this.#lasting = reason;
    this.#changed.fire();
  }

  #logSettings(session: Session, { findings, version }: ServerReport): void {
    const { strict, logger } = this.#parts;
    const reported = findings.join('; ');
    if (strict && reported !== '') throw new UnfitServerError(`REDIS_STRICT: ${reported}`, true);
    if (reported === this.#loggedSettings) return;
    this.#loggedSettings = reported;
    const server = describeHost(session.address);
    for (const finding of findings) logger.warn({ server, version, finding }, 'Redis is not set up to be durable');
  }
}
