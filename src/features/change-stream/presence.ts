import type { Clock } from '../../base/clock.ts';
import { getOrMake } from '../../base/get-or-make.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Author } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Sight } from './recent-changes.ts';

/** How long a report is valid. A page repeats its report before that. */
export const PRESENCE_MS = 30_000;

/** Interval of checking for reports that are no longer valid. */
const SWEEP_MS = 5_000;

/** How long an entity is kept after its last page was closed, so that all streams are sent the empty list. */
const EMPTY_MS = 60_000;

/** Maximum number of entities. If there are more, those without pages are dropped immediately: at most `PAGES_MAX` of them have pages. */
const TARGETS_MAX = 2 * 2_000;

/** Maximum number of pages: of all people, and of one person. */
const PAGES_MAX = 2_000;
const PAGES_OF_ONE_MAX = 50;

export const PRESENCE_TYPES = ['feature', 'segment', 'project', 'environment'] as const;
type PresenceType = (typeof PRESENCE_TYPES)[number];

export const PRESENCE_MODES = ['viewing', 'editing'] as const;
type PresenceMode = (typeof PRESENCE_MODES)[number];

/** What one page of a person shows. */
export interface PresenceReport {
  /** An id that the page has chosen. */
  readonly page: string;
  readonly type: PresenceType;
  readonly id: string;
  readonly mode: PresenceMode;
}

interface Page {
  readonly holder: string;
  readonly author: Author;
  readonly mode: PresenceMode;
  readonly target: Target;
  readonly endsMs: number;
}

/** An entity that somebody looks at. */
interface Target {
  readonly key: string;
  readonly type: PresenceType;
  readonly id: string;
  project: string | null;
  readonly pages: Set<Page>;
  /** The version at which its list of people changed last, and the time of that change. */
  version: number;
  changedMs: number;
}

const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many pages are open.', [], 30);

/**
 * Who looks at what, and who edits it, as pages report it. Kept in the memory of this process: people who use another replica are not included. Every
 * change has a version, so that a stream sends only the lists that changed since its last event.
 */
export class Presence {
  readonly #clock: Clock;
  readonly #pages = new Map<string, Page>();
  readonly #targets = new Map<string, Target>();
  /** Each entity under its version: a stream finds the changes since its last event without a search of all entities. */
  readonly #byVersion = new Map<number, Target>();
  readonly #countOf = new Map<string, number>();
  readonly #changed: () => void;
  #version = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `changed` is called after every change. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get version(): number {
    return this.#version;
  }

  /** Records the report of one page of the person. A later report of the same page replaces it. */
  report(
    holder: string,
    author: Author,
    { page, type, id, mode }: PresenceReport,
    project: string | null,
  ): Rejection | undefined {
    const key = pageKey(holder, page);
    const before = this.#pages.get(key);
    const pagesOfHolder = this.#countOf.get(holder) ?? 0;
    const isFull = this.#pages.size >= PAGES_MAX || pagesOfHolder >= PAGES_OF_ONE_MAX;
    if (before === undefined && isFull) return TOO_MANY;
    const targetKey = JSON.stringify([type, id]);
    const isSame = before?.target.key === targetKey && before.mode === mode;
    if (before) this.#remove(key, before, !isSame);
    const emptyTarget = (): Target => ({
      key: targetKey,
      type,
      id,
      project,
      pages: new Set(),
      version: 0,
      changedMs: 0,
    });
    if (this.#targets.size >= TARGETS_MAX) this.#dropEmpty(Number.POSITIVE_INFINITY);
    const target = getOrMake(this.#targets, targetKey, emptyTarget);
    target.project = project;
    const made: Page = { holder, author, mode, target, endsMs: this.#clock.nowMs() + PRESENCE_MS };
    this.#pages.set(key, made);
    this.#countOf.set(holder, (this.#countOf.get(holder) ?? 0) + 1);
    target.pages.add(made);
    if (!isSame) this.#touch(target);
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return undefined;
  }

  /** The page was closed. */
  leave(holder: string, page: string): void {
    const key = pageKey(holder, page);
    const known = this.#pages.get(key);
    if (known) this.#remove(key, known, true);
  }

  /** The lists of people that changed after `version`, as events, without the entities that the caller may not see. */
  since(version: number, position: string, sight: Sight): string {
    let text = '';
    for (const target of this.#changedSince(version)) {
      const { type, id, project } = target;
      if (target.version <= version || (project !== null && !sight.isAll && !sight.has(project))) continue;
      const data = JSON.stringify({ type, id, project, people: peopleOf(target) });
      text += `event: presence\nid: ${position}\ndata: ${data}\n\n`;
    }
    return text;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, page] of this.#pages) if (page.endsMs <= nowMs) this.#remove(key, page, true);
    this.#dropEmpty(nowMs);
    if (this.#pages.size > 0 || this.#targets.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #remove(key: string, page: Page, isChange: boolean): void {
    const { holder, target } = page;
    this.#pages.delete(key);
    target.pages.delete(page);
    const rest = (this.#countOf.get(holder) ?? 1) - 1;
    if (rest === 0) this.#countOf.delete(holder);
    else this.#countOf.set(holder, rest);
    if (isChange) this.#touch(target);
  }

  /** The entities that may have changed after `version`: a lookup for each later version, or all entities if they are fewer. */
  *#changedSince(version: number): Generator<Target> {
    if (!(this.#version - version < this.#targets.size)) return yield* this.#targets.values();
    for (let next = version + 1; next <= this.#version; next++) {
      const target = this.#byVersion.get(next);
      if (target) yield target;
    }
  }

  /** Drops entities without pages whose last change was long enough before `nowMs`. */
  #dropEmpty(nowMs: number): void {
    for (const [key, { pages, version, changedMs }] of this.#targets) {
      if (pages.size > 0 || changedMs + EMPTY_MS > nowMs) continue;
      this.#targets.delete(key);
      this.#byVersion.delete(version);
    }
  }

  #touch(target: Target): void {
    this.#byVersion.delete(target.version);
    target.version = ++this.#version;
    this.#byVersion.set(target.version, target);
    target.changedMs = this.#clock.nowMs();
    this.#changed();
  }
}

function pageKey(holder: string, page: string): string {
  return JSON.stringify([holder, page]);
}

/** Each person once, as editing if one of their pages is. */
function peopleOf({ pages }: Target): readonly object[] {
  const people = new Map<string, { id: number; name: string; mode: PresenceMode }>();
  for (const { holder, author, mode } of pages) {
    if (mode === 'editing' || !people.has(holder)) people.set(holder, { ...author, mode });
  }
  return [...people.values()];
}

/** The project of an entity that exists: null if it belongs to no project. Undefined if the entity does not exist. */
export function projectOfTarget(reader: StateReader, type: PresenceType, id: string): string | null | undefined {
  switch (type) {
    case 'feature':
      return reader.get('features', id)?.project;
    case 'segment':
      return reader.get('segments', id)?.project;
    case 'project':
      return reader.get('projects', id)?.id;
    case 'environment':
      return reader.get('environments', id) && null;
  }
}
