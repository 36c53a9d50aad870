import { otherFormat } from '../../state/stored-schema.ts';
import type { Branch, LogPosition } from '../lineage.ts';
import type { ReportedPosition } from '../recovery-action.ts';
import type { EventsLoss } from '../shared-store.ts';
import { STORE_FORMAT } from './keys.ts';
import type { Reply } from './session.ts';
import { UnfitServerError } from './unfit-server-error.ts';

/** The server's answer to the script LOOK (`history-scripts.ts`). */
export interface HistoryStatus {
  /** The known position of this replica when it sent LOOK. The answer says nothing about later entries. */
  readonly knownPosition: LogPosition;
  /** The format of the log; null when the server has no log. */
  readonly format: number | null;
  /** Whether replicas agreed on this run of the server. */
  readonly isConfirmed: boolean;
  /**
   * The position of the server's history; null when it has none. If the run is confirmed and this replica already follows its epoch, LOOK sends no
   * ancestors, and the ones that the replica knows are used.
   */
  readonly serverPosition: LogPosition | null;
  readonly firstSeq: number;
  /** The writeId of the entry that the server's log has at the known position; null when that is not known. */
  readonly writeIdAtKnown: string | null;
  /** Milliseconds since a replica reported the first position; null when no position was reported, and while the run is confirmed. */
  readonly firstReportAgeMs: number | null;
  /** A text for people that says which parts of the server's history are missing; null when nothing is known to be missing. */
  readonly missing: string | null;
  /** The id of the current snapshot; "" when there is none. */
  readonly snapshotId: string;
  /** The time of the server's clock. Unix milliseconds. */
  readonly timeMs: number;
  /** Whether the audit log is lost: there were events, and their key is missing. */
  readonly isAuditLogGone: boolean;
  /** The last loss of audit events that a replica noted; null when there was none. */
  readonly eventsLoss: EventsLoss | null;
  /** How many keys the server has evicted since it started, to free memory. */
  readonly evictedKeys: number;
  /** The version of the reported positions: it changes with every reported position. */
  readonly version: string;
  readonly positions: readonly ReportedPosition[];
}

/** Decodes the answer. @throws UnfitServerError when the server may have received the data of another server since this session began. */
export function toStatus(reply: Reply, knownPosition: LogPosition, followedLine: LogPosition | null): HistoryStatus {
  if (String((reply as Reply[])[0]) === 'replicated') {
    const message = 'the server was a replica of another server, or got its first replica. Burgee is checking it again';
    throw new UnfitServerError(message, false);
  }
  const [confirmed, ...rest] = (reply as Reply[]).map((part) => (part === null ? null : String(part)));
  const [format, epoch, tip, tipWrite, firstSeq, ancestors, writeIdAtKnown = null, ...more] = rest;
  const [firstReportAge, version, missing = null, snapshotId, timeMs, audit, evicted, ...positions] = more;
  const serverAncestors =
    (ancestors ?? null) === null ? followedLine?.ancestors : (JSON.parse(ancestors ?? '[]') as Branch[]);
  return {
    knownPosition,
    format: format ? Number(format) : null,
    isConfirmed: confirmed === '1',
    serverPosition: epoch
      ? { epoch, seq: Number(tip), writeId: tipWrite ?? '', ancestors: serverAncestors ?? [] }
      : null,
    firstSeq: Number(firstSeq ?? 1),
    writeIdAtKnown,
    firstReportAgeMs: firstReportAge ? Number(firstReportAge) : null,
    missing,
    snapshotId: snapshotId ?? '',
    timeMs: Number(timeMs),
    isAuditLogGone: audit === 'gone',
    eventsLoss: audit && audit !== 'gone' ? (JSON.parse(audit) as EventsLoss) : null,
    evictedKeys: Number(evicted ?? 0),
    version: version ?? '',
    positions: positions.map((reportedPosition) => JSON.parse(reportedPosition ?? '') as ReportedPosition),
  };
}

/** @throws UnfitServerError when the log has another format. */
export function checkFormat({ format }: HistoryStatus): void {
  if (format === null || format === STORE_FORMAT) return;
  throw new UnfitServerError(otherFormat('the log', format, STORE_FORMAT), true);
}
