import { createHash } from 'node:crypto';
import { allPermissionsOf, prepareAllPermissions } from '../../access/effective-permissions.ts';
import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { includesEtag } from '../../base/etag.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import { byText } from '../../base/lists/sorted.ts';
import { bodyInParts, type PreparedAnswer, preparedAnswer } from '../../base/prepared-answer.ts';
import { atOnce, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Caller } from '../../model/caller.ts';
import { FEATURE_TYPES, type Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';
import { gzipParts, type JoinedPieces, joined } from '../../views/payload/body.ts';
import { Piece } from '../../views/payload/piece.ts';
import type { ChangesSince, RecentChanges } from '../flags/recent-changes.ts';
import { lifetimes } from './details.ts';
import type { FlagIndex, IndexSnapshot } from './flag-index.ts';
import { type Columns, columnTexts, hashedPieces, inIndexOrder } from './index-blocks.ts';
import type { Layout } from './index-rows.ts';

/** The header with the moment that the caller has after it has applied the answer. */
export const INDEX_REVISION_HEADER = 'burgee-index-revision';

/** Maximum number of scopes whose bodies are kept, and of differences that are kept until the next commit. */
const SCOPES_MAX = 32;
const DIFFERENCES_MAX = 64;
/** Maximum size of differences that are kept: larger ones, such as those of long descriptions, are made for each caller. */
const DIFFERENCE_BYTES_MAX = 256 * 1024;

/** Maximum number of flags that an answer with differences compares. More are answered with the whole index. */
const DIFFERENT_FLAGS_MAX = 2_000;

/** The same for a stream, which gets them in one step, and maximum length of their text. For more, the reader of the stream makes a request. */
const STREAMED_FLAGS_MAX = 20;
const STREAMED_CHARS_MAX = 64_000;
const NOT_STREAMED = 'null';

/** Number of pieces that are joined in one step. */
const STEP_PIECES = 1_024;

interface IndexRequest {
  /** The moment whose index the caller has; undefined if it has none. */
  readonly since?: string;
  /** Further columns that the answer contains. */
  readonly fields?: Exclude<Columns, 'rows'>;
  /** The header `If-None-Match`; "" if it is missing. */
  readonly known: string;
  readonly gzip: boolean;
}

/** The projects that a caller sees. Callers with equal keys see the same flags. */
interface IndexScope extends Pick<VisibleProjects, 'has'> {
  readonly isAll: boolean;
  readonly key: string;
  /** The private projects among them; not used if the caller sees all projects. */
  readonly privateProjects: ReadonlySet<string>;
}

/** The part of an answer that all callers of a scope share. */
interface SharedPart {
  readonly joined: JoinedPieces;
  /** Identifies the bytes. */
  readonly digest: string;
}

/** Answers requests for the index of flags. */
export class IndexAnswers {
  readonly #index: FlagIndex;
  readonly #recent: RecentChanges;
  readonly #state: State;
  /** Scope and fields → the body for the blocks of `#bodiesOf`. */
  readonly #bodies = new Map<string, SharedPart>();
  #bodiesOf: IndexSnapshot['blocks'] | undefined;
  /** Start, scope and fields → the differences up to now, as a part of an answer; fields and flags → their rows now, for streams. */
  readonly #parts = new UntilNextCommit<SharedPart>();
  readonly #streamed = new UntilNextCommit<string>();
  /** Start → what changed up to now; null if streams do not send it. */
  readonly #streamedChanges = new UntilNextCommit<ChangesSince | null>();
  /** The permissions of a person → what they see. With thousands of private projects it takes a millisecond to find that. */
  readonly #scopes = new WeakMap<object, { readonly layout: Layout; readonly scope: IndexScope }>();

  constructor(index: FlagIndex, recent: RecentChanges, state: State) {
    this.#index = index;
    this.#recent = recent;
    this.#state = state;
  }

  /** The differences since the moment that the caller has, or the whole index. */
  async answer(caller: Caller, asker: Asker, request: IndexRequest): Promise<PreparedAnswer> {
    const slicer = Slicer.of(asker);
    return (
      (await this.#answerDifferences(caller, request, slicer)) ?? (await this.#answerWhole(caller, request, slicer))
    );
  }

  async #answerWhole(caller: Caller, request: IndexRequest, slicer: Slicer): Promise<PreparedAnswer> {
    const snapshot = await this.#index.renewed(slicer.asker);
    const scope = await this.#scopeOf(caller, snapshot.layout);
    const shared = await this.#whole(snapshot, scope, request.fields, slicer);
    const end = this.#end(caller, scope);
    const etag = `"${digestOf([shared.digest, end])}"`;
    const headers = { etag, 'cache-control': 'private, no-cache', ...headersOf(snapshot, scope) };
    if (includesEtag(request.known, etag)) return preparedAnswer(304, headers);
    return answerOf(headers, shared.joined, end, request.gzip);
  }

  /** Undefined if the differences are not known or too many, or if the caller sees other projects than at that time. */
  async #answerDifferences(
    caller: Caller,
    { since, fields, gzip }: IndexRequest,
    slicer: Slicer,
  ): Promise<PreparedAnswer | undefined> {
    if (since === undefined) return undefined;
    await this.#prepare(caller);
    const { layout } = this.#index;
    const scope = this.#scopeNow(caller, layout);
    const { seq, revisions } = this.#state;
    const from = Number.parseInt(since, 10);
    if (!(from <= seq) || since !== momentText({ seq: from, mark: revisions.mark(from) }, scope)) return undefined;
    const headers = { 'cache-control': 'no-store', ...headersOf({ seq, mark: revisions.mark(seq) }, scope) };
    const end = this.#end(caller, scope);
    const now = this.#now;
    const key = `${since}.${fields}`;
    const known = this.#parts.get(now, key);
    if (known) return answerOf(headers, known.joined, end, gzip);
    const changes = this.#changesSince(from, DIFFERENT_FLAGS_MAX);
    if (!changes) return undefined;
    const found = this.#differences(changes, scope);
    const head = this.#head(layout, fields, found.removed);
    const { pieces, digest } = await hashedPieces(differencesTexts(head, found.changed, layout, fields), slicer);
    const part = { joined: joined(pieces), digest };
    if (this.#now === now && part.joined.lengthBytes <= DIFFERENCE_BYTES_MAX) this.#parts.keep(now, key, part);
    return answerOf(headers, part.joined, end, gzip);
  }

  /** Begins to note which flags change, for streams that will ask for differences. */
  follow(): void {
    this.#recent.follow();
  }

  /**
   * The differences since a commit of the current history, for a stream of the caller, as JSON; "" if the caller sees none, and null if they are not known
   * or too many, or if it is not known yet what the caller sees: then the reader makes a request. Synchronous, so it is limited more than an answer.
   */
  streamed(caller: Caller, from: number, fields: IndexRequest['fields']): string {
    const changes = this.#changesForStreams(from);
    if (changes === null) return NOT_STREAMED;
    const found = this.#differences(changes, visibleProjects(this.#state, caller));
    if (found.changed.length + found.removed.length === 0) return '';
    const preparing = caller.user === null ? undefined : prepareAllPermissions(this.#state, caller.user);
    // The request of the reader waits for the same work, and reports its errors.
    void preparing?.catch(() => {});
    if (preparing) return NOT_STREAMED;
    const { layout } = this.#index;
    const scope = this.#scopeNow(caller, layout);
    const now = this.#now;
    const key = JSON.stringify([fields, found.changed.map(({ name }) => name), found.removed]);
    let text = this.#streamed.get(now, key);
    if (text === undefined) {
      text = this.#streamedText(found, layout, fields);
      this.#streamed.keep(now, key, text);
    }
    if (text === NOT_STREAMED) return text;
    const { seq, revisions } = this.#state;
    const revision = momentText({ seq, mark: revisions.mark(seq) }, scope);
    return `{"revision":${JSON.stringify(revision)},${text.slice(1)}${this.#end(caller, scope)}`;
  }

  #changesForStreams(from: number): ChangesSince | null {
    const now = this.#now;
    const key = String(from);
    let changes = this.#streamedChanges.get(now, key);
    if (changes === undefined) {
      changes = this.#changesSince(from, STREAMED_FLAGS_MAX) ?? null;
      this.#streamedChanges.keep(now, key, changes);
    }
    return changes;
  }

  #streamedText(found: Differences, layout: Layout, fields: IndexRequest['fields']): string {
    const head = this.#head(layout, fields, found.removed);
    let length = head.length;
    for (const { description } of found.changed) length += description?.length ?? 0;
    return length > STREAMED_CHARS_MAX
      ? NOT_STREAMED
      : atOnce(differencesTexts(head, found.changed, layout, fields)).join('');
  }

  /** Identifies the current state. */
  get #now(): string {
    const { generation, seq } = this.#state;
    return `${generation}.${seq}`;
  }

  /** What changed since the commit; undefined if that is not known, or if it is more than the rows of `flagsMax` flags. */
  #changesSince(from: number, flagsMax: number): ChangesSince | undefined {
    const moment = { seq: from, generation: this.#state.generation };
    const changes = this.#recent.since(moment, flagsMax);
    return this.#recent.keepsOtherRows(moment) ? changes : undefined;
  }

  /** What these changes show differently to who sees these projects. */
  #differences({ flags }: ChangesSince, { has }: Pick<VisibleProjects, 'has'>): Differences {
    const changed: Feature[] = [];
    const removed: string[] = [];
    for (const [name, project] of flags) {
      const feature = this.#state.get('features', name);
      if (feature && has(feature.project)) changed.push(feature);
      else if (project !== null && has(project)) removed.push(name);
    }
    return { changed, removed: removed.sort(byText) };
  }

  /** The whole index up to the caller's favourites. */
  async #whole(
    { blocks, layout }: IndexSnapshot,
    scope: IndexScope,
    fields: IndexRequest['fields'],
    slicer: Slicer,
  ): Promise<SharedPart> {
    if (this.#bodiesOf !== blocks) this.#bodies.clear();
    this.#bodiesOf = blocks;
    const head = this.#head(layout, fields);
    const key = `${scope.key}.${fields}.${head}`;
    const known = this.#bodies.get(key);
    if (known) return known;
    const digests = [head];
    const pieces = [Piece.ofText(head)];
    for (const block of blocks) {
      const isVisible = block.privateProject === null || scope.isAll || scope.privateProjects.has(block.privateProject);
      if (!isVisible) continue;
      if (pieces.length > 1) pieces.push(COMMA);
      for (const columns of columnsOf(fields)) {
        const { pieces: own, digest } = await block.columns(columns, slicer);
        for (const piece of own) pieces.push(piece);
        digests.push(digest);
      }
      pieces.push(BRACE);
    }
    let whole = joined([]);
    for (let at = 0; at < pieces.length; at += STEP_PIECES) {
      whole = joined(pieces.slice(at, at + STEP_PIECES), whole);
      if (slicer.spent) await slicer.pause();
    }
    const part = { joined: whole, digest: digestOf(digests) };
    if (this.#bodies.size >= SCOPES_MAX) this.#bodies.clear();
    if (this.#bodiesOf === blocks) this.#bodies.set(key, part);
    return part;
  }

  /** The answer up to the blocks: the whole index, or differences with the names of the flags that the caller no longer sees. */
  #head({ environments }: Layout, fields: IndexRequest['fields'], removed?: readonly string[]): string {
    const days = fields === 'details' ? { lifetimes: lifetimes(this.#state) } : {};
    const isWhole = removed === undefined;
    const head = { isWhole, environments, types: FEATURE_TYPES, ...days, removed: removed ?? [] };
    return `${JSON.stringify(head).slice(0, -1)},"blocks":[`;
  }

  /** The end of an answer, which only this caller gets. */
  #end({ user }: Caller, { has }: IndexScope): string {
    const names: string[] = [];
    for (const { kind, name } of user === null ? [] : this.#state.lookup('favoritesByUser', user)) {
      const feature = kind === 'feature' ? this.#state.get('features', name) : undefined;
      if (feature && has(feature.project)) names.push(name);
    }
    return `],"favorites":${JSON.stringify(names.sort(byText))}}`;
  }

  async #scopeOf(caller: Caller, layout: Layout): Promise<IndexScope> {
    await this.#prepare(caller);
    return this.#scopeNow(caller, layout);
  }

  async #prepare({ user }: Caller): Promise<void> {
    if (user !== null) await prepareAllPermissions(this.#state, user);
  }

  #scopeNow(caller: Caller, layout: Layout): IndexScope {
    if (visibleProjects(this.#state, caller).isAll) return EVERYTHING;
    const permissions = caller.user === null ? undefined : allPermissionsOf(this.#state, caller.user);
    const known = permissions && this.#scopes.get(permissions);
    if (known?.layout === layout) return known.scope;
    const { privateProjects, projects } = layout;
    const own = privateProjects.filter((project) => permissions?.inProjects.has(project));
    const set = new Set(own);
    const has = (project: string) => projects.get(project)?.isPrivate === false || set.has(project);
    const scope = { isAll: false, key: digestOf(own).slice(0, KEY_CHARS), privateProjects: set, has };
    if (permissions) this.#scopes.set(permissions, { layout, scope });
    return scope;
  }
}

interface Differences {
  readonly changed: readonly Feature[];
  /** The names of flags that the caller no longer sees. */
  readonly removed: readonly string[];
}

/** Values that belong to one moment of the state. Their number is limited. */
class UntilNextCommit<Value> {
  readonly #values = new Map<string, Value>();
  #moment = '';

  get(moment: string, key: string): Value | undefined {
    return moment === this.#moment ? this.#values.get(key) : undefined;
  }

  keep(moment: string, key: string, value: Value): void {
    if (moment !== this.#moment) this.#values.clear();
    this.#moment = moment;
    if (this.#values.size < DIFFERENCES_MAX) this.#values.set(key, value);
  }
}

const KEY_CHARS = 11;
const EVERYTHING: IndexScope = { isAll: true, key: 'all', privateProjects: new Set(), has: () => true };
const [COMMA, BRACE] = [Piece.ofText(','), Piece.ofText('}')];

const columnsOf = (fields: IndexRequest['fields']): Columns[] => (fields ? ['rows', fields] : ['rows']);

function* differencesTexts(
  head: string,
  changed: readonly Feature[],
  layout: Layout,
  fields: IndexRequest['fields'],
): Steps<string[]> {
  if (changed.length === 0) return [head];
  const features = changed.toSorted(inIndexOrder);
  const texts = [head];
  for (const columns of columnsOf(fields)) pushAll(texts, yield* columnTexts(columns, features, layout));
  return [...texts, '}'];
}

function headersOf(moment: Pick<IndexSnapshot, 'seq' | 'mark'>, scope: IndexScope) {
  return {
    'content-type': 'application/json; charset=utf-8',
    vary: 'authorization, cookie, accept-encoding',
    [INDEX_REVISION_HEADER]: momentText(moment, scope),
  };
}

/** Identifies the state at a moment, and what the scope contains of it. */
function momentText({ seq, mark }: Pick<IndexSnapshot, 'seq' | 'mark'>, { key }: IndexScope): string {
  return `${seq}.${mark}.${key}`;
}

function digestOf(texts: readonly string[]): string {
  // One update for all texts: a caller may see thousands of private projects.
  return createHash('sha256')
    .update(`${texts.join('\n')}\n`)
    .digest('base64url')
    .slice(0, 22);
}

function answerOf(
  headers: Readonly<Record<string, string>>,
  shared: JoinedPieces,
  end: string,
  gzip: boolean,
): PreparedAnswer {
  const whole = joined([Piece.ofText(end)], shared);
  if (gzip) return preparedAnswer(200, { ...headers, 'content-encoding': 'gzip' }, gzipParts(whole));
  return preparedAnswer(200, headers, bodyInParts(whole.bytes));
}
