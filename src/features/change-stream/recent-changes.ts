import type { Frame } from '../../base/queues/channel.ts';
import { Fifo } from '../../base/queues/fifo.ts';
import type { Revisions } from '../../state/revisions.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import { RightsChanges } from './rights-changes.ts';
import { type TouchedEntity, touchedBy } from './shown-entities.ts';

/** Maximum number of commits that are kept, and maximum length of all their texts in characters. */
const COMMITS_MAX = 1_024;
const CHARS_MAX = 2_000_000;

/** Maximum length of the commits that a client missed. A client that missed more reads its lists again, which costs less than many events. */
const FRAME_CHARS_MAX = 32_000;

/** Maximum number of entities that are named for one commit. */
const ENTITIES_MAX = 100;

/** What a caller may see. */
export interface Sight {
  /** Whether the caller sees all projects. */
  readonly isAll: boolean;
  readonly isAdmin: boolean;
  /** The id of the user; null for an admin token, which sees everything. */
  readonly user: string | null;
  /** Whether the caller sees the project. */
  has(project: string): boolean;
}

/** An entity as it is sent: its text is created once for all callers. */
interface SentEntity {
  readonly project: string | null;
  readonly isForAdmins: boolean;
  /** JSON. */
  readonly text: string;
}

interface Entry {
  readonly seq: number;
  /** The id of the event: the position of a client that has received it. */
  readonly position: string;
  /** The JSON of the event up to its list of entities. */
  readonly head: string;
  readonly entities: readonly SentEntity[];
  /** The projects of entities that are not named, because the commit changed too many; null is an entity without a project. */
  readonly unnamed: ReadonlySet<string | null>;
  readonly chars: number;
}

const NONE: ReadonlySet<string | null> = new Set();

/**
 * The last commits, with the entities that they changed. Every replica computes the same entries from the log. Their number and their size are
 * bounded.
 */
export class RecentChanges {
  readonly #state: State;
  readonly #entries = new Fifo<Entry>();
  readonly #commitsMax: number;
  readonly #rights: RightsChanges;
  #chars = 0;
  /** The entries contain all commits after this one. */
  #floor: number;
  #position: string;
  /** The frames of callers who see all projects, by their start position: of admins and of other callers. All of them end at the current position. */
  readonly #shared = { admins: new Map<string, Frame>(), others: new Map<string, Frame>() };

  constructor(state: State, commitsMax = COMMITS_MAX) {
    this.#state = state;
    this.#commitsMax = commitsMax;
    this.#rights = new RightsChanges(commitsMax);
    this.#floor = state.seq;
    this.#position = positionOf(state.revisions, state.seq);
  }

  /** The position after the newest commit. */
  get position(): string {
    return this.#position;
  }

  add(applied: AppliedCommit): void {
    const entry = entryOf(applied, this.#state.revisions);
    this.#position = entry.position;
    this.#forgetShared();
    this.#rights.note(applied, this.#state);
    this.#entries.push(entry);
    this.#chars += entry.chars;
    while (this.#entries.length > this.#commitsMax || this.#chars > CHARS_MAX) this.#drop();
  }

  /** Forgets all commits: another state has replaced the one that they led to. */
  restart(): void {
    this.#entries.clear();
    this.#rights.restart();
    this.#chars = 0;
    this.#floor = this.#state.seq;
    this.#position = positionOf(this.#state.revisions, this.#state.seq);
    this.#forgetShared();
  }

  /**
   * The commits after `position` as events, without what the caller may not see. Null if not all of them are kept, or if one of them may have changed
   * the rights of the caller: then what the caller has may contain what they may not see any more, which no event names.
   */
  since(position: string, sight: Sight): Frame | null {
    if (sight.user !== null && this.#rights.concern(sight.user, Number.parseInt(position, 10))) return null;
    if (!sight.isAll) return this.#frame(position, sight);
    const shared = sight.isAdmin ? this.#shared.admins : this.#shared.others;
    const known = shared.get(position);
    if (known !== undefined) return known;
    const frame = this.#frame(position, sight);
    if (frame !== null && shared.size < SHARED_MAX) shared.set(position, frame);
    return frame;
  }

  #frame(position: string, sight: Sight): Frame | null {
    const seq = this.#seqOf(position);
    if (seq === undefined) return null;
    let text = '';
    for (let index = seq - this.#floor; index < this.#entries.length; index++) {
      text += eventOf(this.#entries.at(index) as Entry, sight);
      if (text.length > FRAME_CHARS_MAX) return null;
    }
    return { revision: this.#position, bytes: Buffer.from(text) };
  }

  /** The number of the commit at the position; undefined if the commits after it are not all kept, or if the position belongs to another history. */
  #seqOf(position: string): number | undefined {
    const seq = Number.parseInt(position, 10);
    const isKept = seq >= this.#floor && seq <= this.#floor + this.#entries.length;
    return isKept && position === positionOf(this.#state.revisions, seq) ? seq : undefined;
  }

  #drop(): void {
    const dropped = this.#entries.shift() as Entry;
    this.#chars -= dropped.chars;
    this.#floor = dropped.seq;
  }

  #forgetShared(): void {
    this.#shared.admins.clear();
    this.#shared.others.clear();
  }
}

/** Maximum number of shared frames. Clients are at few different positions. */
const SHARED_MAX = 64;

function positionOf(revisions: Revisions, seq: number): string {
  const mark = revisions.mark(seq);
  return mark === '' ? String(seq) : `${seq}.${mark}`;
}

function entryOf({ commit, changes, bulk }: AppliedCommit, revisions: Revisions): Entry {
  const { seq, at, by } = commit;
  const named = new Map<string, TouchedEntity>();
  const unnamed = new Set<string | null>(bulk?.projects);
  for (const change of bulk?.changesExceptFlags ?? changes) addTouched(change, named, unnamed);
  const entities = Array.from(named.values(), ({ isForAdmins, ...entity }) => ({
    project: entity.project,
    isForAdmins,
    text: JSON.stringify(entity),
  }));
  const head = JSON.stringify({ revision: seq, at, author: by }).slice(0, -1);
  const chars = entities.reduce((sum, { text }) => sum + text.length, head.length);
  return {
    seq,
    position: positionOf(revisions, seq),
    head,
    entities,
    unnamed: unnamed.size === 0 ? NONE : unnamed,
    chars,
  };
}

/** Several changes of one commit can concern the same entity: it is named once, with all environments. */
function addTouched(change: AppliedChange, named: Map<string, TouchedEntity>, unnamed: Set<string | null>): void {
  if (named.size >= ENTITIES_MAX && unnamed.size >= UNNAMED_MAX) return;
  for (const entity of touchedBy(change)) {
    const key = JSON.stringify([entity.type, entity.id, entity.project]);
    const known = named.get(key);
    if (known) {
      const environments = [...new Set([...known.environments, ...entity.environments])];
      named.set(key, { ...known, environments });
    } else if (named.size < ENTITIES_MAX) named.set(key, entity);
    else if (!entity.isForAdmins) unnamed.add(entity.project);
  }
}

/** Maximum number of projects whose entities are not named. */
const UNNAMED_MAX = 1_000;

/** The event of one commit as the caller may see it; "" if the commit changed nothing that the caller may see. */
function eventOf({ position, head, entities, unnamed }: Entry, sight: Sight): string {
  const texts = entities.filter((entity) => isVisible(entity, sight)).map(({ text }) => text);
  const hasMore = unnamed.size > 0 && [...unnamed].some((project) => project === null || sight.has(project));
  if (texts.length === 0 && !hasMore) return '';
  return `event: commit\nid: ${position}\ndata: ${head},"entities":[${texts.join()}],"more":${hasMore}}\n\n`;
}

function isVisible({ project, isForAdmins }: SentEntity, sight: Sight): boolean {
  if (isForAdmins) return sight.isAdmin;
  return project === null || sight.isAll || sight.has(project);
}
