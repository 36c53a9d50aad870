import Type from 'typebox';
import { notFound, Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import type { PreparedAnswer, RequestHead } from '../../http/endpoint.ts';
import { type Caller, covers } from '../../model/caller.ts';
import { isServed } from '../../model/client-feature.ts';
import { type ClientFormat, featureFragment } from '../../views/client/fragment.ts';
import { parseClientQuery } from '../../views/client/query.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { endpoint, prepared } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { acceptsGzip, clientFormat } from './request-headers.ts';
import { ClientFeature, ClientFeatureList } from './schemas.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const listClientFeatures = prepared({
  operationId: 'getAllClientFeatures',
  method: 'get',
  path: '/api/client/features',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'The flags of the token’s environment and projects, for SDKs to evaluate',
  description:
    'Callers whose `Unleash-Client-Spec` is 4.2.0 or newer get version 2 of the body: segments by id, listed beside the flags. ' +
    'An equal `ETag` in `If-None-Match` is answered 304.',
  query: Type.Object({
    tag: Type.Optional(Type.Array(Type.String(), { description: '`<type>:<value>`, also as `tag[]`; any of them' })),
    project: Type.Optional(Type.Array(Type.String(), { description: 'Project ids; any of them' })),
    namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names begin with this' })),
  }),
  responses: {
    200: { description: 'The list', schema: ClientFeatureList, headers: { ETag: 'Tells this list from any other' } },
    304: { description: 'The caller has this list already' },
  },
  errors: [400],
  serve(head, caller, services) {
    const view = viewOf(head, caller, services);
    if (view instanceof Rejection) return view;
    const known = head.header('if-none-match');
    const pending = view.refresh();
    if (!pending) return notModified(view, known) ?? list(view, acceptsGzip(head.header('accept-encoding')));
    // Read before anything is waited for: the head is gone afterwards.
    const gzip = acceptsGzip(head.header('accept-encoding'));
    return pending.then(() => notModified(view, known) ?? list(view, gzip));
  },
});

function viewOf(head: RequestHead, caller: Caller, services: Services): ScopeView | Rejection {
  const format = clientFormat(head.header('unleash-client-spec'));
  const queryText = head.query();
  if (queryText === '') return services.clientViews.view(caller.scope, format);
  const query = parseClientQuery(queryText);
  return query instanceof Rejection ? query : services.clientViews.filteredView(caller.scope, query, format);
}

/** The answers of one state of a view, made once and sent to everybody who polls it. */
interface ViewAnswers {
  readonly etag: string;
  readonly notModified: PreparedAnswer;
  identity: PreparedAnswer | undefined;
  gzip: PreparedAnswer | undefined;
}

const answersOf = new WeakMap<ScopeView, ViewAnswers>();

function currentAnswers(view: ScopeView): ViewAnswers {
  let answers = answersOf.get(view);
  if (answers?.etag !== view.etag) {
    const headers = ['etag', view.etag, 'vary', 'accept-encoding, unleash-client-spec'];
    answers = {
      etag: view.etag,
      notModified: { status: '304 Not Modified', headers, body: undefined },
      identity: undefined,
      gzip: undefined,
    };
    answersOf.set(view, answers);
  }
  return answers;
}

function notModified(view: ScopeView, known: string): PreparedAnswer | undefined {
  const isKnown = known !== '' && (known === view.etag || listsEtag(known, view.etag));
  return isKnown ? currentAnswers(view).notModified : undefined;
}

function list(view: ScopeView, gzip: boolean): PreparedAnswer {
  const answers = currentAnswers(view);
  const made = gzip ? answers.gzip : answers.identity;
  if (made) return made;
  const headers = ['content-type', JSON_TYPE, ...answers.notModified.headers];
  if (gzip) answers.gzip = { status: '200 OK', headers: [...headers, 'content-encoding', 'gzip'], body: view.gzip };
  else answers.identity = { status: '200 OK', headers, body: view.identity };
  return (gzip ? answers.gzip : answers.identity) as PreparedAnswer;
}

/** `If-None-Match` may hold several tags, strong or weak, or `*`. */
function listsEtag(known: string, etag: string): boolean {
  if (known === '*') return true;
  const strong = etag.slice(2);
  return known.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === etag || tag === strong;
  });
}

const getClientFeature = endpoint({
  operationId: 'getClientFeature',
  method: 'get',
  path: '/api/client/features/:featureName',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'One flag as SDKs would get it; for debugging',
  params: Type.Object({ featureName: Type.String() }),
  responses: { 200: { description: 'The flag', schema: ClientFeature } },
  errors: [404],
  handle({ params, caller, header }, { state }) {
    const feature = state.get('features', params.featureName);
    const { environment } = caller.scope;
    const visible =
      feature &&
      covers(caller.scope, feature.project) &&
      isServed(feature, state.get('projects', feature.project), environment);
    if (!visible) return notFound(`The feature ${params.featureName} does not exist.`);
    const format: ClientFormat = clientFormat(header('unleash-client-spec') ?? '');
    return ok(JSON.parse(featureFragment(feature, environment, format, (id) => state.get('segments', String(id)))));
  },
});

export const clientFeatureEndpoints = [listClientFeatures, getClientFeature];
