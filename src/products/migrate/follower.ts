import { favoritesOf } from './favorites-reader.ts';
import type { Holdings } from './holdings.ts';
import { noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { readInstance, readOneFeature } from './instance-reader.ts';
import { type Loose, list, object, text, whole } from './loose-json.ts';
import { protectionsThatStay, takeProtections } from './protections.ts';
import { type Removable, removeGone, removeGoneTokens } from './remover.ts';
import { type TakeBatch, type Taking, takeHoldings, takeOfPeople } from './taker.ts';

/** Number of events in one answer. If more events are new, everything is read again. */
const EVENTS_PAGE = 100;

/** Maximum number of flags that are read one by one. If more flags have changed, everything is read again. */
const FLAGS_MAX = 50;

/** Everything is read again after this time, even without events, because some versions do not write an event for every change. */
const WHOLE_EVERY_MS = 10 * 60_000;

/** Types of events after which no data is read. Events of favourites contain the change. Reading the archive itself causes the event of an export. */
const OF_NOTHING = /^(features-exported|client-register|client-metrics|application-created|.*favorited)$/;

/** Types of events that change only one flag. After them, only that flag is read. */
const OF_ONE_FLAG = /^feature-(?!.*(archived|revived|deleted|import|created|project))|^strategy-order-changed$/;

const STAYS = 'it was removed there, and stays here until its owner removes it here, too';

interface Following {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly takeBatch: TakeBatch;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  sent(what: string, taking: Taking): void;
}

/**
 * Keeps the target equal to the source until a signal stops it. An object that was deleted in the source is removed from the target if an earlier
 * round found it in the source. After a failed round, the next round tries again.
 */
export async function follow(following: Following, begin: Beginning, fail: (error: Error) => void): Promise<void> {
  const follower = new Follower(following, begin);
  while (!following.signal.aborted) {
    await pause(following.intervalMs, following.signal);
    if (following.signal.aborted) return;
    await follower.round().catch((error: unknown) => fail(error as Error));
  }
}

/** The start of following: the data that was read, and the number of the newest event before it was read. Undefined if events are not shown. */
interface Beginning {
  readonly holdings: Holdings;
  readonly newestEvent: number | undefined;
}

/** The newest events, newest first. Undefined if the instance does not show events. */
async function readEvents(source: InstanceClient) {
  const answer =
    (await source.getIfThere(`/api/admin/search/events?limit=${EVENTS_PAGE}&offset=0`)) ??
    (await source.getIfThere('/api/admin/events'));
  return answer === undefined ? undefined : list(object(answer).events);
}

function newestOf(events: Awaited<ReturnType<typeof readEvents>>): number | undefined {
  return events && Math.max(0, ...events.map(({ id }) => whole(id, 0)));
}

/** The number of the newest event. Undefined if the instance does not show events. */
export async function readNewestEvent(source: InstanceClient): Promise<number | undefined> {
  return newestOf(await readEvents(source));
}

class Follower {
  readonly #following: Following;
  #known: Holdings;
  #newest: number | undefined;
  #wholeMs = performance.now();

  constructor(following: Following, { holdings, newestEvent }: Beginning) {
    this.#following = following;
    this.#known = holdings;
    this.#newest = newestEvent;
  }

  async round(): Promise<void> {
    const events = await readEvents(this.#following.source);
    const since = events?.filter(({ id }) => whole(id, 0) > (this.#newest ?? 0));
    const isAll = since !== undefined && since.length < EVENTS_PAGE;
    const fresh = isAll ? since.filter(({ type }) => !OF_NOTHING.test(text(type))) : undefined;
    const isDue = performance.now() - this.#wholeMs >= WHOLE_EVERY_MS;
    if (fresh === undefined || isDue || !(await this.#takeFlags(fresh))) await this.#takeWhole();
    if (since !== undefined) await this.#takeFavorites(since);
    // Set only at the end: after a failed round the next one must read the same events.
    this.#newest = newestOf(events);
  }

  /** Reads and imports only the changed flags. Resolves with false if everything must be read instead. */
  async #takeFlags(fresh: readonly Loose[]): Promise<boolean> {
    if (fresh.length === 0) return true;
    const flags = new Map<string, string>();
    for (const { type, featureName, project } of fresh) {
      if (!OF_ONE_FLAG.test(text(type)) || text(featureName) === '' || text(project) === '') return false;
      flags.set(text(featureName), text(project));
    }
    if (flags.size > FLAGS_MAX) return false;
    const part: Holdings = { ...noHoldings(), segmentNames: this.#known.segmentNames };
    for (const [name, project] of flags) {
      const feature = await readOneFeature(this.#following.source, project, name);
      if (feature === undefined) return false;
      part.features.push(feature);
    }
    this.#report(`${flags.size} flags read`, await this.#take(part));
    return true;
  }

  /** Imports the favourites that the events set. Removed favourites are reported as refused: no request removes the favourite of another person. */
  async #takeFavorites(since: readonly Loose[]): Promise<void> {
    const { marked, withdrawn } = favoritesOf(since, this.#known);
    if (marked.size + withdrawn.length === 0) return;
    const stay = withdrawn.map(
      ({ name, email, username }) =>
        ({ kind: 'favorites', name: `${name} of ${email ?? username}`, outcome: 'refused', reason: STAYS }) as const,
    );
    const { items, unchanged } = await this.#take({ ...noHoldings(), favorites: [...marked.values()] });
    this.#report('favourites read', { items: [...stay, ...items], unchanged });
  }

  async #takeWhole(): Promise<void> {
    const { source, target } = this.#following;
    const holdings = await readInstance(source);
    const tokens = await removeGoneTokens({ source, target }, this.#known, holdings);
    this.#wholeMs = performance.now();
    const { items, unchanged } = await this.#take(holdings);
    const others = await removeGone({ source, target }, this.#known, holdings);
    const stay = protectionsThatStay(this.#known, holdings);
    this.#report('everything read', { items: [...tokens.items, ...items, ...others.items, ...stay], unchanged });
    this.#known = withLeft(holdings, { ...others.left, apiTokens: tokens.left.apiTokens });
  }

  async #take(holdings: Holdings): Promise<Taking> {
    const { target, takeBatch } = this.#following;
    const taking = await takeHoldings(holdings, takeBatch, () => {});
    await takeProtections(target, holdings.protections, taking);
    await takeOfPeople(holdings, { takeBatch, progress: () => {}, all: taking });
    return taking;
  }

  #report(what: string, taking: Taking): void {
    if (taking.items.length > 0) this.#following.sent(what, taking);
  }
}

/** The data of the source, plus objects that were deleted there but not yet here: the next round tries to remove them again. */
function withLeft(holdings: Holdings, { apiTokens, features, segments, banners }: Removable): Holdings {
  return {
    ...holdings,
    apiTokens: [...holdings.apiTokens, ...apiTokens],
    features: [...holdings.features, ...features],
    segments: [...holdings.segments, ...segments],
    banners: [...holdings.banners, ...banners],
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
