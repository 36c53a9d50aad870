import { type LogPosition, ROOT, relate } from '../lineage.ts';
import { type RecoveryAction, recoveryActionOf } from '../recovery-action.ts';
import type { RefusalReason } from '../refusal-texts.ts';
import type { LogLoss } from '../shared-store.ts';
import { StoreError, type StoreStatus } from '../store.ts';
import { type ConfirmedSession, STALE } from './confirmed-session.ts';
import { describeHost, describeTarget } from './connection-string.ts';
import { confirmRun, reportedPositionOf, reportPosition } from './election.ts';
import { type HistoryParts, linkTo } from './history-parts.ts';
import { LOOK } from './history-scripts.ts';
import { checkFormat, type HistoryStatus, toStatus } from './history-status.ts';
import { STORE_FORMAT } from './keys.ts';
import type { Link } from './link.ts';
import { lossOf } from './loss-description.ts';
import { LostEvents, restoreEvents } from './lost-events.ts';
import { REFUSED_MS } from './options.ts';
import { continueOutage, type Outage } from './outage.ts';
import { refusalOf, SIGN_IN_REFUSED, staysRefused } from './refusal-of.ts';
import { ReplicaPosition } from './replica-position.ts';
import { checkServer, type ServerReport } from './server-check.ts';
import { LostAnswerError, NotSentError, RefusedError, type Session } from './session.ts';
import { Signal } from './signal.ts';
import { UnfitServerError } from './unfit-server-error.ts';
import { explained } from './wrong-address.ts';

const COMPARING = 'the server was started again or lost its log: the replicas are comparing their newest commits';

/** The pause between two tries on a server that answers but refuses. */
const REFUSED_PAUSE_MS = 20;

/**
 * The connection for commands, and the knowledge about the history on the server. The history is checked at every poll, and `recoveryActionOf`
 * decides the recovery action. A session is confirmed only while the server's run is confirmed and its history has everything that this replica has.
 */
export class History {
  readonly link: Link;
  readonly #parts: HistoryParts;
  readonly #ownPosition: ReplicaPosition;
  #confirmedSession: ConfirmedSession | null = null;
  #connection: { session: Session; report: ServerReport } | null = null;
  #lastStatus: HistoryStatus | null = null;
  /** How many milliseconds the server's clock is ahead of the clock of this process, at the last check. */
  clockAheadMs = 0;
  #loss: LogLoss | null = null;
  /** Why there is no confirmed session; null while there is one. */
  #outage: Outage | null;
  #lastingReason: string | null = null;
  #loggedSettings = '';
  #isClosed = false;
  /** What the server lost without losing the history. */
  readonly lostEvents: LostEvents;
  /** Fires when a confirmed session or a loss has begun or ended. */
  readonly #changeSignal: Signal;
  /** Fires when the history should be checked before the next poll. */
  readonly #nudgeSignal: Signal;
  #isNudged = false;
  /** The number of losses that this replica settled. An answer to a request from before the last settlement is outdated. */
  #settlements = 0;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#ownPosition = new ReplicaPosition(parts.known ?? ROOT);
    this.lostEvents = new LostEvents(parts.logger);
    this.#changeSignal = new Signal(parts.clock);
    this.#nudgeSignal = new Signal(parts.clock);
    this.#outage = continueOutage(null, parts.clock, 'not connected yet', 'unreachable');
    this.link = linkTo(parts, {
      serve: (session, onProven) => this.#serve(session, onProven),
      onDown: (reason, error) => this.#noteUnusable(reason, error),
    });
  }

  get knownPosition(): LogPosition {
    return this.#ownPosition.knownPosition;
  }

  /** The position of the state. */
  get appliedPosition(): LogPosition {
    return this.#ownPosition.appliedPosition;
  }

  /** The epoch that this replica follows; "" before the first one. */
  get epoch(): string {
    return this.#ownPosition.followedLine?.epoch ?? '';
  }

  get loss(): LogLoss | null {
    return this.#loss;
  }

  /** The last answer of the server to LOOK. Null before the first one. */
  get lastStatus(): HistoryStatus | null {
    return this.#lastStatus;
  }

  /** Why the server cannot be used until an operator acts; null when waiting may help. */
  get lastingReason(): string | null {
    return this.#lastingReason;
  }

  get reason(): string {
    if (this.#isClosed) return 'the store is not open';
    return this.#loss?.message ?? this.#outage?.reason ?? 'the connection was lost';
  }

  /** The current session, confirmed or not, and the report about its server. A refill uses this. */
  get connection(): { readonly session: Session; readonly report: ServerReport } | null {
    return this.#connection;
  }

  status(): StoreStatus {
    if (!this.#outage) return { reachable: true };
    const { since, refusal } = this.#outage;
    return { reachable: false, since, reason: this.reason, refusal };
  }

  /** Why writes are refused while there is no confirmed session. */
  get refusal(): RefusalReason {
    return this.#outage?.refusal ?? 'unreachable';
  }

  /** Waits for a confirmed session until `untilMs`, but after the loss of the last one not longer than a write may wait. Null when there is none. */
  async awaitConfirmedSession(untilMs: number): Promise<ConfirmedSession | null> {
    const { clock, timeouts } = this.#parts;
    for (;;) {
      if (this.#isClosed || this.#loss || this.#lastingReason !== null) return null;
      if (this.#confirmedSession) return this.#confirmedSession;
      const isSettled = this.#outage !== null && staysRefused(this.#outage.refusal, this.#parts.target);
      const lostMs = (this.#outage?.sinceMs ?? clock.nowMs()) + (isSettled ? REFUSED_MS : timeouts.appendMs);
      const leftMs = Math.min(untilMs, lostMs) - clock.nowMs();
      if (leftMs <= 0) return null;
      await this.#changeSignal.wait(leftMs);
    }
  }

  /** Resolves when a confirmed session or a loss has begun or ended, or after `timeoutMs`. */
  awaitChange(timeoutMs: number): Promise<void> {
    return this.#changeSignal.wait(timeoutMs);
  }

  /** Calls `use` with a confirmed session, again after the connection was lost: `use` must be safe to repeat. @throws StoreError */
  async attempt<T>(what: string, use: (confirmedSession: ConfirmedSession) => Promise<T | typeof STALE>): Promise<T> {
    const { clock, timeouts } = this.#parts;
    const untilMs = clock.nowMs() + timeouts.connectMs + timeouts.commandMs;
    for (;;) {
      const confirmedSession = await this.awaitConfirmedSession(untilMs);
      if (!confirmedSession) {
        throw new StoreError(`cannot ${what}: ${this.reason}`, 'not-appended', { refusal: this.refusal });
      }
      try {
        const result = await use(confirmedSession);
        if (result !== STALE) return result;
        this.recheck(confirmedSession);
      } catch (error) {
        await this.handleFailure(confirmedSession, error);
        if (clock.nowMs() >= untilMs) {
          throw new StoreError(`cannot ${what}: ${(error as Error).message}`, 'not-appended', { cause: error });
        }
      }
    }
  }

  /** Stops the use of a session that failed. Rethrows an error that is not a failure of a connection or server. */
  async handleFailure(confirmedSession: ConfirmedSession, error: unknown): Promise<void> {
    if (error instanceof LostAnswerError || error instanceof NotSentError)
      this.#dropSession(confirmedSession, error.message);
    else if (error instanceof RefusedError) {
      // Most refusals end the session. After the other refusals (BUSY, OOM, NOREPLICAS), the server may accept the next try.
      this.recheck(confirmedSession);
      await this.#parts.clock.sleep(REFUSED_PAUSE_MS);
    } else throw error;
  }

  /** Stops the use of the session until the history has been checked once more. */
  recheck(confirmedSession: ConfirmedSession): void {
    if (this.#confirmedSession === confirmedSession) this.#confirmedSession = null;
    this.nudge();
  }

  /** Checks the history now. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudgeSignal.fire();
  }

  /** See `ReplicaPosition.advance`. */
  advance(epoch: string, seq: number, writeId: string): void {
    this.#ownPosition.advance(epoch, seq, writeId);
  }

  /** See `ReplicaPosition.take`. Always false during a loss. */
  take(epoch: string, seq: number, writeId: string): boolean {
    return !this.#loss && this.#ownPosition.take(epoch, seq, writeId);
  }

  /** See `ReplicaPosition.retract`. */
  retract(): void {
    this.#ownPosition.retract();
    this.nudge();
  }

  /** Notes that this replica settled the loss. The history is checked once more before it is used. */
  noteSettled(): void {
    this.#settlements++;
    this.#setLoss(null);
    this.nudge();
  }

  /** Forgets the known position: the server's history is adopted. */
  forgetKnownPosition(): void {
    this.#ownPosition.forget();
    this.noteSettled();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#confirmedSession = null;
    this.#changeSignal.fire();
    this.nudge();
    await this.link.close();
  }

  async #serve(session: Session, onProven: () => void): Promise<void> {
    try {
      const report = await checkServer(session, this.#parts.target);
      this.#logSettings(session, report);
      this.#connection = { session, report };
      while (!this.#isClosed) {
        this.#isNudged = false;
        const settlements = this.#settlements;
        const status = await this.#readStatus(session, report);
        onProven();
        if (this.#settlements !== settlements) continue;
        const pauseMs = await this.#act(session, report, status);
        if (!this.#isNudged) await this.#nudgeSignal.wait(pauseMs, session);
      }
    } catch (error) {
      throw explained(error, this.#parts.target);
    } finally {
      this.#connection = null;
    }
  }

  /** Checks once more before a refill. Null unless this replica must still refill the server, and knows the history exactly up to `seq`. */
  async refillable(session: Session, report: ServerReport, seq: number): Promise<HistoryStatus | null> {
    const status = await this.#readStatus(session, report);
    return this.knownPosition.seq === seq && this.#action(status).name === 'refill' ? status : null;
  }

  async #readStatus(session: Session, report: ServerReport): Promise<HistoryStatus> {
    const { runId, lineageId } = report;
    const { keys } = this.#parts;
    const { followedLine } = this.#ownPosition;
    const { knownPosition } = this;
    const snapshotId = this.#lastStatus?.snapshotId ?? '';
    const statusKeys = [keys.meta, keys.log, keys.election, keys.lines, keys.events, keys.pieces(snapshotId)];
    const args = [runId, knownPosition.seq, followedLine?.epoch ?? '', lineageId, snapshotId];
    const beganMs = this.#parts.clock.nowMs();
    const status = toStatus(await session.run(LOOK, statusKeys, args), knownPosition, followedLine);
    this.clockAheadMs = status.timeMs - (beganMs + this.#parts.clock.nowMs()) / 2;
    checkFormat(status);
    this.#lastStatus = status;
    // LOOK did not check the pieces of a snapshot that this replica did not know, so it must be repeated for this snapshot.
    return status.snapshotId === snapshotId ? status : this.#readStatus(session, report);
  }

  /** Carries out the recovery action. Returns how long to wait before the next check. */
  async #act(session: Session, report: ServerReport, status: HistoryStatus): Promise<number> {
    const { pollMs, graceMs } = this.#parts.timeouts;
    this.lostEvents.noteEvicted(status.evictedKeys);
    const action = this.#action(status);
    switch (action.name) {
      case 'go-on':
        await this.#useWithEvents(session, report, status);
        return pollMs;
      case 'claim':
        this.#stopUse(COMPARING, 'comparing');
        await reportPosition(this.#parts, session, report, status);
        return 0;
      case 'wait':
        this.#stopUse(COMPARING, 'comparing');
        return Math.min(pollMs, Math.max(1, graceMs - (status.firstReportAgeMs ?? 0)));
      case 'confirm':
        await confirmRun(this.#parts, session, report, status);
        return 0;
      default:
        this.#rejectServer(action, status);
        return pollMs;
    }
  }

  #action(status: HistoryStatus): RecoveryAction {
    const { knownPosition, serverPosition, isConfirmed, missing, writeIdAtKnown, positions, firstReportAgeMs } = status;
    const hasKnownEntry = serverPosition && relate(knownPosition, serverPosition)?.leftDivergent === 0;
    // There are two writes with one number in one epoch: the epoch has two lines, so their common entries are not known.
    if (hasKnownEntry && writeIdAtKnown !== null && writeIdAtKnown !== knownPosition.writeId)
      return { name: 'refuse', why: 'foreign' };
    const isGraceOver = firstReportAgeMs !== null && firstReportAgeMs >= this.#parts.timeouts.graceMs;
    const own = reportedPositionOf(this.#parts, knownPosition);
    const isIncomplete = missing !== null;
    return recoveryActionOf({ own, server: serverPosition, isConfirmed, isIncomplete, positions, isGraceOver });
  }

  #useServer(session: Session, report: ServerReport, status: HistoryStatus): void {
    const { logger, onTip } = this.#parts;
    const { serverPosition } = status;
    const found = this.#sessionOf(session, report, status);
    if (!serverPosition || !found) return;
    const { epoch, seq: tip } = serverPosition;
    const wasUsable = this.#outage === null;
    if (this.#confirmedSession?.session !== session || this.#confirmedSession.epoch !== epoch)
      this.#confirmedSession = found;
    this.#ownPosition.follow(serverPosition);
    this.#outage = null;
    this.#lastingReason = null;
    this.#setLoss(null);
    if (!wasUsable) logger.info({ server: describeHost(session.address), epoch, tip }, 'Redis is in reach');
    this.#changeSignal.fire();
    if (tip > this.knownPosition.seq) onTip(tip);
  }

  /** Uses the server. If it has lost its audit log, this is settled first, so that no new event is the first one of it. */
  async #useWithEvents(session: Session, report: ServerReport, status: HistoryStatus): Promise<void> {
    this.lostEvents.note(status.eventsLoss);
    if (!status.isAuditLogGone) return this.#useServer(session, report, status);
    const confirmed = this.#sessionOf(session, report, status);
    if (!confirmed) return;
    await restoreEvents(confirmed, this.#parts.keys, this.#parts.newestEvents());
    // The next check finds the note about the loss.
    this.nudge();
  }

  #sessionOf(
    session: Session,
    { runId }: ServerReport,
    { serverPosition }: HistoryStatus,
  ): ConfirmedSession | undefined {
    if (!serverPosition) return undefined;
    const { epoch } = serverPosition;
    return { session, epoch, lineage: serverPosition, guard: [STORE_FORMAT, epoch, runId] };
  }

  /** Stops the use of the server, because this replica must not use it as it is. */
  #rejectServer(action: RecoveryAction, status: HistoryStatus): void {
    const loss = lossOf(action, status);
    const isHalted = this.#parts.policy === 'halt' && loss.kind !== null;
    this.#stopUse(loss.message, isHalted ? 'halted' : (loss.kind ?? 'comparing'));
    if (loss.kind) this.#setLoss({ ...loss, kind: loss.kind });
  }

  #setLoss(loss: LogLoss | null): void {
    if (JSON.stringify(loss) === JSON.stringify(this.#loss)) return;
    this.#loss = loss;
    const { logger } = this.#parts;
    if (loss) logger.error({ ...loss }, 'Redis does not have the history that this replica knows');
    else logger.warn({ epoch: this.epoch }, 'Redis has the history that this replica knows: the loss is settled');
    this.#changeSignal.fire();
    this.#parts.onLoss(loss);
  }

  /** Stops the use of a connected server. */
  #stopUse(reason: string, refusal: RefusalReason): void {
    this.#confirmedSession = null;
    this.#outage = continueOutage(this.#outage, this.#parts.clock, reason, refusal);
    this.#changeSignal.fire();
  }

  #dropSession(confirmedSession: ConfirmedSession, reason: string): void {
    confirmedSession.session.drop(reason);
    if (this.#confirmedSession !== confirmedSession) return;
    this.#noteUnusable(reason);
  }

  #noteUnusable(reason: string, error?: unknown): void {
    this.#confirmedSession = null;
    if (this.#isClosed) return;
    const { logger, target } = this.#parts;
    if (error instanceof UnfitServerError && error.isLasting) this.#lastingReason = reason;
    if (!this.#outage) logger.warn({ server: describeTarget(target), reason }, 'Redis is out of reach');
    const isRefused = error instanceof RefusedError && !error.isOfOtherServer;
    const unnamed = isRefused ? 'refused' : 'unreachable';
    const refusal = refusalOf(reason, reason === this.#lastingReason ? 'unfit-server' : unnamed);
    this.#outage = continueOutage(this.#outage, this.#parts.clock, reason, refusal);
    if (SIGN_IN_REFUSED.test(reason)) this.#lastingReason = reason;
    this.#changeSignal.fire();
  }

  #logSettings(session: Session, { findings, version }: ServerReport): void {
    const { strict, logger } = this.#parts;
    const findingsText = findings.join('; ');
    if (strict && findingsText !== '') throw new UnfitServerError(`REDIS_STRICT: ${findingsText}`, true);
    if (findingsText === this.#loggedSettings) return;
    this.#loggedSettings = findingsText;
    const server = describeHost(session.address);
    for (const finding of findings) logger.warn({ server, version, finding }, 'Redis is not set up to be durable');
  }
}
