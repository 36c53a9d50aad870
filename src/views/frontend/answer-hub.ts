import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import { momentsPassed, type Needs, timePosition } from '../../evaluation/needs.ts';
import type { Scope } from '../../model/caller.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';
import { AnswerChanges } from './answer-changes.ts';
import { type FlagDifference, type FlagMoment, flagDifferences } from './flag-differences.ts';

/** Maximum number of remembered versions, and of the flag names in all of them. A stream with an older version gets the whole answer. */
const VERSIONS_MAX = 1_024;
const NAMES_MAX = 65_536;

/** Maximum number of flags that are sent as changes. If more may have changed, the whole answer is sent. */
const SENT_NAMES_MAX = 1_024;

/** Interval of new versions if a rule reads the time other than by a date comparison. */
const CLOCK_EVERY_MS = 10_000;

/** Maximum number of cached whole answers, and of their bytes. Contexts with the same answer share one. A new version clears the cache. */
const WHOLE_ANSWERS_MAX = 64;
const WHOLE_ANSWERS_BYTES_MAX = 4 * 1024 * 1024;

/** The source of the flags of a hub. */
export interface HubSource {
  readonly clock: Clock;
  readonly logger: Logger;
  flags(scope: Scope): FlagSnapshot | Promise<FlagSnapshot>;
  /** A text that identifies the content of a current snapshot: equal texts mean equal flags, on every replica and after every restart. */
  position(scope: Scope, snapshot: FlagSnapshot): string;
}

/** One version of the answers for the streams of a scope. */
export interface HubVersion extends FlagMoment {
  readonly number: number;
  /** A text that identifies the content, and the position in time if the answers depend on the time. */
  readonly position: string;
  /** The revision of the streams that have this version. It is never equal to a text that a reader sends. */
  readonly revision: string;
  readonly needs: Needs;
}

interface PastVersion {
  readonly number: number;
  readonly revision: string;
  /** Names of the flags that may have changed with this version; null when they are not known or too many. */
  readonly names: readonly string[] | null;
}

/**
 * The versions of the answers for the frontend streams of one scope. A version is published when all its changed flags are compiled, so its changes
 * are then created synchronously. The cost of a change in the hub does not depend on the number of streams.
 */
export class AnswerHub {
  readonly #scope: Scope;
  readonly #source: HubSource;
  readonly #onPublished: () => void;
  #current: HubVersion | undefined;
  #previous: HubVersion | undefined;
  #latestDifferences: ReadonlyMap<string, FlagDifference> | null = null;
  readonly #pastVersions: PastVersion[] = [];
  readonly #byRevision = new Map<string, number>();
  #names = 0;
  /** Number of the version that a reader has → the changes to the current version. */
  readonly #changes = new Map<number, AnswerChanges | null>();
  readonly #wholeAnswers = new Map<string, Uint8Array>();
  #wholeAnswersBytes = 0;
  #isRunning = false;
  #isDirty = false;
  #isClosed = false;
  #whenPublished: Promise<void>;
  #setReady: () => void = () => {};

  constructor(scope: Scope, source: HubSource, onPublished: () => void) {
    this.#scope = scope;
    this.#source = source;
    this.#onPublished = onPublished;
    this.#whenPublished = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.wake();
  }

  /** The current version; undefined until the first version is published. */
  get current(): HubVersion | undefined {
    return this.#current;
  }

  /** Resolves with the current version, after the first version is published. */
  async whenPublished(): Promise<HubVersion> {
    if (this.#current === undefined) await this.#whenPublished;
    return this.#current as HubVersion;
  }

  /** Call it when the flags of the scope may have changed. All changes in one turn of the event loop make one version. */
  wake(): void {
    this.#isDirty = true;
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  /** Creates a new version if the time may have changed an answer. */
  tick(): void {
    const version = this.#current;
    if (version === undefined) return;
    const nowMs = this.#source.clock.nowMs();
    const { needs } = version;
    const hasMomentPassed = momentsPassed(needs, nowMs) !== momentsPassed(needs, version.nowMs);
    if (hasMomentPassed || (needs.readsClock && Math.abs(nowMs - version.nowMs) >= CLOCK_EVERY_MS)) this.wake();
  }

  /** Call it when the last stream was closed: no more versions are created. */
  close(): void {
    this.#isClosed = true;
  }

  /** The changes from the version to the current one; null when the whole answer must be sent. */
  changesFrom(number: number): AnswerChanges | null {
    let changes = this.#changes.get(number);
    if (changes === undefined) {
      changes = this.#changesFrom(number);
      this.#changes.set(number, changes);
    }
    return changes;
  }

  /** Whether no flag has changed since the version with this revision. False if the version is not remembered. */
  isUnchangedSince(revision: string): boolean {
    const number = this.#byRevision.get(revision);
    const first = this.#pastVersions[0];
    if (number === undefined || first === undefined) return false;
    return this.#pastVersions.slice(number - first.number + 1).every(({ names }) => names?.length === 0);
  }

  /** The number of the version with this revision; undefined when it is not remembered. */
  numberOf(revision: string): number | undefined {
    return this.#byRevision.get(revision);
  }

  /** The cached whole answer of the current version for contexts with this key. */
  wholeAnswer(key: string): Uint8Array | undefined {
    return this.#wholeAnswers.get(key);
  }

  cacheWholeAnswer(version: HubVersion, key: string, bytes: Uint8Array): void {
    if (version !== this.#current || this.#wholeAnswers.size >= WHOLE_ANSWERS_MAX) return;
    if (this.#wholeAnswersBytes + bytes.byteLength > WHOLE_ANSWERS_BYTES_MAX) return;
    this.#wholeAnswers.set(key, bytes);
    this.#wholeAnswersBytes += bytes.byteLength;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDirty && !this.#isClosed) {
        this.#isDirty = false;
        await this.#advance();
      }
    } catch (error) {
      // The next change tries again; readers keep their current answers.
      this.#source.logger.error(
        { err: error },
        'an update for frontend streams failed; browsers keep their flags until the next change',
      );
    }
    this.#isRunning = false;
  }

  async #advance(): Promise<void> {
    const { clock } = this.#source;
    let snapshot = this.#source.flags(this.#scope);
    // The snapshot and its position are read in the same turn, so that the position is that of the snapshot.
    while (snapshot instanceof Promise) {
      await snapshot;
      snapshot = this.#source.flags(this.#scope);
    }
    const content = this.#source.position(this.#scope, snapshot);
    const slicer = Slicer.of(SERVICE);
    const needs = await workInSlices(snapshot.findNeeds(), slicer);
    const nowMs = clock.nowMs();
    const position = positionAt(content, needs, nowMs);
    const before = this.#current;
    const number = (before?.number ?? 0) + 1;
    const after = { number, snapshot, nowMs, position, revision: revisionOf(position), needs };
    if (before === undefined) {
      this.#publish(after, null);
      return;
    }
    const differences = await workInSlices(flagDifferences(before, after), slicer);
    for (const { before: oldCell, after: newCell } of differences?.values() ?? []) {
      if (oldCell) await workInSlices(before.snapshot.compileCell(oldCell), slicer);
      if (newCell) await workInSlices(snapshot.compileCell(newCell), slicer);
    }
    // A version with a new position is published even if it has no differences, so that readers get the current position.
    if (differences?.size !== 0 || position !== before.position) this.#publish(after, differences);
  }

  #publish(version: HubVersion, differences: ReadonlyMap<string, FlagDifference> | null): void {
    this.#previous = this.#current;
    this.#current = version;
    this.#latestDifferences = differences;
    this.#changes.clear();
    this.#wholeAnswers.clear();
    this.#wholeAnswersBytes = 0;
    const names = differences && differences.size <= SENT_NAMES_MAX ? [...differences.keys()] : null;
    const { number, revision } = version;
    this.#pastVersions.push({ number, revision, names });
    this.#byRevision.set(revision, number);
    this.#names += names?.length ?? 0;
    while (this.#pastVersions.length > VERSIONS_MAX || this.#names > NAMES_MAX) this.#forgetOldest();
    this.#setReady();
    this.#onPublished();
  }

  #forgetOldest(): void {
    const oldest = this.#pastVersions.shift() as PastVersion;
    this.#names -= oldest.names?.length ?? 0;
    if (this.#byRevision.get(oldest.revision) === oldest.number) this.#byRevision.delete(oldest.revision);
  }

  #changesFrom(number: number): AnswerChanges | null {
    const after = this.#current as HubVersion;
    const before = this.#previous;
    if (before && number === before.number)
      return this.#latestDifferences && this.#latestDifferences.size <= SENT_NAMES_MAX
        ? new AnswerChanges([...this.#latestDifferences.values()], before, after)
        : null;
    const first = this.#pastVersions[0] as PastVersion;
    if (number < first.number || number > after.number) return null;
    const names = new Set<string>();
    for (let index = number - first.number + 1; index < this.#pastVersions.length; index++) {
      const { names: changed } = this.#pastVersions[index] as PastVersion;
      if (changed === null) return null;
      for (const name of changed) names.add(name);
      if (names.size > SENT_NAMES_MAX) return null;
    }
    // It is not known which answers the readers have for these flags, so all of these flags are sent.
    const differences = [...names].map((name) => ({ name, before: undefined, after: after.snapshot.cell(name) }));
    const isCompiled = differences.every(({ after: cell }) => cell === undefined || cell.flag !== undefined);
    return isCompiled ? new AnswerChanges(differences, undefined, after) : null;
  }
}

/** The revision of the version at this position. */
export function revisionOf(position: string): string {
  return `=${position}`;
}

/** The position of a version with this content. Its last part depends on the time; it is missing if no flag reads the time. */
export function positionAt(content: string, needs: Needs, nowMs: number): string {
  return needs.readsClock || needs.momentsMs.length > 0 ? `${content}~${timePosition(needs, nowMs)}` : content;
}
