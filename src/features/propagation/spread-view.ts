import { randomBytes } from 'node:crypto';
import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Frame } from '../../base/queues/channel.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { PartitionKey } from '../../state/revisions.ts';
import { type Propagation, projectOf, type Touch } from './propagation.ts';
import { Tally } from './spread.ts';

/** Maximum number of commits in a view. */
export const COMMITS_SHOWN = 50;
/** Maximum number of projects and environments that are named for one commit. */
const TOUCHED_SHOWN = 20;

/** A commit is not final before this time, because other replicas report their connections twice a second. */
const FINAL_AFTER_MS = 2_000;
/** After this time a commit is final, also if it has lagging connections. */
const FOLLOWED_MS = 15 * 60_000;

/** A commit as it is sent. */
interface Sent {
  /** JSON. */
  readonly text: string;
  /** The version of the view in which the text changed. */
  readonly version: number;
  readonly isFinal: boolean;
}

/** A commit of a view, with what it touched in the visible projects. */
interface Shown {
  readonly touch: Touch;
  readonly touched: readonly PartitionKey[];
  readonly tally?: Tally;
}

/** Makes the revisions of views differ from those of other processes. */
const PROCESS = randomBytes(6).toString('hex');
let viewCount = 0;

/** The propagation of the newest commits in some projects. */
export class SpreadView {
  /** Undefined: all projects are visible. */
  readonly #projects: ReadonlySet<string> | undefined;
  readonly #id = `${PROCESS}.${++viewCount}`;
  /** By revision, the oldest first. */
  #commits = new Map<number, Sent>();
  #version = 0;
  isCounted = false;

  /** `projects`: the visible projects; null if all are visible. */
  constructor(projects: readonly string[] | null) {
    this.#projects = projects === null ? undefined : new Set(projects);
  }

  /** Whether no commit can change any more. */
  get isFinal(): boolean {
    return [...this.#commits.values()].every(({ isFinal }) => isFinal);
  }

  get revision(): string {
    return `${this.#id}:${this.#version}`;
  }

  start(): Frame {
    const data = JSON.stringify({ commits: COMMITS_SHOWN });
    return { revision: `${this.#id}:0`, bytes: Buffer.from(`event: connected\ndata: ${data}\n\n`) };
  }

  /** The commits whose text has changed after this revision; null if it is no revision of this view. */
  since(revision: string): Frame | null {
    const [id, version = ''] = revision.split(':');
    if (id !== this.#id || !/^\d{1,15}$/.test(version)) return null;
    let text = '';
    for (const sent of this.#commits.values())
      if (sent.version > Number(version)) text += `event: commit\ndata: ${sent.text}\n\n`;
    return { revision: this.revision, bytes: Buffer.from(text) };
  }

  /** Counts the connections for all commits that are not final. */
  async count(propagation: Propagation, clock: Clock): Promise<void> {
    // Work of the service: subscribers with the same projects share the view.
    const slicer = Slicer.of(SERVICE);
    const shown = await inSlices(this.#shown(propagation.newestTouches()), slicer);
    const tallies = shown.flatMap(({ tally }) => tally ?? []);
    await propagation.count(tallies, slicer.asker);
    const version = this.#version + 1;
    const commits = await inSlices(this.#sent(shown, version, clock.nowMs()), slicer);
    if ([...commits.values()].some((sent) => sent.version === version)) this.#version = version;
    this.#commits = commits;
    this.isCounted = true;
  }

  /** The newest commits that changed something in the visible projects, the oldest first. Those that are not final have a tally. */
  *#shown(newestTouches: Iterable<Touch>): Steps<readonly Shown[]> {
    const shown: Shown[] = [];
    for (const touch of newestTouches) {
      yield;
      const touched = touch.touched.filter((key) => this.#projects?.has(projectOf(key)) ?? true);
      if (touched.length === 0) continue;
      const isFinal = this.#commits.get(touch.seq)?.isFinal;
      shown.push({ touch, touched, ...(isFinal ? {} : { tally: new Tally(touch.seq, touch.at, touched) }) });
      if (shown.length === COMMITS_SHOWN) break;
    }
    return shown.reverse();
  }

  /** The commits as they are sent, after the count. A commit whose text did not change keeps its version. */
  *#sent(shown: readonly Shown[], version: number, nowMs: number): Steps<Map<number, Sent>> {
    const commits = new Map<number, Sent>();
    for (const { touch, touched, tally } of shown) {
      const before = this.#commits.get(touch.seq);
      const after = tally ? sentOf(tally, touch, touched, version, nowMs) : before;
      if (after) commits.set(touch.seq, before?.text === after.text ? before : after);
      yield;
    }
    return commits;
  }
}

function sentOf(tally: Tally, { at }: Touch, touched: readonly PartitionKey[], version: number, nowMs: number): Sent {
  const { revision, concerned, have, unknown, tookMs } = tally.spread();
  const ageMs = nowMs - Date.parse(at);
  const isComplete = have === concerned && unknown === 0;
  const isFinal = (isComplete && ageMs >= FINAL_AFTER_MS) || ageMs >= FOLLOWED_MS;
  const text = JSON.stringify({
    revision,
    at,
    touched: touched.slice(0, TOUCHED_SHOWN).map((key) => ({
      project: projectOf(key),
      environment: key.slice(0, key.indexOf('/')),
    })),
    more: touched.length > TOUCHED_SHOWN,
    concerned,
    have,
    unknown,
    share: concerned === 0 ? 1 : have / concerned,
    tookMs,
    slowest: tally.slowest,
    final: isFinal,
  });
  return { text, version, isFinal };
}
