import { decodeEventHead } from '../../state/commit.ts';
import { type AuditLog, type EventEntry, eventSizeBytes } from '../../stores/store.ts';

/** What the audit log may grow to. 0: without a bound. */
export interface RetentionBounds {
  readonly eventsMax: number;
  readonly ageMaxMs: number;
  readonly bytesMax: number;
}

/** An audit log, and how many events of it are looked at as the oldest ones. */
type MeasuredLog = Pick<AuditLog, 'count' | 'sizeBytes'>;

/** Whether something is to be dropped. `oldestMs` is when the oldest event happened; null when nobody can say. */
export function isBeyond(
  { count, sizeBytes }: MeasuredLog,
  oldestMs: number | null,
  bounds: RetentionBounds,
  nowMs: number,
): boolean {
  return (
    count > 0 &&
    ((bounds.eventsMax > 0 && count > bounds.eventsMax) ||
      (bounds.bytesMax > 0 && (sizeBytes ?? 0) > bounds.bytesMax) ||
      (bounds.ageMaxMs > 0 && (oldestMs === null || oldestMs < nowMs - bounds.ageMaxMs)))
  );
}

/** How many of the oldest events are beyond the bounds. An audit log that was not measured yet has no size. */
export function countBeyond(
  auditLog: MeasuredLog,
  oldest: readonly EventEntry[],
  bounds: RetentionBounds,
  nowMs: number,
): number {
  let { count, sizeBytes } = auditLog;
  let beyond = 0;
  for (const [index, event] of oldest.entries()) {
    if (isBeyond({ count, sizeBytes }, Number.POSITIVE_INFINITY, bounds, nowMs)) beyond = index + 1;
    else {
      const atMs = timeOf(event.bytes, nowMs);
      // Whether one goes of which nobody can say is told by the next one: they lie in the order of time.
      if (atMs !== null && !isBeyond({ count, sizeBytes }, atMs, bounds, nowMs)) break;
      if (atMs !== null) beyond = index + 1;
    }
    count -= 1;
    if (sizeBytes !== null) sizeBytes -= eventSizeBytes(event);
  }
  return beyond;
}

/** When an event happened; null when this version cannot read it, or when it is said to have happened later than now. */
export function timeOf(bytes: Uint8Array, nowMs: number): number | null {
  try {
    const atMs = Date.parse(decodeEventHead(bytes).createdAt);
    return atMs <= nowMs ? atMs : null;
  } catch {
    return null;
  }
}
