import { accessProblem } from '../../access/may.ts';
import { readableProjects } from '../../access/visibility.ts';
import { assert } from '../../base/assert.ts';
import { includesEtag } from '../../base/etag.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { grantOf } from '../../http/admission.ts';
import type { Answer } from '../../http/answer.ts';
import { type Endpoint, type HandlerRequest, parameterNames, type ResponseSpec } from '../../http/endpoint.ts';
import { errorBody } from '../../http/errors.ts';
import type { AuditEvent } from '../../model/event.ts';
import { StoreError } from '../../stores/store.ts';
import type { Services } from '../services.ts';
import { type EditedKind, editedKind, etagOf } from './entity-tags.ts';

type Request = HandlerRequest<never, never, never>;
type Params = Readonly<Record<string, unknown>>;

/** Maximum length of the current state in a 412, in characters of JSON. */
const CURRENT_CHARS_MAX = 100_000;

/** Maximum number of events that are read to find the last change of an entity. */
const EVENTS_READ_MAX = 8;

/** If the index of events misses more events than this one, the last change is not looked for: the answer would wait for the index. */
const BEHIND_MAX = 1_024;

/** Kind → the route that shows entities of the kind. */
const showing = new Map<EditedKind, Endpoint<Services>>();

/** Adds to a route what all routes have in common that show or edit an entity with an ETag. */
export function withTags(endpoint: Endpoint<Services>): Endpoint<Services> {
  const kind = endpoint.edits as EditedKind | undefined;
  if (kind === undefined) return endpoint;
  // Their answers depend on a header of the request.
  assert(endpoint.basis === undefined, 'answers with an ETag are not shared');
  if (endpoint.method === 'get') {
    const known = showing.get(kind);
    // Of two routes, the one that needs fewer parameters: every other route of the kind has these.
    if (!known || countParameters(endpoint) < countParameters(known)) showing.set(kind, endpoint);
    const tagged = withTagHeader(endpoint);
    const unchanged = { description: 'The object has the ETag of `If-None-Match`' };
    const responses = endpoint.showsMore ? tagged : { ...tagged, 304: unchanged };
    return { ...endpoint, responses, handle: (request, services) => shown(endpoint, kind, request, services) };
  }
  return {
    ...endpoint,
    responses: withTagHeader(endpoint),
    errors: [...endpoint.errors, 412],
    async handle(request, services) {
      const answer = await endpoint.handle(request, services);
      const isStale = answer instanceof Rejection && answer.name === 'PreconditionFailed';
      return isStale ? staleAnswer(answer, kind, request, services) : answer;
    },
  };
}

function countParameters({ path }: Endpoint<Services>): number {
  return parameterNames(path).length;
}

function withTagHeader({ responses }: Endpoint<Services>): Readonly<Record<number, ResponseSpec>> {
  const etag = 'Tag of the object as it is now, for `If-Match`. It does not cover usage data';
  return Object.fromEntries(
    Object.entries(responses).map(([status, spec]) => [status, { ...spec, headers: { ...spec.headers, etag } }]),
  );
}

/** The entity, with its ETag. The ETag is at most as new as the body: a client that edits the body cannot overwrite a change that it has not seen. */
async function shown(endpoint: Endpoint<Services>, kind: EditedKind, request: Request, services: Services) {
  const etag = await inSlices(etagOf(services.state, { kind, params: request.params }), Slicer.of(request.asker));
  const answer = await endpoint.handle(request, services);
  if (answer instanceof Rejection || answer.status !== 200 || etag === undefined) return answer;
  const known = endpoint.showsMore ? '' : (request.header('if-none-match') ?? '');
  if (includesEtag(known, etag)) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}

/** The 412 with the current ETag, and with the current state and its last change as far as the caller may see them. */
async function staleAnswer(
  rejection: Rejection,
  kind: EditedKind,
  request: Request,
  services: Services,
): Promise<Answer> {
  const etag = await inSlices(etagOf(services.state, { kind, params: request.params }), Slicer.of(request.asker));
  const current = await currentState(kind, request, services);
  const last = current === undefined ? undefined : await lastChange(kind, request, services);
  const detail = {
    message: rejection.message,
    current: current ?? null,
    changedBy: last?.createdBy ?? null,
    changedAt: last?.createdAt ?? null,
  };
  return {
    status: 412,
    body: errorBody(new Rejection(rejection.name, rejection.message, [detail])),
    ...(etag !== undefined && { headers: { etag } }),
  };
}

/** The answer of the route that shows the entity, if the caller may call it. Undefined: the caller may not. Null: the answer is too long. */
async function currentState(kind: EditedKind, request: Request, services: Services): Promise<unknown> {
  const endpoint = showing.get(kind);
  const { find, shownBy } = editedKind(kind);
  const entity = find(services.state, request.params);
  if (!endpoint || !entity) return undefined;
  const all: Params = shownBy ? shownBy(request.params, entity as never) : request.params;
  const params = Object.fromEntries(parameterNames(endpoint.path).map((name) => [name, all[name]]));
  const { caller, remoteAddress, isTls, asker } = request;
  if (accessProblem(services.state, caller, grantOf(endpoint, params))) return undefined;
  const asked = { params, query: {}, queryText: '', body: undefined, caller, remoteAddress, isTls, asker };
  const answer = await endpoint.handle({ ...asked, header: () => undefined } as never, services);
  if (answer instanceof Rejection || answer.status !== 200) return undefined;
  const text = await textOf(answer);
  return text === null ? null : JSON.parse(text);
}

/** The body as JSON text; null if it is too long. */
async function textOf({ body, text, pieces }: Answer): Promise<string | null> {
  let whole = text ?? (body === undefined ? '' : JSON.stringify(body));
  for (const piece of pieces ?? []) {
    whole += await piece;
    if (whole.length > CURRENT_CHARS_MAX) return null;
  }
  return whole.length > CURRENT_CHARS_MAX ? null : whole;
}

/** The newest event about the entity that the caller may read, if it can be found quickly. */
async function lastChange(
  kind: EditedKind,
  { params, caller, asker }: Request,
  { state, eventIndex }: Pick<Services, 'state' | 'eventIndex'>,
) {
  const { id, ...filter } = editedKind(kind).events?.(params) ?? {};
  if (Object.keys(filter).length === 0 || eventIndex.behind > BEHIND_MAX) return undefined;
  const query = { ...filter, readable: readableProjects(state, caller) };
  const limit = id === undefined ? 1 : EVENTS_READ_MAX;
  try {
    const { events } = await eventIndex.search(query, { fromId: Number.MAX_SAFE_INTEGER, limit }, asker);
    for await (const event of events) if (id === undefined || isAbout(event, id)) return event;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
  return undefined;
}

/** Whether the event is about the entity with this id or name. */
function isAbout({ data }: AuditEvent, wanted: unknown): boolean {
  const { id, name } = (data ?? {}) as { readonly id?: unknown; readonly name?: unknown };
  return id === wanted || name === wanted;
}
