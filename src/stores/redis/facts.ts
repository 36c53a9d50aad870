import type { Claim } from '../course.ts';
import type { Branch, LogPosition } from '../lineage.ts';
import { UnfitServerError } from './server-check.ts';
import type { Reply } from './session.ts';

/** What the server answered to a look. See LOOK. */
export interface Facts {
  /** What this replica knew when it asked: by now it may know more, of which these facts say nothing. */
  readonly asked: LogPosition;
  /** Null: the server has no log. */
  readonly format: number | null;
  readonly isConfirmed: boolean;
  /** Where its history stands; null when it has none. Of an epoch that is followed already, the ancestors are those that are known. */
  readonly line: LogPosition | null;
  readonly firstSeq: number;
  /** Which write its log has at the known place; null when there is no telling. */
  readonly writeThere: string | null;
  /** For how long claims have been made; null when none was. */
  readonly claimedForMs: number | null;
  /** What of the server's history is not there any more, for people; null when nothing is known to be missing. */
  readonly missing: string | null;
  /** The current snapshot; "" when there is none. */
  readonly snapshotId: string;
  /** What the server's clock said. */
  readonly timeMs: number;
  /** Changes with every claim. */
  readonly version: string;
  readonly claims: readonly Claim[];
}

/** @throws UnfitServerError when it is not the server any more that was connected to. */
export function toFacts(reply: Reply, asked: LogPosition, followed: LogPosition | null): Facts {
  if (String((reply as Reply[])[0]) === 'replicated') {
    const message = 'the server was a replica of another one, or has one of its own now: it is looked at anew';
    throw new UnfitServerError(message, false);
  }
  const [confirmed, ...rest] = (reply as Reply[]).map((part) => (part === null ? null : String(part)));
  const [format, epoch, tip, tipWrite, firstSeq, ancestors, writeThere = null, ...more] = rest;
  const [claimedFor, version, missing = null, snapshotId, timeMs, ...claims] = more;
  const known = (ancestors ?? null) === null ? followed?.ancestors : (JSON.parse(ancestors ?? '[]') as Branch[]);
  return {
    asked,
    format: format ? Number(format) : null,
    isConfirmed: confirmed === '1',
    line: epoch ? { epoch, seq: Number(tip), writeId: tipWrite ?? '', ancestors: known ?? [] } : null,
    firstSeq: Number(firstSeq ?? 1),
    writeThere,
    claimedForMs: claimedFor ? Number(claimedFor) : null,
    missing,
    snapshotId: snapshotId ?? '',
    timeMs: Number(timeMs),
    version: version ?? '',
    claims: claims.map((claim) => JSON.parse(claim ?? '') as Claim),
  };
}
