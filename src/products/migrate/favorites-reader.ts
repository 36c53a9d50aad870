import type { Imported } from '../../features/import-export/instance/input.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { type Loose, list, object, text, time, whole } from './loose-json.ts';
import { nameOfPerson } from './people.ts';

const TYPES = ['feature-favorited', 'feature-unfavorited', 'project-favorited', 'project-unfavorited'] as const;

/** Number of events in one answer. */
const PAGE = 100;

/** Maximum number of events that are read. */
const EVENTS_MAX = 20_000;

type Favorite = Imported<'favorites'>;

/** The favourites of the caller: names of flags and ids of projects that lists mark as favourites. */
interface OwnFavorites {
  readonly features: readonly string[];
  readonly projects: readonly string[];
}

/**
 * Reads the favourites of all people. An instance returns only the favourites of the caller. The favourites of other people are read from its events:
 * the newest event of a person about an object decides whether the object is a favourite.
 */
export async function readFavorites(client: InstanceClient, holdings: Holdings, own: OwnFavorites): Promise<void> {
  const { people, favorites, notes } = holdings;
  if (people.users.length === 0) return;
  const { events, missing } = await readEvents(client);
  if (missing !== undefined) notes.push({ about: 'favourites', text: missing });
  const { marked } = favoritesOf(events, holdings);
  const asking = await whoAsks(client, holdings);
  if (asking !== undefined) {
    for (const [kind, names] of [
      ['feature', own.features],
      ['project', own.projects],
    ] as const) {
      for (const name of names) {
        const key = `${asking.id} ${kind} ${name}`;
        if (!marked.has(key)) marked.set(key, { ...whoIs(asking), kind, name });
      }
    }
  }
  favorites.push(...marked.values());
}

/** Only the events that set or remove a favourite, newest first. */
function ofFavorites(events: readonly Loose[]): Loose[] {
  return events
    .filter(({ type }) => (TYPES as readonly unknown[]).includes(type))
    .sort((left, right) => whole(right.id, 0) - whole(left.id, 0));
}

/**
 * The favourites that these events set and remove, for known people and objects. An event that is older than the flag or project with its name is
 * ignored: it was about an earlier object with the same name.
 */
export function favoritesOf(
  events: readonly Loose[],
  holdings: Holdings,
): { readonly marked: Map<string, Favorite>; readonly withdrawn: Favorite[] } {
  const marked = new Map<string, Favorite>();
  const withdrawn: Favorite[] = [];
  const users = new Map(holdings.people.users.map((person) => [person.id, person]));
  const madeAt = timesOf(holdings);
  const decided = new Set<string>();
  for (const event of ofFavorites(events)) {
    const data = object(event.data);
    const person = users.get(whole(data.userId ?? event.createdByUserId, 0)) ?? personNamed(holdings, event.createdBy);
    const kind = text(event.type).startsWith('project') ? 'project' : 'feature';
    const name =
      kind === 'project'
        ? text(data.project) || text(event.project)
        : text(data.feature) || text(data.featureName) || text(event.featureName);
    if (person === undefined) continue;
    const key = `${person.id} ${kind} ${name}`;
    if (decided.has(key)) continue;
    decided.add(key);
    const createdAt = time(event.createdAt);
    const made = madeAt.get(`${kind} ${name}`);
    const isOfAnother = createdAt !== undefined && made !== undefined && createdAt < made;
    if (!madeAt.has(`${kind} ${name}`) || isOfAnother) continue;
    const favorite = { ...whoIs(person), kind, name, ...(createdAt && { createdAt }) } as const;
    if (text(event.type).includes('un')) withdrawn.push(favorite);
    else marked.set(key, favorite);
  }
  return { marked, withdrawn };
}

type KnownPerson = Holdings['people']['users'][number];

function whoIs({ email, username }: KnownPerson): Pick<Favorite, 'email' | 'username'> {
  return { email, username };
}

/** The person with this name. In some versions, events contain names instead of user ids. */
function personNamed({ people }: Holdings, sent: unknown): KnownPerson | undefined {
  const name = text(sent).toLowerCase();
  return name === '' ? undefined : people.users.find((person) => nameOfPerson(person).toLowerCase() === name);
}

/** The creation times of flags and projects. A time is undefined if it is not known. */
function timesOf({ features, projects }: Holdings): ReadonlyMap<string, string | undefined> {
  return new Map([
    ...features.map(({ name, createdAt }) => [`feature ${name}`, createdAt] as const),
    ...projects.map(({ id, createdAt }) => [`project ${id}`, createdAt] as const),
  ]);
}

async function whoAsks(client: InstanceClient, { people }: Holdings): Promise<KnownPerson | undefined> {
  const reply = await client.ask('GET', '/api/admin/user');
  if (reply.status !== 200) return undefined;
  const user = object(object(client.parsed('GET', '/api/admin/user', reply)).user);
  // An admin token also has an id.
  return user.type === 'admin' ? undefined : people.users.find(({ id }) => id === user.id);
}

/** The events that were read, and a note if other events could not be read. */
interface FoundEvents {
  readonly events: readonly Loose[];
  readonly missing?: string;
}

const OLDER = `favourites from before the newest ${EVENTS_MAX} events about favourites are not read`;
const UNTOLD = 'this token may not read the events: only favourites in the lists of this token are imported';

async function readEvents(client: InstanceClient): Promise<FoundEvents> {
  const events: Loose[] = [];
  for (;;) {
    const query = `type=IS_ANY_OF:${TYPES.join(',')}&limit=${PAGE}&offset=${events.length}`;
    const answer = await client.getIfThere(`/api/admin/search/events?${query}`);
    if (answer === undefined) return readEventsByType(client);
    const page = list(object(answer).events);
    events.push(...page);
    if (page.length < PAGE) return { events };
    if (events.length >= EVENTS_MAX) return { events, missing: OLDER };
  }
}

/** Same as `readEvents`, for versions whose search accepts only one event type. */
async function readEventsByType(client: InstanceClient): Promise<FoundEvents> {
  const events: Loose[] = [];
  let missing: string | undefined;
  for (const type of TYPES) {
    for (let offset = 0; ; offset += PAGE) {
      const path = '/api/admin/events/search';
      const reply = await client.ask('POST', path, { type, limit: PAGE, offset });
      if (reply.status !== 200) return { events: [], missing: UNTOLD };
      const page = list(object(client.parsed('POST', path, reply)).events);
      events.push(...page);
      if (page.length < PAGE) break;
      if (offset >= EVENTS_MAX) {
        missing = OLDER;
        break;
      }
    }
  }
  return { events, ...(missing !== undefined && { missing }) };
}
