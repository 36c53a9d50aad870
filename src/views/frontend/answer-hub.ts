import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import { momentsPassed, type Needs, timePosition } from '../../evaluation/needs.ts';
import type { Scope } from '../../model/caller.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';
import { AnswerChanges } from './answer-changes.ts';
import { type FlagDifference, type FlagMoment, flagDifferences } from './flag-differences.ts';

/** Versions that are remembered by the names of what they changed, and names in all of them. A stream that is further behind is sent everything. */
const VERSIONS_MAX = 1_024;
const NAMES_MAX = 65_536;

/** Names that are sent at a time. */
const SENT_NAMES_MAX = 1_024;

/** How often flags are looked at anew that read the time other than by dates. */
const CLOCK_EVERY_MS = 10_000;

/** Whole answers that are kept for contexts that are answered alike, and their bytes: until something changes. */
const WHOLE_MAX = 64;
const WHOLE_BYTES_MAX = 4 * 1024 * 1024;

/** Where a hub gets flags. */
export interface HubSource {
  readonly clock: Clock;
  readonly logger: Logger;
  flags(scope: Scope): FlagSnapshot | Promise<FlagSnapshot>;
  /** Names the content of a snapshot that was taken this moment: equal texts, equal flags, on every replica and after every restart. */
  position(scope: Scope, snapshot: FlagSnapshot): string;
}

/** One version of what a scope's streams are sent. */
export interface HubVersion extends FlagMoment {
  readonly number: number;
  /** Names its content and how far the time has come, where that makes a difference. */
  readonly position: string;
  /** The position of a stream that was sent it: one text for all of them. What readers send is never equal to it. */
  readonly revision: string;
  readonly needs: Needs;
}

interface Past {
  readonly number: number;
  readonly revision: string;
  /** What changed with it; null when that is not known. */
  readonly names: readonly string[] | null;
}

/**
 * What the frontend streams of one scope are sent, from version to version. A version is published when everything it needs is compiled; from then on
 * telling it is synchronous. What a change costs here does not depend on how many listen.
 */
export class AnswerHub {
  readonly #scope: Scope;
  readonly #source: HubSource;
  readonly #onPublished: () => void;
  #current: HubVersion | undefined;
  #previous: HubVersion | undefined;
  #latest: ReadonlyMap<string, FlagDifference> | null = null;
  readonly #past: Past[] = [];
  readonly #byRevision = new Map<string, number>();
  #names = 0;
  /** By the version that readers have; all bring to the current one. */
  readonly #changes = new Map<number, AnswerChanges | null>();
  readonly #whole = new Map<string, Uint8Array>();
  #wholeBytes = 0;
  #isRunning = false;
  #isDirty = false;
  #isClosed = false;
  #ready: Promise<void>;
  #setReady: () => void = () => {};

  constructor(scope: Scope, source: HubSource, onPublished: () => void) {
    this.#scope = scope;
    this.#source = source;
    this.#onPublished = onPublished;
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.wake();
  }

  /** Undefined until the first one is published. */
  get current(): HubVersion | undefined {
    return this.#current;
  }

  /** Resolves with the first version. */
  async ready(): Promise<HubVersion> {
    if (this.#current === undefined) await this.#ready;
    return this.#current as HubVersion;
  }

  /** The scope's flags may be others. All that happens in one turn of the loop is one version. */
  wake(): void {
    this.#isDirty = true;
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  /** Looks whether time has made a difference. */
  tick(): void {
    const version = this.#current;
    if (version === undefined) return;
    const nowMs = this.#source.clock.nowMs();
    const { needs } = version;
    const hasCome = momentsPassed(needs, nowMs) !== momentsPassed(needs, version.nowMs);
    if (hasCome || (needs.readsClock && Math.abs(nowMs - version.nowMs) >= CLOCK_EVERY_MS)) this.wake();
  }

  /** No stream listens any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** What brings readers from the version to the current one; null when they have to be sent everything. */
  changesFrom(number: number): AnswerChanges | null {
    let changes = this.#changes.get(number);
    if (changes === undefined) {
      changes = this.#changesFrom(number);
      this.#changes.set(number, changes);
    }
    return changes;
  }

  /** The number of the version of that revision, if it is remembered. */
  numberOf(revision: string): number | undefined {
    return this.#byRevision.get(revision);
  }

  /** A whole answer of the current version, kept for contexts of this key. */
  whole(key: string): Uint8Array | undefined {
    return this.#whole.get(key);
  }

  keepWhole(version: HubVersion, key: string, bytes: Uint8Array): void {
    if (version !== this.#current || this.#whole.size >= WHOLE_MAX) return;
    if (this.#wholeBytes + bytes.byteLength > WHOLE_BYTES_MAX) return;
    this.#whole.set(key, bytes);
    this.#wholeBytes += bytes.byteLength;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDirty && !this.#isClosed) {
        this.#isDirty = false;
        await this.#advance();
      }
    } catch (error) {
      // The next change tries again; readers keep their current answers.
      this.#source.logger.error({ err: error }, 'an update for frontend streams failed');
    }
    this.#isRunning = false;
  }

  async #advance(): Promise<void> {
    const { clock } = this.#source;
    let snapshot = this.#source.flags(this.#scope);
    // Taken and named in one turn, so that the name is that of what was taken.
    while (snapshot instanceof Promise) {
      await snapshot;
      snapshot = this.#source.flags(this.#scope);
    }
    const content = this.#source.position(this.#scope, snapshot);
    const slicer = new Slicer();
    const needs = await workInSlices(snapshot.findNeeds(), slicer);
    const nowMs = clock.nowMs();
    const position = `${content}${timePart(needs, nowMs)}`;
    const before = this.#current;
    const number = (before?.number ?? 0) + 1;
    const after = { number, snapshot, nowMs, position, revision: revisionOf(position), needs };
    if (before === undefined) {
      this.#publish(after, null);
      return;
    }
    const differences = await workInSlices(flagDifferences(before, after), slicer);
    for (const { before: was, after: is } of differences?.values() ?? []) {
      if (was) await workInSlices(before.snapshot.ready(was), slicer);
      if (is) await workInSlices(snapshot.ready(is), slicer);
    }
    // Also without differences: readers then have the current position.
    if (differences?.size !== 0 || position !== before.position) this.#publish(after, differences);
  }

  #publish(version: HubVersion, differences: ReadonlyMap<string, FlagDifference> | null): void {
    this.#previous = this.#current;
    this.#current = version;
    this.#latest = differences;
    this.#changes.clear();
    this.#whole.clear();
    this.#wholeBytes = 0;
    const names = differences && differences.size <= SENT_NAMES_MAX ? [...differences.keys()] : null;
    const { number, revision } = version;
    this.#past.push({ number, revision, names });
    this.#byRevision.set(revision, number);
    this.#names += names?.length ?? 0;
    while (this.#past.length > VERSIONS_MAX || this.#names > NAMES_MAX) this.#forgetOldest();
    this.#setReady();
    this.#onPublished();
  }

  #forgetOldest(): void {
    const oldest = this.#past.shift() as Past;
    this.#names -= oldest.names?.length ?? 0;
    if (this.#byRevision.get(oldest.revision) === oldest.number) this.#byRevision.delete(oldest.revision);
  }

  #changesFrom(number: number): AnswerChanges | null {
    const after = this.#current as HubVersion;
    const before = this.#previous;
    if (before && number === before.number)
      return this.#latest && this.#latest.size <= SENT_NAMES_MAX
        ? new AnswerChanges([...this.#latest.values()], before, after)
        : null;
    const first = this.#past[0] as Past;
    if (number < first.number || number > after.number) return null;
    const names = new Set<string>();
    for (let index = number - first.number + 1; index < this.#past.length; index++) {
      const { names: changed } = this.#past[index] as Past;
      if (changed === null) return null;
      for (const name of changed) names.add(name);
      if (names.size > SENT_NAMES_MAX) return null;
    }
    // What they were sent of these flags is not known, so they are sent all of them.
    const differences = [...names].map((name) => ({ name, before: undefined, after: after.snapshot.cell(name) }));
    const isCompiled = differences.every(({ after: cell }) => cell === undefined || cell.flag !== undefined);
    return isCompiled ? new AnswerChanges(differences, undefined, after) : null;
  }
}

/** Of the version at the position. */
export function revisionOf(position: string): string {
  return `=${position}`;
}

/** How far the time has come, as far as flags ask. */
function timePart(needs: Needs, nowMs: number): string {
  return needs.readsClock || needs.momentsMs.length > 0 ? `~${timePosition(needs, nowMs)}` : '';
}
