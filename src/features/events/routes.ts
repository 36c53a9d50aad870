import Type from 'typebox';
import { readableProjects } from '../../access/visibility.ts';
import { unavailable } from '../../base/rejection.ts';
import { fetchedListAnswer } from '../../http/answer.ts';
import { StoreError } from '../../stores/store.ts';
import { routesOf } from '../endpoint.ts';
import { eventForm } from './present.ts';
import { EventListSchema, Fields } from './schemas.ts';

const route = routesOf('Events');

const PAGE_LIMIT = 100;
/** The same maximum as in a search. Events are read and sent one by one, so a whole page is never in memory. */
const PAGE_MAX = 1_000;

const listEvents = route('GET /api/admin/events', 'getEvents', {
  access: { permission: 'READ' },
  summary: 'The events of the audit log, newest first',
  description: 'For the next page, set `offset` to the last id of this page minus 1.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        default: PAGE_LIMIT,
        description: 'Maximum number of events on a page',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Id of the newest event on the page; default: the newest event of all' }),
    ),
    project: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only events of this project' })),
    fields: Fields,
  }),
  responses: { 200: { description: 'A page of events', schema: EventListSchema } },
  async handle({ query, caller, asker }, { state, store, eventIndex, config }) {
    const { decode, present } = eventForm({ config }, query.fields);
    // Neither the page nor the count includes an event that is stored during the request.
    const { lastEventId } = state;
    const newest = Math.min(query.offset ?? lastEventId, lastEventId);
    const limit = query.limit ?? PAGE_LIMIT;
    try {
      const readable = readableProjects(state, caller);
      if (query.project !== undefined || readable !== null) {
        const page = { fromId: newest, limit };
        const found = await eventIndex.search({ project: query.project, readable }, page, asker, decode);
        const firstFields = { version: 1, totalEvents: found.total, firstEventId: found.firstId };
        return await fetchedListAnswer(firstFields, 'events', found.events, present);
      }
      const firstEventId = (await store.firstEventId()) ?? lastEventId + 1;
      const firstFields = { version: 1, totalEvents: Math.max(0, lastEventId + 1 - firstEventId), firstEventId };
      return await fetchedListAnswer(
        firstFields,
        'events',
        eventIndex.newest(newest + 1, limit, asker, decode),
        present,
      );
    } catch (error) {
      if (error instanceof StoreError) return unavailable('The store cannot be read now. Try again.', 2);
      throw error;
    }
  },
});

export const eventEndpoints = [listEvents];
