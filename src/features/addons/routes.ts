import Type, { type Static } from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { created, fetchedListAnswer, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import { type AuditEvent, EVENT_TYPES } from '../../model/event.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { eventForm } from '../events/present.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { publicUrl } from '../shared/public-url.ts';
import { readingStore } from '../shared/reading-store.ts';
import type { Addon, AddonAttempt } from './addon.ts';
import { createAddon, deleteAddon, filterProblem, findAddon, updateAddon } from './commands.ts';
import { ADDON_LIMITS } from './limits.ts';
import { MASK, type StoredParameters, storedParameters } from './parameters.ts';
import { presentAddon, presentProvider } from './present.ts';
import { PROVIDERS, providerOf } from './providers/providers.ts';
import { AddonBody, AddonEventsSchema, AddonListSchema, AddonSchema } from './schemas.ts';

const route = routesOf('Addons');

const params = { id: Type.Integer({ minimum: 1 }) };

type Body = Static<typeof AddonBody>;

const getAddons = route('GET /api/admin/addons', 'getAddons', {
  access: { permission: 'READ' },
  summary: 'All integrations and all providers',
  description: 'An integration that names a private project is shown only to callers who may see that project.',
  responses: { 200: { description: 'The integrations and the providers', schema: AddonListSchema } },
  handle({ caller }, { state, config }) {
    const visible = [...state.values('addons')].filter((addon) => maySee(state, caller, addon));
    return ok({
      addons: visible.sort((left, right) => left.id - right.id).map((addon) => presentAddon(addon, state)),
      providers: PROVIDERS.map((provider) => presentProvider(provider, EVENT_TYPES, publicUrl(config))),
    });
  },
});

const getAddon = route('GET /api/admin/addons/:id', 'getAddon', {
  access: { permission: 'READ' },
  summary: 'An integration',
  params,
  responses: { 200: { description: 'The integration', schema: AddonSchema } },
  handle({ params: { id }, caller }, { state }) {
    const addon = seenAddon(state, caller, id);
    return addon instanceof Rejection ? addon : ok(presentAddon(addon, state));
  },
});

const create = route('POST /api/admin/addons', 'createAddon', {
  access: { permission: 'CREATE_ADDON' },
  summary: 'Creates an integration',
  description: 'Events that happen after the request are sent. Secrets are stored encrypted with `SECRETS_KEY`.',
  body: AddonBody,
  responses: createdResponses('The integration', AddonSchema, 'Path at which it can be read'),
  handle({ body, caller }, services) {
    const input = inputOf(body, undefined, services);
    if (input instanceof Rejection) return input;
    const { config, state } = services;
    return change(services, caller, createAddon, input, (addon) =>
      created(presentAddon(addon, state), `${config.basePath}/api/admin/addons/${addon.id}`),
    );
  },
});

const update = route('PUT /api/admin/addons/:id', 'updateAddon', {
  access: { permission: 'UPDATE_ADDON' },
  summary: 'Replaces an integration',
  description:
    'Parameters that are left out are removed; `*****` keeps a secret. A change ends a pause after failures, and continues a parked integration ' +
    'with the event at which it was parked. Switching an integration off and on again skips the events that happened until then.',
  params,
  body: AddonBody,
  responses: { 200: { description: 'The integration as it is now', schema: AddonSchema } },
  errors: [409],
  handle({ params: { id }, body, caller }, services) {
    const { state } = services;
    const before = findAddon(state, id);
    if (before instanceof Rejection) return before;
    const input = inputOf(body, before, services);
    if (input instanceof Rejection) return input;
    const keptFrom = Object.values(body.parameters).includes(MASK) ? before.parameters : null;
    return change(services, caller, updateAddon, { id, ...input, keptFrom }, (addon) => ok(presentAddon(addon, state)));
  },
});

const remove = route('DELETE /api/admin/addons/:id', 'deleteAddon', {
  access: { permission: 'DELETE_ADDON' },
  summary: 'Deletes an integration',
  description: 'Events that were not sent yet are not sent.',
  params,
  responses: { 200: { description: 'The integration was deleted' } },
  handle: ({ params: { id }, caller }, services) => change(services, caller, deleteAddon, { id }),
});

const EVENTS_LIMIT = 50;

const getEvents = route('GET /api/admin/addons/:id/events', 'getAddonEvents', {
  access: { permission: 'ADMIN' },
  summary: 'The newest attempts of an integration to send events, newest first',
  description: `The last ${ADDON_LIMITS.addonAttempts.max} attempts are kept.`,
  params,
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ADDON_LIMITS.addonAttempts.max,
        default: EVENTS_LIMIT,
        description: 'Maximum number of attempts on a page',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: 'Number of newer attempts that are skipped' }),
    ),
  }),
  responses: { 200: { description: 'The attempts', schema: AddonEventsSchema } },
  handle({ params: { id }, query: { limit = EVENTS_LIMIT, offset = 0 } }, services) {
    const addon = findAddon(services.state, id);
    if (addon instanceof Rejection) return addon;
    const attempts = [...services.state.lookup('attemptsByAddon', String(id))].sort(
      (left, right) => right.number - left.number,
    );
    const { present } = eventForm(services);
    const items = withEvents(attempts.slice(offset, offset + limit), services);
    return readingStore(() =>
      fetchedListAnswer({}, 'integrationEvents', items, ([attempt, event]) =>
        presentAttempt(attempt, event && present(event)),
      ),
    );
  },
});

/** Each attempt with its event; undefined if the event was deleted. Read from the store during iteration: one event may have megabytes. */
async function* withEvents(
  attempts: readonly AddonAttempt[],
  { eventIndex, config }: Services,
): AsyncGenerator<readonly [AddonAttempt, AuditEvent | undefined]> {
  const { decode } = eventForm({ config });
  for (const attempt of attempts) {
    const [entry] = await eventIndex.read([attempt.eventId]);
    yield [attempt, entry && decode(entry.bytes)];
  }
}

function presentAttempt({ addon, number, eventId, at, state, stateDetails, status }: AddonAttempt, event: unknown) {
  return {
    id: String(number),
    integrationId: addon,
    createdAt: at,
    state,
    stateDetails,
    event: event ?? null,
    details: { eventId, status },
  };
}

/** Whether the caller may see every project that the add-on names. Callers who may change add-ons see all projects. */
function maySee(reader: StateReader, caller: Caller, { projects }: Addon): boolean {
  const visible = visibleProjects(reader, caller);
  return visible.isAll || projects.every((project) => project === '*' || visible.has(project));
}

/** An add-on that the caller may not see is as one that does not exist. */
function seenAddon(reader: StateReader, caller: Caller, id: number): Addon | Rejection {
  const addon = findAddon(reader, id);
  if (addon instanceof Rejection || maySee(reader, caller, addon)) return addon;
  return notFound(`There is no integration with the id ${id}.`);
}

/** A request as the input of a command: checked, with sealed secrets. */
function inputOf(body: Body, before: Addon | undefined, { state, signOn }: Services) {
  const { description = null, enabled, events, projects = [], environments = [] } = body;
  const provider = providerOf(body.provider);
  if (!provider)
    return invalid(`The provider must be one of ${PROVIDERS.map(({ name }) => name).join(', ')}.`, '/provider');
  if (before && before.provider !== provider.name)
    return invalid('The provider of an integration cannot be changed: create another integration.', '/provider');
  const known: readonly string[] = EVENT_TYPES;
  const unknown = events.findIndex((type) => !known.includes(type));
  if (unknown >= 0) return invalid('There is no such type of event.', `/events/${unknown}`);
  const problem = filterProblem(state, { projects, environments });
  if (problem) return problem;
  const none: StoredParameters = {};
  const parameters = storedParameters(provider, body.parameters, before?.parameters ?? none, signOn.sealer);
  if (parameters instanceof Rejection) return parameters;
  return {
    provider: provider.name,
    description,
    enabled,
    parameters,
    events: [...events],
    projects: [...projects],
    environments: [...environments],
    lastEventId: state.lastEventId,
  };
}

export const addonEndpoints = [getAddons, getAddon, create, update, remove, getEvents];
