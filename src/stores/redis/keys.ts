/** The keys of one log. All of them share a hash tag, so one node of a cluster stores them, and one script may use them all. */
export interface Keys {
  /** Hash: format, epoch, run, tip, tipWrite, firstSeq, cuts, removed, lastEvent, eventsLost, snapshot, previousSnapshot, ancestors. */
  readonly meta: string;
  /** Stream: the entry with number n has the id `n-0`, its writeId as `w` and its bytes as `d`. */
  readonly log: string;
  /**
   * Stream: the event with id n has the id `n-0` and its bytes as `d`. Trimmed from the oldest on (audit-log.ts). Exists as soon as there was an event,
   * also when all were dropped (lost-events.ts).
   */
  readonly events: string;
  /** Hash: the size of the events, as far as they were measured (audit-log.ts). */
  readonly auditLog: string;
  /** Hash: the state of the election after a restart of the server. Expires by itself. */
  readonly election: string;
  /** Hash: replica → its reported position, as JSON. Expires by itself. */
  readonly lines: string;
  /** String: token of the replica that is storing a snapshot. Expires by itself. */
  readonly lease: string;
  /** Set: ids of snapshots that have pieces, complete or not. */
  readonly snapshots: string;
  /** Hash: number of the piece → its bytes. */
  readonly pieces: (snapshotId: string) => string;
  /** Stream: the copy of the log that will replace it (erasing.ts). Expires by itself. */
  readonly erasing: (id: string) => string;
  /** Hash: name → sum, of one bucket of a series. Expires by itself. */
  readonly counts: (series: string, startMs: number) => string;
  /** Hash: the totals that a bucket's limits apply to, and the newest addition of each recorder. Expires by itself. */
  readonly countsState: (series: string, startMs: number) => string;
  /** Sorted set: starts of the buckets of a series. Expires by itself. */
  readonly counterStarts: (series: string) => string;
  /** A key that a probe tests the rights with. Exists only before Redis 7, during a probe. */
  readonly probe: string;
  /** Pub/sub channel of hints. Not a key, but named like one, so that several logs may share a server. */
  readonly hints: string;
}

export function keysOf(prefix: string): Keys {
  const key = (name: string) => `{${prefix}}:${name}`;
  return {
    meta: key('meta'),
    log: key('log'),
    events: key('events'),
    auditLog: key('trail'),
    election: key('election'),
    lines: key('lines'),
    lease: key('lease'),
    snapshots: key('snapshots'),
    pieces: (snapshotId) => key(`snapshot:${snapshotId}`),
    erasing: (id) => key(`erasing:${id}`),
    counts: (series, startMs) => key(`counters:${series}:${startMs}`),
    countsState: (series, startMs) => key(`counters:${series}:${startMs}:state`),
    counterStarts: (series) => key(`counters:${series}`),
    probe: key('probe'),
    hints: key('hints'),
  };
}

/** Version of the layout of these keys. Raise it when another Burgee could misread the keys. Burgee refuses a log with another number. */
export const STORE_FORMAT = 2;
