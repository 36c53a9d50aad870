/** What is said of a refusal, whenever and wherever it is met. */
interface Refusal {
  /** Goes into a sentence: "writes are refused: …". */
  readonly says: string;
  /** What whoever runs Burgee should do. */
  readonly advice: string;
}

const BY_ITSELF = 'Writes are taken again by themselves';

/** Why writes are refused: all the reasons there are, and what to do about each. Names are told to callers and in gauges: they stay. */
export const REFUSALS = {
  unreachable: {
    says: 'the store is out of reach',
    advice: `Bring Redis back, or the network on the way to it. ${BY_ITSELF}.`,
  },
  'signed-out': {
    says: 'Redis does not accept the user or password, or refuses a command to that user',
    advice: `Give the user of REDIS_URL the rights that the message names. ${BY_ITSELF}. A wrong user or password needs a new REDIS_URL and a restart.`,
  },
  'unfit-server': {
    says: 'Redis is not set up as it has to be, or holds the log of a newer Burgee',
    advice: 'Do what the message says, and start Burgee again.',
  },
  'read-only': {
    says: 'Redis is a replica of another server, and takes no writes',
    advice: `Promote it (REPLICAOF NO ONE), or let REDIS_URL name the primary. ${BY_ITSELF} once it is one.`,
  },
  'memory-full': {
    says: 'Redis has used up its maxmemory',
    advice: `Raise maxmemory, or make room in Redis. ${BY_ITSELF}.`,
  },
  'server-disk': {
    says: 'Redis cannot write to its disk, and takes no writes until it can',
    advice: `See to the disk and the log of Redis. ${BY_ITSELF}.`,
  },
  'replicas-behind': {
    says: 'too few replicas of Redis keep up with it',
    advice: `See to the replicas of Redis, or lower REDIS_WAIT_REPLICAS and start Burgee again. ${BY_ITSELF}.`,
  },
  refused: {
    says: 'Redis answers, but refuses to write',
    advice: 'Look at what it answered, and at its log.',
  },
  'disk-full': {
    says: 'there is no room on the disk of DATA_DIR',
    advice: `Free some disk space. ${BY_ITSELF}.`,
  },
  'disk-failed': {
    says: 'a write to the data file failed, or the file was taken away; nothing more is written to it',
    advice: 'Do what the message says, check the disk, then start Burgee again.',
  },
  comparing: {
    says: 'Redis was started again, and replicas compare what they know',
    advice:
      'Wait: this takes as long as REDIS_GRACE_MS, or until the replica that knows most has put back what is missing.',
  },
  behind: {
    says: 'Redis holds less than it acknowledged',
    advice: 'Wait: the replica that knows most puts it back. docs/replicas.md tells more.',
  },
  superseded: {
    says: 'Redis went on without commits of this replica',
    advice: 'Wait: this replica writes those down and takes what Redis has. docs/replicas.md tells more.',
  },
  halted: {
    says: 'Redis does not hold what it acknowledged, and REDIS_ON_LOSS is halt',
    advice: 'Put Redis right, or start the replicas again with REDIS_ON_LOSS=refill. docs/replicas.md tells more.',
  },
  contested: {
    says: 'replicas hold different continuations of what Redis has',
    advice: 'Stop the replicas of one line until the other has gone on. docs/replicas.md tells more.',
  },
  incomplete: {
    says: 'keys of Redis are gone, and no replica that runs holds all that was in them',
    advice:
      'Start the replica that wrote last, or restore Redis from a backup. To go on with what replicas still hold, remove the other keys as well. docs/replicas.md says more.',
  },
  foreign: {
    says: 'Redis holds a history that has nothing to do with the one of this replica',
    advice: 'Start this replica again to take what Redis has, or restore a backup into Redis.',
  },
  loading: {
    says: 'the state is being loaded from the store',
    advice: 'Wait: this takes seconds.',
  },
  'not-followed': {
    says: 'the log cannot be read any further',
    advice: 'Bring this Burgee up to date if a newer one wrote the log (docs/upgrades.md); else restore a backup.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalReason = keyof typeof REFUSALS;

export const REFUSAL_REASONS = Object.keys(REFUSALS) as readonly RefusalReason[];

/** Writes are refused. Reads go on. */
export interface WriteRefusal {
  readonly reason: RefusalReason;
  /** RFC 3339: from when on no write was taken, whatever the reason was then. */
  readonly since: string;
  /** What was met, in the words of whoever met it. */
  readonly message: string;
  readonly advice: string;
}
