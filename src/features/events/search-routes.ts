import Type, { type Static } from 'typebox';
import { readableOf, readableProjects, type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { DAY_MS } from '../../base/clock.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { type Answer, fetchedListAnswer, ok } from '../../http/answer.ts';
import { DateTime, NAME_LENGTH_MAX } from '../../model/primitives.ts';
import { authorOf } from '../../model/user.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { readingStore } from '../shared/reading-store.ts';
import { basisOf } from '../shared/sight-basis.ts';
import { EVENT_GROUP, type EventFields, eventForm } from './present.ts';
import type { EventQuery, PageRange } from './query.ts';
import { EventSchema, Fields } from './schemas.ts';
import type { TextPage } from './search.ts';

const route = routesOf('Events');

const PAGE_LIMIT = 100;
/** The limits that Unleash has for `GET /api/admin/search/events`. */
const SEARCH_LIMIT = 50;
const SEARCH_LIMIT_MAX = 1_000;
const TEXT_LENGTH_MAX = 255;
const CREATORS_MAX = 10_000;

/** The part of an answer that says how far a text search came. */
const SearchedDownTo = {
  searchedDownTo: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Only if a text search was stopped because it took too long: id of the oldest event that was searched. Older events are neither listed nor ' +
        'counted. To search them, send the same request with this number as `beforeId`',
    }),
  ),
  searchedDownToTime: Type.Optional(
    Type.Intersect([DateTime], { description: 'When the event `searchedDownTo` happened' }),
  ),
};

const BeforeId = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Only events with a smaller id. To get all events that match, one page after the other, without an `offset`: if the page is full, send the id ' +
      'of its last event; otherwise `searchedDownTo`; if there is none, the page is the last one',
  }),
);

const Query = Type.String({
  maxLength: TEXT_LENGTH_MAX,
  description:
    'Text that occurs in the event’s type, in the name of the user who caused it, in the name of its flag, project or environment, in its reason, ' +
    'or in its data as JSON; case does not matter',
});

/** The fields with which a client requests a page. */
const PAGE_FIELDS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT,
      default: PAGE_LIMIT,
      description: 'Maximum number of events on a page',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Id of the newest event on the page; default: the newest event of all' }),
  ),
};

const only = (which: string) =>
  Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: `Only events ${which}; case-sensitive` }));

const SearchEventsBody = Type.Object(
  {
    type: only('of this type'),
    project: only('of the project with this id'),
    feature: only('of the flag with this name'),
    query: Type.Optional(Query),
    ...PAGE_FIELDS,
    beforeId: BeforeId,
    fields: Fields,
  },
  { $id: 'searchEvents', description: 'Filters; a filter that is left out matches every event' },
);

const searchEvents = route('POST /api/admin/events/search', 'searchEvents', {
  deprecated: true,
  access: { permission: 'READ' },
  summary: 'Events by type, project, flag and text, newest first',
  description:
    'For the next page, set `offset` to the last id of this page minus 1. `GET /api/admin/search/events` can do more.',
  body: SearchEventsBody,
  responses: {
    200: {
      description: 'A page of the matching events',
      schema: Type.Object(
        {
          version: Type.Literal(1, { description: 'Version of the format' }),
          events: Type.Array(EventSchema, { description: 'Newest first' }),
          totalEvents: Type.Integer({ minimum: 0, description: 'Number of matching events on all pages' }),
          ...SearchedDownTo,
        },
        { $id: 'foundEvents', description: 'A page of the matching events' },
      ),
    },
  },
  errors: [429],
  handle({ body, caller, asker }, services) {
    const { type, project, feature, query = '', limit = PAGE_LIMIT, offset, beforeId, fields } = body;
    const filters = { types: type === undefined ? undefined : [type], project, feature, beforeId };
    const page = { fromId: offset ?? Number.MAX_SAFE_INTEGER, limit, fields };
    return search(
      services,
      { visible: visibleProjects(services.state, caller), asker },
      filters,
      query,
      page,
      (found) => ({
        version: 1,
        totalEvents: found.total,
        ...searchedPart(found),
      }),
    );
  },
});

/** A parameter with one value, `IS:value`, or with several, `IS_ANY_OF:value,value`. */
const oneOf = (what: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(IS|IS_ANY_OF):',
      description: `${what}: \`IS:value\`, or \`IS_ANY_OF:value,value\` for any of several`,
    }),
  );
/** The same as `oneOf`, for numbers. */
const oneOfNumbers = (what: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(IS: *-?\\d{1,15} *|IS_ANY_OF: *-?\\d{1,15} *(, *-?\\d{1,15} *)*)$',
      description: `${what}: \`IS:1\`, or \`IS_ANY_OF:1,2\` for any of several`,
    }),
  );
const dayOrTime = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^IS:\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2}))?$',
      description: `${description}: a day in UTC as \`IS:2026-01-31\`, or a time as \`IS:2026-01-31T09:30:00+01:00\``,
    }),
  );

const SearchQuery = Type.Object({
  query: Type.Optional(Query),
  id: oneOfNumbers('Only events with this id'),
  type: oneOf('Only events of this type'),
  project: oneOf('Only events of the project with this id'),
  feature: oneOf('Only events of the flag with this name'),
  environment: oneOf('Only events of the environment with this name'),
  createdBy: oneOfNumbers('Only events that the user with this id caused'),
  groupType: oneOf('Only events in groups of this type; the only type is `request`'),
  groupId: oneOf('Only events of the group with this id: the revision of their commit'),
  from: dayOrTime('Only events from this day or time on'),
  to: dayOrTime('Only events up to the end of this day, or up to this time'),
  offset: Type.Optional(
    Type.String({
      default: '0',
      description: 'Number of the newest matching events to skip; a text that is not a number counts as 0',
    }),
  ),
  limit: Type.Optional(
    Type.String({
      default: String(SEARCH_LIMIT),
      description: `Number of events on a page, from 1 to ${SEARCH_LIMIT_MAX}; any other text counts as ${SEARCH_LIMIT}`,
    }),
  ),
  beforeId: BeforeId,
  fields: Fields,
});

const searchEventsByQuery = route('GET /api/admin/search/events', 'searchEventsByQuery', {
  access: { permission: 'READ' },
  summary: 'Events by any of their fields, newest first',
  query: SearchQuery,
  responses: {
    200: {
      description: 'A page of the matching events',
      schema: Type.Object(
        {
          events: Type.Array(EventSchema, { description: 'Newest first' }),
          total: Type.Integer({ minimum: 0, description: 'Number of matching events on all pages' }),
          ...SearchedDownTo,
        },
        { $id: 'eventSearchResponse', description: 'A page of the matching events' },
      ),
    },
  },
  errors: [429],
  // A search for text ends after a time: what it found until then is for its caller.
  basis: ({ query, caller }, { state }) => ({ ...basisOf(state, caller), isOwn: query.query !== undefined }),
  handle({ query, basis, asker }, services) {
    const filters = eventQueryOf(query);
    if (filters instanceof Rejection) return filters;
    const page = {
      fromId: Number.MAX_SAFE_INTEGER,
      limit: within(query.limit, 1, SEARCH_LIMIT_MAX, SEARCH_LIMIT),
      skip: within(query.offset, 0, Number.MAX_SAFE_INTEGER, 0),
      fields: query.fields,
    };
    return search(services, { visible: basis.visible, asker }, filters, query.query ?? '', page, (found) => ({
      total: found.total,
      ...searchedPart(found),
    }));
  },
});

function within(text: string | undefined, minimum: number, maximum: number, fallback: number): number {
  const value = Number(text ?? '');
  return text !== undefined && Number.isInteger(value) && value >= minimum && value <= maximum ? value : fallback;
}

function eventQueryOf(query: Static<typeof SearchQuery>): EventQuery | Rejection {
  const createdBy = numbers('createdBy', query.createdBy);
  const ids = numbers('id', query.id);
  const [from, to] = [firstMs('from', query.from), lastMs(query.to)];
  for (const one of [createdBy, ids, from, to]) if (one instanceof Rejection) return one;
  return {
    types: values(query.type),
    project: values(query.project),
    feature: values(query.feature),
    environment: values(query.environment),
    // User ids have 32 bits: no user has a larger id.
    createdByUserId: (createdBy as readonly number[] | undefined)?.filter((id) => id === (id | 0)),
    ids: ids && new Set(ids as number[]),
    revisions: revisionsOf(values(query.groupType), values(query.groupId)),
    fromMs: from as number | undefined,
    toMs: to === undefined ? undefined : (to as number) + 1,
    beforeId: query.beforeId,
  };
}

/** The revisions of these groups. An id that is not the revision of a group matches no event. */
function revisionsOf(
  types: readonly string[] | undefined,
  ids: readonly string[] | undefined,
): EventQuery['revisions'] {
  if (types?.includes(EVENT_GROUP) === false) return new Set();
  if (ids) return new Set(ids.filter((id) => /^[1-9]\d{0,14}$/.test(id)).map(Number));
  return types && 'any';
}

/** The values of a parameter that `oneOf` describes. */
function values(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  if (text.startsWith('IS:')) return [text.slice(3)];
  return text
    .slice('IS_ANY_OF:'.length)
    .split(',')
    .map((value) => value.trim());
}

function numbers(name: string, text: string | undefined): readonly number[] | Rejection | undefined {
  const found = values(text)?.map((value) => (value === '' ? Number.NaN : Number(value)));
  if (found?.some((value) => !Number.isSafeInteger(value)))
    return invalid(`${name} must be a whole number, or a list of whole numbers.`, `/${name}`);
  return found;
}

/** The time of a parameter that `dayOrTime` describes. A day begins at 00:00 UTC. */
function firstMs(name: string, text: string | undefined): number | Rejection | undefined {
  if (text === undefined) return undefined;
  const timeMs = Date.parse(text.slice('IS:'.length));
  return Number.isNaN(timeMs) ? invalid(`${name} is no day of the calendar, or no time.`, `/${name}`) : timeMs;
}

/** The last millisecond that the parameter `to` includes. */
function lastMs(text: string | undefined): number | Rejection | undefined {
  const timeMs = firstMs('to', text);
  return typeof timeMs === 'number' && !text?.includes('T') ? timeMs + DAY_MS - 1 : timeMs;
}

const listFeatureEvents = route('GET /api/admin/events/:featureName', 'getEventsForToggle', {
  deprecated: true,
  access: { permission: 'READ' },
  summary: 'The events of a flag, newest first',
  description:
    'For the next page, set `offset` to the last id of this page minus 1. The events of a flag stay after the flag is deleted.',
  params: { featureName: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'Name of the flag' }) },
  query: Type.Object({ ...PAGE_FIELDS, fields: Fields }),
  responses: {
    200: {
      description: 'A page of the events; empty if there was never such a flag',
      schema: Type.Object(
        {
          version: Type.Literal(1, { description: 'Version of the format' }),
          toggleName: Type.String({ description: 'Name of the flag' }),
          events: Type.Array(EventSchema, { description: 'Newest first' }),
          totalEvents: Type.Integer({ minimum: 0, description: 'Number of events of the flag on all pages' }),
        },
        { $id: 'featureEvents', description: 'A page of the events of a flag' },
      ),
    },
  },
  neverMissing: true,
  basis: ({ caller }, { state }) => basisOf(state, caller),
  handle({ params: { featureName }, query, basis: { visible }, asker }, services) {
    const { offset = Number.MAX_SAFE_INTEGER, limit = PAGE_LIMIT, fields } = query;
    const page = { fromId: offset, limit, fields };
    return search(services, { visible, asker }, { feature: featureName }, '', page, (found) => ({
      version: 1,
      toggleName: featureName,
      totalEvents: found.total,
    }));
  },
});

const listEventCreators = route('GET /api/admin/event-creators', 'getEventCreators', {
  access: { permission: 'READ' },
  summary: 'The users who caused an event that is still stored',
  responses: {
    200: {
      description: 'The users, sorted by name',
      schema: Type.Array(
        Type.Object(
          {
            id: Type.Integer({ description: 'Id of the user; negative for the service itself and for admin tokens' }),
            name: Type.String({
              description: 'Their current name; for a deleted user, the name at the time of their newest event',
            }),
          },
          { $id: 'eventCreator', description: 'A user who caused events' },
        ),
      ),
    },
  },
  handle: async ({ caller, asker }, { state, eventIndex }) =>
    readingStore(async () => {
      const readable = readableProjects(state, caller);
      const newestOf = await eventIndex.authors({ readable }, CREATORS_MAX, asker);
      const creators: { id: number; name: string }[] = [];
      /** For the users who were deleted: the ids of their newest events, which contain their names. */
      const eventsOfDeleted: number[] = [];
      for (const [id, eventId] of newestOf) {
        const user = state.get('users', String(id));
        if (user) creators.push({ id, name: authorOf(user).name });
        else eventsOfDeleted.push(eventId);
      }
      eventsOfDeleted.sort((left, right) => right - left);
      for await (const { createdBy, createdByUserId } of eventIndex.events(eventsOfDeleted, { readable }, asker)) {
        if (createdByUserId !== null) creators.push({ id: createdByUserId, name: createdBy });
      }
      return ok(
        creators.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : left.id - right.id)),
      );
    }),
});

/** A page of events, after the fields that `describe` returns for the whole result. */
function search(
  services: Services,
  { visible, asker }: { readonly visible: VisibleProjects; readonly asker: Asker },
  query: EventQuery,
  text: string,
  { fields, ...page }: PageRange & { readonly fields: EventFields | undefined },
  describe: (found: TextPage) => Readonly<Record<string, unknown>>,
): Promise<Answer | Rejection> {
  const readable = readableOf(services.state, visible);
  return readingStore(async () => {
    const { decode, present } = eventForm(services, fields);
    const found = await services.eventSearch.find({ ...query, readable }, text, page, asker, decode);
    return found instanceof Rejection ? found : fetchedListAnswer(describe(found), 'events', found.events, present);
  });
}

function searchedPart({ searchedDownTo }: TextPage) {
  if (searchedDownTo === null) return {};
  return { searchedDownTo: searchedDownTo.id, searchedDownToTime: searchedDownTo.at };
}

export const eventSearchEndpoints = [searchEvents, searchEventsByQuery, listFeatureEvents, listEventCreators];
