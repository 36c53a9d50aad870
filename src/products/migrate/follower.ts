import { setTimeout as delay } from 'node:timers/promises';
import { favoritesOf } from './favorites-reader.ts';
import type { Holdings } from './holdings.ts';
import { noHoldings } from './holdings.ts';
import { type ImportBatch, importHoldings, importPersonalData, type MigrationResult } from './importer.ts';
import type { InstanceClient } from './instance-client.ts';
import { readInstance, readOneFeature } from './instance-reader.ts';
import { integer, type Loose, list, object, text } from './loose-json.ts';
import { importProtections, remainingProtections } from './protections.ts';
import { type Removable, removeDeleted, removeDeletedTokens } from './remover.ts';

/** Number of events in one answer. If more events are new, all data is read again. */
const EVENTS_PAGE = 100;

/** Maximum number of flags that are read one by one. If more flags have changed, all data is read again. */
const FLAGS_MAX = 50;

/** All data is read again after this time, even without events: some versions of Unleash do not write an event for every change. */
const FULL_READ_EVERY_MS = 10 * 60_000;

/** Types of events after which no data is read. Events about favourites contain the change. Reading the archive causes `features-exported`. */
const IGNORED_EVENT_TYPES = /^(features-exported|client-register|client-metrics|application-created|.*favorited)$/;

/** Types of events about a change of one flag. After such an event, only this flag is read. */
const ONE_FLAG_EVENT_TYPES =
  /^feature-(?!.*(archived|revived|deleted|import|created|project))|^strategy-order-changed$/;

const FAVORITE_STAYS = 'it was removed in the source; in this service it stays until the user removes it';

interface FollowOptions {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly importBatch: ImportBatch;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Reports the result of a round that changed something. `what`: the data that was read. */
  report(what: string, result: MigrationResult): void;
}

/**
 * Keeps the target equal to the source until a signal stops it. An object that was deleted in the source is removed from the target if an earlier
 * round found it in the source. After a failed round, the next round tries again.
 */
export async function follow(
  options: FollowOptions,
  start: StartingPoint,
  fail: (error: Error) => void,
): Promise<void> {
  const follower = new Follower(options, start);
  while (!options.signal.aborted) {
    // Not the sleep of a clock: this timer keeps the process alive.
    await delay(options.intervalMs, undefined, { signal: options.signal }).catch(() => {});
    if (options.signal.aborted) return;
    await follower.round().catch((error: unknown) => fail(error as Error));
  }
}

/** The data that was read and imported before following starts. */
interface StartingPoint {
  readonly holdings: Holdings;
  /** The number of the newest event before the data was read. Undefined if the instance does not show events. */
  readonly newestEvent: number | undefined;
}

/** The newest events, newest first. Undefined if the instance does not show events. */
async function readEvents(source: InstanceClient) {
  const answer =
    (await source.getOptional(`/api/admin/search/events?limit=${EVENTS_PAGE}&offset=0`)) ??
    (await source.getOptional('/api/admin/events'));
  return answer === undefined ? undefined : list(object(answer).events);
}

function newestOf(events: Awaited<ReturnType<typeof readEvents>>): number | undefined {
  return events && Math.max(0, ...events.map(({ id }) => integer(id, 0)));
}

/** The number of the newest event. Undefined if the instance does not show events. */
export async function readNewestEvent(source: InstanceClient): Promise<number | undefined> {
  return newestOf(await readEvents(source));
}

class Follower {
  readonly #options: FollowOptions;
  #known: Holdings;
  #newest: number | undefined;
  #fullReadMs = performance.now();

  constructor(options: FollowOptions, { holdings, newestEvent }: StartingPoint) {
    this.#options = options;
    this.#known = holdings;
    this.#newest = newestEvent;
  }

  async round(): Promise<void> {
    const events = await readEvents(this.#options.source);
    const newEvents = events?.filter(({ id }) => integer(id, 0) > (this.#newest ?? 0));
    const hasAllEvents = newEvents !== undefined && newEvents.length < EVENTS_PAGE;
    const relevantEvents = hasAllEvents
      ? newEvents.filter(({ type }) => !IGNORED_EVENT_TYPES.test(text(type)))
      : undefined;
    const isDue = performance.now() - this.#fullReadMs >= FULL_READ_EVERY_MS;
    if (relevantEvents === undefined || isDue || !(await this.#importFlags(relevantEvents))) await this.#importAll();
    if (newEvents !== undefined) await this.#importFavorites(newEvents);
    // Set only at the end: after a failed round, the next round must read the same events.
    this.#newest = newestOf(events);
  }

  /** Reads and imports only the changed flags. Resolves with false if all data must be read instead. */
  async #importFlags(relevantEvents: readonly Loose[]): Promise<boolean> {
    if (relevantEvents.length === 0) return true;
    const flags = new Map<string, string>();
    for (const { type, featureName, project } of relevantEvents) {
      if (!ONE_FLAG_EVENT_TYPES.test(text(type)) || text(featureName) === '' || text(project) === '') return false;
      flags.set(text(featureName), text(project));
    }
    if (flags.size > FLAGS_MAX) return false;
    const part: Holdings = { ...noHoldings(), segmentNames: this.#known.segmentNames };
    for (const [name, project] of flags) {
      const feature = await readOneFeature(this.#options.source, project, name);
      if (feature === undefined) return false;
      part.features.push(feature);
    }
    this.#report(`${flags.size} flags read`, await this.#import(part));
    return true;
  }

  /** Imports the favourites that the events set. Removed favourites are reported as refused: an admin cannot remove the favourite of another user. */
  async #importFavorites(newEvents: readonly Loose[]): Promise<void> {
    const { favoriteByKey, removed } = favoritesOf(newEvents, this.#known);
    if (favoriteByKey.size + removed.length === 0) return;
    const remainingItems = removed.map(
      ({ name, email, username }) =>
        ({
          kind: 'favorites',
          name: `${name} of ${email ?? username}`,
          outcome: 'refused',
          reason: FAVORITE_STAYS,
        }) as const,
    );
    const { items, unchanged } = await this.#import({ ...noHoldings(), favorites: [...favoriteByKey.values()] });
    this.#report('favourites read', { items: [...remainingItems, ...items], unchanged });
  }

  async #importAll(): Promise<void> {
    const { source, target } = this.#options;
    const holdings = await readInstance(source);
    const tokens = await removeDeletedTokens({ source, target }, this.#known, holdings);
    this.#fullReadMs = performance.now();
    const { items, unchanged } = await this.#import(holdings);
    const others = await removeDeleted({ source, target }, this.#known, holdings);
    const remainingItems = remainingProtections(this.#known, holdings);
    this.#report('all data read', {
      items: [...tokens.items, ...items, ...others.items, ...remainingItems],
      unchanged,
    });
    this.#known = withRemaining(holdings, { ...others.remaining, apiTokens: tokens.remaining.apiTokens });
  }

  /** Imports all data of `holdings` into the target. */
  async #import(holdings: Holdings): Promise<MigrationResult> {
    const { target, importBatch } = this.#options;
    const result = await importHoldings(holdings, importBatch, () => {});
    await importProtections(target, holdings.protections, result);
    await importPersonalData(holdings, { importBatch, progress: () => {}, all: result });
    return result;
  }

  #report(what: string, result: MigrationResult): void {
    if (result.items.length > 0) this.#options.report(what, result);
  }
}

/** The data of the source, plus objects that were deleted in the source and not yet in the target. The next round tries to remove them again. */
function withRemaining(holdings: Holdings, { apiTokens, features, segments, banners }: Removable): Holdings {
  return {
    ...holdings,
    apiTokens: [...holdings.apiTokens, ...apiTokens],
    features: [...holdings.features, ...features],
    segments: [...holdings.segments, ...segments],
    banners: [...holdings.banners, ...banners],
  };
}
