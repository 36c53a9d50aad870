import { pushAll } from '../../base/lists/push-all.ts';
import type { Imported } from '../../features/import-export/instance/input.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, type Loose, list, object, text, time } from './loose-json.ts';
import { nameOfPerson } from './people.ts';

const EVENT_TYPES = ['feature-favorited', 'feature-unfavorited', 'project-favorited', 'project-unfavorited'] as const;

/** Number of events in one answer. */
const PAGE_SIZE = 100;

/** Maximum number of events that are read. */
const EVENTS_MAX = 20_000;

type Favorite = Imported<'favorites'>;

/** The favourites of the caller: names of flags and ids of projects that lists mark as favourites. */
interface OwnFavorites {
  readonly features: readonly string[];
  readonly projects: readonly string[];
}

/**
 * Reads the favourites of all people. The lists of an instance contain only the favourites of the caller. The favourites of all other people are read
 * from its events: the newest event of a person about an object decides whether the object is a favourite.
 */
export async function readFavorites(client: InstanceClient, holdings: Holdings, own: OwnFavorites): Promise<void> {
  const { people, favorites, notes } = holdings;
  if (people.users.length === 0) return;
  const { events, missing } = await readEvents(client);
  if (missing !== undefined) notes.push({ about: 'favourites', text: missing });
  const { favoriteByKey } = favoritesOf(events, holdings);
  const caller = await ownPerson(client, holdings);
  if (caller !== undefined) {
    for (const [kind, names] of [
      ['feature', own.features],
      ['project', own.projects],
    ] as const) {
      for (const name of names) {
        const key = `${caller.id} ${kind} ${name}`;
        if (!favoriteByKey.has(key)) favoriteByKey.set(key, { ...identityOf(caller), kind, name });
      }
    }
  }
  pushAll(favorites, favoriteByKey.values());
}

/** Only the events that set or remove a favourite, newest first. */
function favoriteEvents(events: readonly Loose[]): Loose[] {
  return events
    .filter(({ type }) => (EVENT_TYPES as readonly unknown[]).includes(type))
    .sort((left, right) => integer(right.id, 0) - integer(left.id, 0));
}

/**
 * The favourites that these events set (by person and object) and remove, for known people and objects. An event that is older than its flag or
 * project is ignored: it was about an earlier object with the same name.
 */
export function favoritesOf(
  events: readonly Loose[],
  holdings: Holdings,
): { readonly favoriteByKey: Map<string, Favorite>; readonly removed: Favorite[] } {
  const favoriteByKey = new Map<string, Favorite>();
  const removed: Favorite[] = [];
  const users = new Map(holdings.people.users.map((person) => [person.id, person]));
  const createdAtByKey = creationTimes(holdings);
  const decidedKeys = new Set<string>();
  for (const event of favoriteEvents(events)) {
    const data = object(event.data);
    const person =
      users.get(integer(data.userId ?? event.createdByUserId, 0)) ?? personNamed(holdings, event.createdBy);
    const kind = text(event.type).startsWith('project') ? 'project' : 'feature';
    const name =
      kind === 'project'
        ? text(data.project) || text(event.project)
        : text(data.feature) || text(data.featureName) || text(event.featureName);
    if (person === undefined) continue;
    const key = `${person.id} ${kind} ${name}`;
    if (decidedKeys.has(key)) continue;
    decidedKeys.add(key);
    const createdAt = time(event.createdAt);
    const objectCreatedAt = createdAtByKey.get(`${kind} ${name}`);
    const isOfEarlierObject = createdAt !== undefined && objectCreatedAt !== undefined && createdAt < objectCreatedAt;
    if (!createdAtByKey.has(`${kind} ${name}`) || isOfEarlierObject) continue;
    const favorite = { ...identityOf(person), kind, name, ...(createdAt && { createdAt }) } as const;
    if (text(event.type).includes('un')) removed.push(favorite);
    else favoriteByKey.set(key, favorite);
  }
  return { favoriteByKey, removed };
}

type KnownPerson = Holdings['people']['users'][number];

function identityOf({ email, username }: KnownPerson): Pick<Favorite, 'email' | 'username'> {
  return { email, username };
}

/** The person with this name. In some versions, events contain names instead of user ids. */
function personNamed({ people }: Holdings, sent: unknown): KnownPerson | undefined {
  const name = text(sent).toLowerCase();
  return name === '' ? undefined : people.users.find((person) => nameOfPerson(person).toLowerCase() === name);
}

/** The creation times of flags and projects. A time is undefined if it is not known. */
function creationTimes({ features, projects }: Holdings): ReadonlyMap<string, string | undefined> {
  return new Map([
    ...features.map(({ name, createdAt }) => [`feature ${name}`, createdAt] as const),
    ...projects.map(({ id, createdAt }) => [`project ${id}`, createdAt] as const),
  ]);
}

async function ownPerson(client: InstanceClient, { people }: Holdings): Promise<KnownPerson | undefined> {
  const reply = await client.ask('GET', '/api/admin/user');
  if (reply.status !== 200) return undefined;
  const user = object(object(client.parse('GET', '/api/admin/user', reply)).user);
  // An admin token also has an id.
  return user.type === 'admin' ? undefined : people.users.find(({ id }) => id === user.id);
}

/** The events that were read, and a note if other events could not be read. */
interface FoundEvents {
  readonly events: readonly Loose[];
  readonly missing?: string;
}

const TOO_MANY_EVENTS = `only the newest ${EVENTS_MAX} events about favourites are read, so older favourites may be missing`;
const EVENTS_REFUSED =
  'this token may not read the events: only the favourites of the owner of this token are imported';

async function readEvents(client: InstanceClient): Promise<FoundEvents> {
  const events: Loose[] = [];
  for (;;) {
    const query = `type=IS_ANY_OF:${EVENT_TYPES.join(',')}&limit=${PAGE_SIZE}&offset=${events.length}`;
    const answer = await client.getOptional(`/api/admin/search/events?${query}`);
    if (answer === undefined) return readEventsByType(client);
    const page = list(object(answer).events);
    pushAll(events, page);
    if (page.length < PAGE_SIZE) return { events };
    if (events.length >= EVENTS_MAX) return { events, missing: TOO_MANY_EVENTS };
  }
}

/** Same as `readEvents`, for versions whose search accepts only one event type. */
async function readEventsByType(client: InstanceClient): Promise<FoundEvents> {
  const events: Loose[] = [];
  let missing: string | undefined;
  for (const type of EVENT_TYPES) {
    for (let offset = 0; ; offset += PAGE_SIZE) {
      const path = '/api/admin/events/search';
      const reply = await client.ask('POST', path, { type, limit: PAGE_SIZE, offset });
      if (reply.status !== 200) return { events: [], missing: EVENTS_REFUSED };
      const page = list(object(client.parse('POST', path, reply)).events);
      pushAll(events, page);
      if (page.length < PAGE_SIZE) break;
      if (offset >= EVENTS_MAX) {
        missing = TOO_MANY_EVENTS;
        break;
      }
    }
  }
  return { events, ...(missing !== undefined && { missing }) };
}
