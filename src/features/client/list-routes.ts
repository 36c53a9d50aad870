import type { PreparedAnswer } from '../../base/prepared-answer.ts';
import { notFound, Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import { acceptsGzip } from '../../http/sending/accept-encoding.ts';
import { type Caller, covers } from '../../model/caller.ts';
import { isServed } from '../../model/client-feature.ts';
import { type ClientFormat, featureFragment } from '../../views/client/fragment.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { prepared, routesOf } from '../endpoint.ts';
import { copyOfReceiptHeaders, type HeaderSource } from '../propagation/propagation.ts';
import type { Services } from '../services.ts';
import { clientFormat } from './client-format.ts';
import { answerFiltered, filteredViewOf } from './filtered-poll.ts';
import { ClientFeature, ClientFeatureList, ClientListQuery } from './schemas.ts';
import { invitedIdOf } from './stream-invitations.ts';

const route = routesOf('Client');

const listClientFeatures = prepared('GET /api/client/features', 'getAllClientFeatures', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'The flags of the token’s environment and projects, for SDKs to evaluate',
  description:
    'Callers whose `Unleash-Client-Spec` is 4.2.0 or newer get version 2 of the body: segments by id, listed beside the flags. ' +
    'An equal `ETag` in `If-None-Match` is answered 304.',
  query: ClientListQuery,
  responses: {
    200: {
      description: 'The list',
      schema: ClientFeatureList,
      headers: {
        ETag: 'Identifies this list',
        'fetch-mode':
          '`streaming` if the SDK should open a stream instead of polling (docs/reach/sdk-modes.md); otherwise missing',
      },
    },
    304: { description: 'The caller has this list already' },
  },
  errors: [400],
  serve(head, caller, services) {
    const format = clientFormat(head.header('unleash-client-spec'));
    const queryText = head.query();
    if (queryText !== '') {
      const filtered = filteredViewOf(queryText, format, caller, services);
      return filtered instanceof Rejection ? filtered : filteredList(filtered, head, caller, services);
    }
    const view = services.clientViews.view(caller.scope, format);
    const known = head.header('if-none-match');
    const pending = view.refresh();
    if (!pending) {
      const unchanged = view.answers.notModified(known);
      if (unchanged) return unchanged;
      const gzip = acceptsGzip(head.header('accept-encoding'));
      return wholeListOf(view, { known, gzip, sdk: sdkOf(view, head, caller), head }, caller, services);
    }
    // These headers are read before the wait, because the request head is not available afterwards.
    const gzip = acceptsGzip(head.header('accept-encoding'));
    const sdk = sdkOf(view, head, caller);
    const poll = { known, gzip, sdk, head: known === '' ? head : copyOfReceiptHeaders(head) };
    return pending.then(() => view.answers.notModified(known) ?? wholeListOf(view, poll, caller, services));
  },
});

/** What a poll says about its caller. */
interface Poll {
  readonly known: string;
  readonly gzip: boolean;
  /** The id of the SDK, if it may be asked to open a stream. */
  readonly sdk: string;
  /** The headers for a receipt. Only used if `known` is not "". */
  readonly head: HeaderSource;
}

function sdkOf({ asksForStreams }: ScopeView, head: RequestHead, caller: Caller): string {
  return asksForStreams ? invitedIdOf(head, caller) : '';
}

function wholeListOf(
  { answers, asksForStreams, shown }: ScopeView,
  { known, gzip, sdk, head }: Poll,
  caller: Caller,
  { streamInvitations, propagation }: Services,
): PreparedAnswer {
  // No receipt: the SDK drops this list, and gets it again with the stream.
  if (asksForStreams && streamInvitations.invites(sdk, caller)) return answers.wholeListAskingForStream(gzip);
  // A receipt (which SDK has which revision) is recorded only for a caller that names an older list (docs/decisions/propagation.md).
  if (known !== '') propagation.recordReceipt(caller.scope, known, shown.position.revision, head);
  return answers.wholeList(gzip);
}

function filteredList(view: ScopeView, head: RequestHead, caller: Caller, services: Services) {
  const known = head.header('if-none-match');
  const gzip = acceptsGzip(head.header('accept-encoding'));
  const answer = () => view.answers.notModified(known) ?? view.answers.wholeList(gzip);
  return answerFiltered({ known, pending: view.refresh(), answer }, head, caller, services);
}

const getClientFeature = route('GET /api/client/features/:featureName', 'getClientFeature', {
  access: { permission: 'CLIENT' },
  summary: 'One flag as SDKs get it in a list; for debugging',
  responses: { 200: { description: 'The flag', schema: ClientFeature } },
  handle({ params, caller, header }, { state }) {
    const feature = state.get('features', params.featureName);
    const { environment } = caller.scope;
    const isVisible =
      feature &&
      covers(caller.scope, feature.project) &&
      isServed(feature, state.get('projects', feature.project), environment);
    if (!isVisible) return notFound(`The feature ${params.featureName} does not exist.`);
    const format: ClientFormat = clientFormat(header('unleash-client-spec') ?? '');
    return ok(JSON.parse(featureFragment(feature, environment, format, (id) => state.get('segments', String(id)))));
  },
});

export const clientFeatureEndpoints = [listClientFeatures, getClientFeature];
