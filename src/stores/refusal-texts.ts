/** The texts for a refusal. They are the same wherever it is reported. */
interface Refusal {
  /** Why writes are refused: the end of the sentence "writes are refused: …". */
  readonly cause: string;
  /** The advice for the operator. */
  readonly advice: string;
}

const BY_ITSELF = 'Writes are accepted again automatically';

/**
 * All reasons for which writes are refused, and the advice for each. The names of the reasons are in answers and metrics, so they must not change.
 */
export const REFUSALS = {
  unreachable: {
    cause: 'the store is out of reach',
    advice: `Bring Redis back, or the network to it. ${BY_ITSELF}.`,
  },
  'signed-out': {
    cause: 'Redis does not accept the user or password, or refuses a command to that user',
    advice: `Give the user of REDIS_URL the rights that the message names. ${BY_ITSELF}. A wrong user or password needs a new REDIS_URL and a restart.`,
  },
  'unfit-server': {
    cause: 'REDIS_URL does not name a Redis that Burgee can use as it is, or Redis holds the log of a newer Burgee',
    advice: 'Do what the message says, and start Burgee again.',
  },
  'read-only': {
    cause: 'Redis is a replica of another server, and accepts no writes',
    advice: `Promote it (REPLICAOF NO ONE), or let REDIS_URL name the primary. ${BY_ITSELF} once Redis is a primary.`,
  },
  'memory-full': {
    cause: 'Redis has used up its maxmemory',
    advice: `Raise maxmemory, or free memory in Redis. ${BY_ITSELF}.`,
  },
  'server-disk': {
    cause: 'Redis cannot write to its disk, and accepts no writes until it can',
    advice: `Check the disk and the log of Redis. ${BY_ITSELF}.`,
  },
  'replicas-behind': {
    cause: 'too few replicas of Redis keep up with it',
    advice: `Check the replicas of Redis, or lower REDIS_WAIT_REPLICAS and start Burgee again. ${BY_ITSELF}.`,
  },
  refused: {
    cause: 'Redis answers, but refuses to write',
    advice: 'Read the answer of Redis in the message, and the log of Redis.',
  },
  'disk-full': {
    cause: 'there is no space on the disk of DATA_DIR',
    advice: `Free some disk space. ${BY_ITSELF}.`,
  },
  'disk-failed': {
    cause: 'a write to the data file failed, or the file was removed or replaced; nothing more is written to it',
    advice: 'Do what the message says, check the disk, then start Burgee again.',
  },
  comparing: {
    cause: 'Redis was started again, and the replicas compare their newest commits',
    advice:
      'Wait: this takes as long as REDIS_GRACE_MS, or until the replica with the most commits has written the missing ones to Redis.',
  },
  behind: {
    cause: 'Redis holds less than it acknowledged',
    advice: 'Wait: the replica with the most commits writes the missing ones to Redis. See docs/operate/replicas.md.',
  },
  superseded: {
    cause: 'Redis continued without some commits of this replica',
    advice:
      'Wait: this replica writes these commits to a file, then loads the state of Redis. See docs/operate/replicas.md.',
  },
  halted: {
    cause: 'Redis does not hold what it acknowledged, and REDIS_ON_LOSS is halt',
    advice: 'Repair Redis, or restart the replicas with REDIS_ON_LOSS=refill. See docs/operate/replicas.md.',
  },
  contested: {
    cause: 'replicas have different continuations of the history in Redis',
    advice: 'Stop the replicas of one history until the others have continued. See docs/operate/replicas.md.',
  },
  incomplete: {
    cause: 'keys of Redis are missing, and no running replica has all of their content',
    advice:
      'Start the replica that wrote last, or restore Redis from a backup. To continue with what the replicas still have, remove the other keys as well. See docs/operate/replicas.md.',
  },
  foreign: {
    cause: 'Redis holds a history that is not related to the one of this replica',
    advice: 'Start this replica again to load the state of Redis, or restore a backup into Redis.',
  },
  loading: { cause: 'the state is being loaded from the store', advice: 'Wait: this takes seconds.' },
  'not-followed': {
    cause: 'the log cannot be read any further',
    advice: 'Upgrade this Burgee if a newer one wrote the log (docs/operate/upgrades.md); otherwise restore a backup.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalReason = keyof typeof REFUSALS;

export const REFUSAL_REASONS = Object.keys(REFUSALS) as readonly RefusalReason[];

/** Writes are refused. Reads still work. */
export interface WriteRefusal {
  readonly reason: RefusalReason;
  /** Since when writes are refused, as an RFC 3339 time. The reason may have changed since then. */
  readonly since: string;
  /** The message of the error that caused the refusal. */
  readonly message: string;
  readonly advice: string;
}
