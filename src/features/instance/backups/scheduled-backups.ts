import { SERVICE } from '../../../base/asking/asker.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { BackupFolder } from '../../../stores/local/backup-folder.ts';
import type { BackupContent } from './backup-content.ts';
import { failureOf } from './backup-failure.ts';

/** How often the folder is read, in case another process wrote or removed a backup. */
const LOOK_EVERY_MS = 60_000;
/** The pause after a backup that could not be written. It is shorter if the interval is shorter. */
const RETRY_MS = 300_000;
/** Replicas whose backups are due at the same time begin up to this much apart, so that those with one folder write only one. */
const SPREAD_MS = 60_000;
/** The part of the interval that `SPREAD_MS` may take. */
const SPREAD_SHARE = 0.1;

interface ScheduledBackupsParts {
  readonly content: BackupContent;
  readonly folder: BackupFolder;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The interval between two backups in milliseconds. 0: the folder is only watched. */
  readonly everyMs: number;
  /** The number of backups that are kept. */
  readonly keepCount: number;
  /** A random number in [0, 1) for each replica of a service; 0 for a process that has its store for itself. */
  readonly spread: number;
}

/**
 * Writes a backup into a folder whenever the newest one there is older than the interval. So a restart takes no additional backup, and replicas with
 * the same folder share the work. A backup is read back before it gets its name, and old ones are removed only after that.
 */
export class ScheduledBackups {
  readonly #parts: ScheduledBackupsParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #newestMs: number | undefined;
  #isKnown = false;
  #beganMs: number;
  #failedRounds = 0;
  readonly counts = { written: 0, failed: 0 };

  constructor(parts: ScheduledBackupsParts) {
    this.#parts = parts;
    this.#beganMs = parts.clock.nowMs();
  }

  /** The age of the newest good backup in the folder, in seconds; infinite if there is none; undefined until the folder was read. */
  get ageS(): number | undefined {
    if (!this.#isKnown) return undefined;
    if (this.#newestMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#parts.clock.nowMs() - this.#newestMs) / 1_000;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends a backup that is being written, and leaves nothing of it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      let waitMs = Math.min(RETRY_MS, everyMs || LOOK_EVERY_MS);
      try {
        waitMs = await this.#round();
        this.#failedRounds = 0;
      } catch (error) {
        if (!signal.aborted) this.#report(error, waitMs);
      }
      await clock.sleep(waitMs, signal);
    }
  }

  /** Looks at the folder, and writes a backup if it is due. Resolves with the time until the next look. */
  async #round(): Promise<number> {
    const { folder, clock, everyMs, logger, spread } = this.#parts;
    const isBeingWritten = await folder.removeLeft();
    const newest = await folder.newestGood(clock.nowMs(), (message) =>
      logger.error({ reason: message }, 'a backup is not as it was written, so it cannot be restored'),
    );
    this.#newestMs = newest?.takenMs;
    this.#isKnown = true;
    if (everyMs === 0) return LOOK_EVERY_MS;
    const spreadMs = spread * Math.min(SPREAD_MS, everyMs * SPREAD_SHARE);
    const nowMs = clock.nowMs();
    // The clock may have been set back since the start.
    this.#beganMs = Math.min(this.#beganMs, nowMs);
    const dueInMs = (newest ? newest.takenMs + everyMs : this.#beganMs) + spreadMs - nowMs;
    if (dueInMs > 0) return Math.min(dueInMs, LOOK_EVERY_MS);
    // Another replica writes one into the same folder.
    if (isBeingWritten) return Math.min(LOOK_EVERY_MS, everyMs);
    await this.#write();
    return Math.min(everyMs, LOOK_EVERY_MS);
  }

  async #write(): Promise<void> {
    const { content, folder, clock, logger, keepCount } = this.#parts;
    const { signal } = this.#closing;
    const takenMs = clock.nowMs();
    let seq = 0;
    const onEnd = (each: number) => {
      seq = each;
    };
    // Work of the service: no request waits for a scheduled backup.
    const chunks = content.chunks(signal, onEnd, SERVICE);
    const path = await folder.add(takenMs, () => content.measure(signal, SERVICE), chunks);
    this.#newestMs = takenMs;
    this.counts.written += 1;
    logger.info({ path, revision: seq }, 'a backup was written and read back');
    const removed = await folder.keepNewest(keepCount, takenMs);
    if (removed > 0) logger.info({ removed, kept: keepCount }, 'the oldest backups were removed');
  }

  #report(error: unknown, waitMs: number): void {
    const { logger, folder } = this.#parts;
    this.counts.failed += 1;
    this.#isKnown = true;
    this.#failedRounds += 1;
    const reason = failureOf(error);
    const details = { directory: folder.directory, failedInARow: this.#failedRounds, retryInMs: waitMs };
    if (reason === undefined) logger.error({ err: error, ...details }, 'a backup failed; it is tried again');
    else logger.error({ reason, ...details }, 'a backup could not be written; it is tried again');
  }
}
