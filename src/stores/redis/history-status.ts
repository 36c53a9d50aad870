import { OTHER_VERSION_ADVICE } from '../../state/stored-schema.ts';
import type { Branch, LogPosition } from '../lineage.ts';
import type { ReportedPosition } from '../recovery-action.ts';
import { STORE_FORMAT } from './keys.ts';
import { UnfitServerError } from './server-check.ts';
import type { Reply } from './session.ts';

/** The answer of the server to LOOK. */
export interface HistoryStatus {
  /** The known position of this replica when it sent LOOK. The answer says nothing about later entries. */
  readonly knownPosition: LogPosition;
  /** The format of the log; null when the server has no log. */
  readonly format: number | null;
  readonly isConfirmed: boolean;
  /**
   * The position of the server's history; null when it has none. In the epoch that this replica follows already, the ancestors are the known ones.
   */
  readonly line: LogPosition | null;
  readonly firstSeq: number;
  /** The writeId of the entry that the server's log has at the known position; null when that is not known. */
  readonly writeIdAtKnown: string | null;
  /** The time since the first reported position, in milliseconds; null when no position was reported. */
  readonly electionAgeMs: number | null;
  /** A text for people that says which parts of the server's history are missing; null when nothing is known to be missing. */
  readonly missing: string | null;
  /** The id of the current snapshot; "" when there is none. */
  readonly snapshotId: string;
  /** The time of the server's clock, in milliseconds since the epoch. */
  readonly timeMs: number;
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
  const [electionAge, version, missing = null, snapshotId, timeMs, ...positions] = more;
  const ancestorsOfLine =
    (ancestors ?? null) === null ? followedLine?.ancestors : (JSON.parse(ancestors ?? '[]') as Branch[]);
  return {
    knownPosition,
    format: format ? Number(format) : null,
    isConfirmed: confirmed === '1',
    line: epoch ? { epoch, seq: Number(tip), writeId: tipWrite ?? '', ancestors: ancestorsOfLine ?? [] } : null,
    firstSeq: Number(firstSeq ?? 1),
    writeIdAtKnown,
    electionAgeMs: electionAge ? Number(electionAge) : null,
    missing,
    snapshotId: snapshotId ?? '',
    timeMs: Number(timeMs),
    version: version ?? '',
    positions: positions.map((reportedPosition) => JSON.parse(reportedPosition ?? '') as ReportedPosition),
  };
}

/** @throws UnfitServerError when a newer Burgee wrote the log. */
export function checkFormat({ format }: HistoryStatus): void {
  if (format === null || format <= STORE_FORMAT) return;
  const message = `the log has format ${format}; this Burgee reads format ${STORE_FORMAT}. ${OTHER_VERSION_ADVICE}`;
  throw new UnfitServerError(message, true);
}
