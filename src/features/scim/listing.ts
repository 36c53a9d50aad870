import type { Asker } from '../../base/asking/asker.ts';
import { byText, firstInSteps, type Order } from '../../base/lists/sorted.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Answer } from '../../http/answer.ts';
import { listPieces } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Services } from '../services.ts';
import { publicUrl } from '../shared/public-url.ts';
import { SCIM_LIMITS } from './limits.ts';
import type { Attributes } from './protocol/attributes.ts';
import { parseFilter } from './protocol/filter.ts';
import { type Doc, matcher } from './protocol/matching.ts';
import { EVERYTHING, type Projection, projected, projectionOf } from './protocol/projection.ts';
import { SCHEMA, SCIM_TYPE } from './protocol/protocol.ts';
import { candidates, type Kind } from './resources.ts';

/** The number of resources of an answer if the client does not state it. */
const COUNT_DEFAULT = 100;

/** Maximum number of members of all groups, or of groups of all users, of one page. The page ends early, as RFC 7644 allows. */
const LISTED_MAX = 10_000;

/** What a client asks for, from a query or from the body of a search. */
export interface ListQuery {
  readonly filter?: string;
  readonly sortBy?: string;
  readonly sortOrder?: string;
  readonly startIndex?: number;
  readonly count?: number;
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: a list contains resources of several kinds, each with the functions of its kind
type AnyKind = Kind<any>;

/** A resource with its kind. */
interface Found {
  readonly kind: AnyKind;
  readonly entity: Numbered;
}

/** A resource that an answer shows: its attributes, and the JSON texts of the items of its long list. */
interface Shown {
  readonly doc: Doc;
  readonly listName?: string;
  readonly items: Iterable<Doc | undefined>;
}

export const baseUrlOf = ({ config }: Pick<Services, 'config'>) => `${publicUrl(config)}/scim/v2`;

/** The page of the resources of these kinds that the query asks for. */
export async function listOf(
  kinds: readonly AnyKind[],
  query: ListQuery,
  asker: Asker,
  services: Services,
): Promise<Answer | Rejection> {
  const slicer = Slicer.of(asker);
  const startIndex = Math.max(1, query.startIndex ?? 1);
  const count = Math.min(SCIM_LIMITS.scimPageSize.max, Math.max(0, query.count ?? COUNT_DEFAULT));
  const found = await inSlices(find(kinds, query, { from: startIndex - 1, count }, services.state), slicer);
  if (found instanceof Rejection) return found;
  const page = await inSlices(shownPage(found.page, query, services), slicer);
  if (page instanceof Rejection) return page;
  const head = { schemas: [SCHEMA.list], totalResults: found.total, startIndex, itemsPerPage: page.length };
  return {
    status: 200,
    headers: { 'content-type': SCIM_TYPE },
    pieces: listPieces(head, [['Resources', page, resourcePieces]]),
  };
}

/** One resource, with its ETag. */
export async function resourceAnswer<E extends { readonly id: number }>(
  kind: Kind<E>,
  entity: E,
  services: Services,
  asker: Asker,
  query: Pick<ListQuery, 'attributes' | 'excludedAttributes'>,
): Promise<Answer | Rejection> {
  const projection = projectionIn(kind.attributes, query);
  return projection instanceof Rejection ? projection : wholeAnswer(kind, entity, services, asker, 200, projection);
}

/** One resource with all its attributes, unless a projection hides some. */
export async function wholeAnswer<E extends { readonly id: number }>(
  kind: Kind<E>,
  entity: E,
  services: Services,
  asker: Asker,
  status: 200 | 201 = 200,
  projection = EVERYTHING,
): Promise<Answer> {
  const { shown, etag, location } = await inSlices(show({ kind, entity }, projection, services), Slicer.of(asker));
  return {
    status,
    headers: {
      'content-type': SCIM_TYPE,
      ...(etag !== undefined && { etag }),
      ...(status === 201 && { location }),
    },
    pieces: resourcePieces(shown),
  };
}

function* resourcePieces({ doc, listName, items }: Shown): Iterable<string> {
  if (listName === undefined) yield JSON.stringify(doc);
  else yield* listPieces(doc, [[listName, items, (item: Doc) => [JSON.stringify(item)]]]);
}

function projectionIn(attributes: Attributes, query: ListQuery): Projection | Rejection {
  return projectionOf(attributes, query.attributes ?? [], query.excludedAttributes ?? []);
}

/** Which of the ordered resources an answer shows. */
interface Window {
  readonly from: number;
  readonly count: number;
}

/** The number of resources that meet the filter, and those of the window. A kind without an attribute of the filter has none, unless no kind has it. */
function* find(
  kinds: readonly AnyKind[],
  query: ListQuery,
  { from, count }: Window,
  reader: StateReader,
): Steps<{ readonly total: number; readonly page: readonly Found[] } | Rejection> {
  const page: Found[] = [];
  let total = 0;
  let refusal: Rejection | undefined;
  let refusals = 0;
  for (const kind of kinds) {
    const skipped = Math.max(0, from - total);
    const ofKind = yield* findOfKind(kind, query, { from: skipped, count: count - page.length }, reader);
    if (ofKind instanceof Rejection) {
      refusal ??= ofKind;
      refusals++;
      continue;
    }
    total += ofKind.total;
    for (const entity of ofKind.page) page.push({ kind, entity });
  }
  return refusals === kinds.length && refusal ? refusal : { total, page };
}

interface Numbered {
  readonly id: number;
}

function* findOfKind(
  kind: AnyKind,
  { filter, sortBy, sortOrder }: ListQuery,
  { from, count }: Window,
  reader: StateReader,
): Steps<{ readonly total: number; readonly page: readonly Numbered[] } | Rejection> {
  const condition = filter === undefined || filter === '' ? undefined : parseFilter(filter);
  if (condition instanceof Rejection) return condition;
  const test = condition && matcher(kind.attributes, condition, kind.ownTest(reader));
  if (test instanceof Rejection) return test;
  const found: Numbered[] = [];
  let isInOrder = true;
  for (const entity of candidates(kind, reader, condition)) {
    if (entity && (!test || test(kind.document(entity)))) {
      isInOrder &&= found.length === 0 || (found.at(-1) as Numbered).id < entity.id;
      found.push(entity);
    }
    yield;
  }
  const total = found.length;
  if (count === 0 || from >= total) return { total, page: [] };
  if (sortBy === undefined && isInOrder) return { total, page: found.slice(from, from + count) };
  if (sortBy === undefined) return { total, page: (yield* firstInSteps(found, byId, from + count)).slice(from) };
  const order = orderOf(sortOrder?.toLowerCase() === 'descending');
  const sorted = yield* firstInSteps(yield* withKeys(kind, found, sortBy), order, from + count);
  return { total, page: sorted.slice(from).map(({ entity }) => entity) };
}

const byId: Order<Numbered> = (one, other) => one.id - other.id;

interface Keyed {
  readonly entity: Numbered;
  readonly key: string;
}

/** The keys are created before the sort: its steps visit many resources. */
function* withKeys(kind: AnyKind, found: readonly Numbered[], sortBy: string): Steps<Keyed[]> {
  const keyed: Keyed[] = [];
  for (const entity of found) {
    keyed.push({ entity, key: sortKey(kind, entity, sortBy) });
    yield;
  }
  return keyed;
}

/** The order by a text; resources without it are last (RFC 7644, 3.4.2.3). An attribute that has no single value does not sort. */
function orderOf(isDescending: boolean): Order<Keyed> {
  return (one, other) => {
    if ((one.key === '') !== (other.key === '')) return one.key === '' ? 1 : -1;
    return (isDescending ? byText(other.key, one.key) : byText(one.key, other.key)) || byId(one.entity, other.entity);
  };
}

function sortKey(kind: AnyKind, entity: Numbered, sortBy: string): string {
  const [name, sub] = kind.attributes.split(sortBy);
  const attribute = kind.attributes.find(name);
  if (typeof attribute !== 'object') return '';
  if (attribute.name === 'id') return String(entity.id).padStart(16, '0');
  let value = kind.document(entity)[attribute.name];
  if (Array.isArray(value)) value = value.find(({ primary }) => primary === true) ?? value[0];
  if (typeof value === 'object' && value !== null) {
    const wanted = (sub ?? 'value').toLowerCase();
    value = Object.entries(value).find(([part]) => part.toLowerCase() === wanted)?.[1];
  }
  return value === undefined || value === null ? '' : String(value).toLowerCase();
}

function* shownPage(found: readonly Found[], query: ListQuery, services: Services): Steps<Shown[] | Rejection> {
  const page: Shown[] = [];
  let listed = 0;
  for (const one of found) {
    const projection = projectionIn(one.kind.attributes, query);
    if (projection instanceof Rejection) return projection;
    if (projection.shows(one.kind.listName)) listed += one.kind.listLength(services.state, one.entity);
    if (listed > LISTED_MAX && page.length > 0) break;
    page.push((yield* show(one, projection, services)).shown);
    yield;
  }
  return page;
}

function* show({ kind, entity }: Found, projection: Projection, services: Services) {
  const { state } = services;
  const baseUrl = baseUrlOf(services);
  const location = `${baseUrl}${kind.path}/${entity.id}`;
  const etag = (yield* kind.etag(state, entity)) as string | undefined;
  const { meta, ...attributes } = kind.document(entity);
  const whole = {
    schemas: [kind.attributes.schema],
    ...attributes,
    meta: { ...(meta as Doc), location, ...(etag !== undefined && { version: etag }) },
  };
  const { listName } = kind;
  const doc = projected(whole, projection);
  const shown: Shown = projection.shows(listName)
    ? { doc, listName, items: partsOf(kind.listItems(state, entity, baseUrl), listName, projection) }
    : { doc, items: [] };
  return { shown, etag, location };
}

function* partsOf(items: Iterable<Doc | undefined>, name: string, projection: Projection): Iterable<Doc | undefined> {
  for (const item of items) yield item && (projection.part(name, item) as Doc);
}
