import { decodeEventHead } from '../../state/commit.ts';
import { type AuditLog, type EventEntry, eventSizeBytes } from '../../stores/store.ts';

/** The bounds of the audit log. 0: no bound. */
export interface RetentionBounds {
  readonly eventsMax: number;
  readonly ageMaxMs: number;
  readonly bytesMax: number;
}

/** How many events the audit log has, and their size. */
type MeasuredLog = Pick<AuditLog, 'count' | 'sizeBytes'>;

/** Whether the audit log exceeds a bound. `oldestMs` is when the oldest event happened; null when that is unknown. */
export function exceedsBounds(
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

/** The number of oldest events that exceed the bounds. If the audit log is not measured yet, its size is not checked. */
export function countExceeding(
  auditLog: MeasuredLog,
  oldest: readonly EventEntry[],
  bounds: RetentionBounds,
  nowMs: number,
): number {
  let { count, sizeBytes } = auditLog;
  let exceeding = 0;
  for (const [index, event] of oldest.entries()) {
    // With an infinite time, only the number of events and their size are compared, not their age.
    if (exceedsBounds({ count, sizeBytes }, Number.POSITIVE_INFINITY, bounds, nowMs)) exceeding = index + 1;
    else {
      const atMs = timeOf(event.bytes, nowMs);
      // Events are in order of time. An event with an unknown time is dropped if a later event is dropped.
      if (atMs !== null && !exceedsBounds({ count, sizeBytes }, atMs, bounds, nowMs)) break;
      if (atMs !== null) exceeding = index + 1;
    }
    count -= 1;
    if (sizeBytes !== null) sizeBytes -= eventSizeBytes(event);
  }
  return exceeding;
}

/** When an event happened; null when this version cannot decode it, or when its time is in the future. */
export function timeOf(bytes: Uint8Array, nowMs: number): number | null {
  try {
    const atMs = Date.parse(decodeEventHead(bytes).createdAt);
    return atMs <= nowMs ? atMs : null;
  } catch {
    return null;
  }
}
