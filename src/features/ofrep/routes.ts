import Type from 'typebox';
import { includesEtag } from '../../base/etag.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { Config } from '../../config.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import {
  endOfEvaluation,
  evaluationAfterComma,
  type FlagSet,
  openFeatureJson,
  payloadProblem,
} from '../../evaluation/open-feature-json.ts';
import type { Answer } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { evaluatedPieces, type FlagWriter, resolveCell } from '../../views/flags/evaluated-pieces.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { routesOf } from '../endpoint.ts';
import { answerEtag } from '../frontend/answer-etag.ts';
import { callerContext } from '../frontend/caller-context.ts';
import type { Services } from '../services.ts';
import { OFREP_ACCESS, ofrepErrorFields, unleashContext } from './protocol.ts';
import { PUSH_PATH } from './push-routes.ts';
import { BulkEvaluation, Evaluation, EvaluationRequest } from './schemas.ts';

const route = routesOf('OpenFeature');

const CONTEXT_NOTE =
  'The token decides the environment. `targetingKey` counts as `userId`, other attributes as fields of an Unleash context or as properties. ' +
  'The default for remoteAddress is the client’s address, the default for sessionId is a random value.';

const evaluateAllFlags = route('POST /ofrep/v1/evaluate/flags', 'ofrepEvaluateFlags', {
  access: OFREP_ACCESS,
  summary: 'All flags of the token, evaluated for one context (OpenFeature Remote Evaluation Protocol)',
  description:
    'An equal `ETag` in `If-None-Match` is answered 304. `eventStreams` has the address of a stream of changes. A request that an event ' +
    `of it caused has \`flagConfigEtag\`, and waits until this replica has the flags of the event; if that takes too long, the answer has the newest flags that the replica has. ${CONTEXT_NOTE}`,
  query: Type.Object({
    flagConfigEtag: Type.Optional(Type.String({ description: 'The `etag` of the event that caused this request' })),
    flagConfigLastModified: Type.Optional(
      Type.String({
        description: 'The `lastModified` of that event. Accepted: the answer has the newest flags in any case',
      }),
    ),
  }),
  body: EvaluationRequest,
  bodyOptional: true,
  responses: {
    200: {
      description: 'The flags',
      schema: BulkEvaluation,
      headers: {
        ETag: 'Identifies this answer. It depends on the flags, the context, the address of the stream and, if a rule uses the time, the time',
      },
    },
    304: { description: 'The client already has this answer' },
  },
  errors: [429],
  errorFields: ofrepErrorFields,
  async handle({ body, query, caller, asker, remoteAddress, header }, services) {
    await awaitPosition(query.flagConfigEtag ?? '', caller, services);
    // Read before the context has its time: if a date passes between both, a new stream has an event that is not needed.
    const nowMs = services.clock.nowMs();
    const sent = unleashContext(body.context ?? {});
    const context = callerContext(sent, caller.scope, remoteAddress, services);
    if (context instanceof Rejection) return context;
    const snapshot = await services.flagViews.snapshotOf(caller.scope);
    const slicer = () => Slicer.of(asker);
    const key = services.pushStreams.keys.keyOf(caller);
    const etag = await answerEtag(`ofrep ${key}`, snapshot, sent, context, slicer);
    if (includesEtag(header('if-none-match') ?? '', etag)) return { status: 304, headers: { etag } };
    const position = await services.frontendStreams.positionAt(caller.scope, snapshot, nowMs, slicer);
    const set = flagSetOf(snapshot);
    const begin = { metadata: set, ...(key !== '' && { eventStreams: [eventStream(services.config, key, position)] }) };
    return {
      status: 200,
      headers: { etag },
      pieces: evaluatedPieces(
        snapshot,
        context,
        `${JSON.stringify(begin).slice(0, -1)},"flags":[`,
        flagWriter(endOfEvaluation(set)),
      ),
      isBounded: true,
    };
  },
});

/** The answer contains all flags, including flags that are off: for a provider, a flag that is not in the answer does not exist. */
function flagWriter(end: string): FlagWriter {
  return { includesOff: true, textAfterComma: (flag, resolution) => evaluationAfterComma(flag, resolution, end) };
}

function flagSetOf({ environment, revision }: FlagSnapshot): FlagSet {
  return { flagSetId: environment, version: String(revision.number) };
}

/**
 * The address of the stream. It has no origin: the provider takes the origin of the address that it was given, so that the stream opens through the same
 * proxies as its other requests.
 */
function eventStream({ serviceUrl, basePath }: Config, key: string, position: string) {
  const path = serviceUrl === '' ? basePath : new URL(serviceUrl).pathname.replace(/\/+$/, '');
  const query = new URLSearchParams({ key, from: position });
  return { type: 'sse', endpoint: { requestUri: `${path}${PUSH_PATH}?${query}` } };
}

/**
 * Waits until this replica has the flags of this position, within the caller’s quota. Does nothing if the position is of another history, or if too many
 * requests wait. The caller gets the newest flags in any case: after an error, the web provider would keep even older ones.
 */
async function awaitPosition(position: string, caller: Caller, { revisionWaits, state }: Services): Promise<void> {
  const [, number, mark = ''] = /^(\d{1,15})-[0-9a-f]{8}(?:\.([\w-]{1,64}))?(?:~|$)/.exec(position) ?? [];
  const revision = Number(number ?? 0);
  if (revision > state.seq && mark === state.revisions.mark(revision)) await revisionWaits?.wait(caller, revision);
}

const evaluateFlag = route('POST /ofrep/v1/evaluate/flags/:featureName', 'ofrepEvaluateFlag', {
  access: OFREP_ACCESS,
  summary: 'One flag, evaluated for one context (OpenFeature Remote Evaluation Protocol)',
  description: CONTEXT_NOTE,
  params: { featureName: Type.String({ description: 'Name of the flag' }) },
  body: EvaluationRequest,
  bodyOptional: true,
  responses: { 200: { description: 'The flag', schema: Evaluation } },
  errorFields: ofrepErrorFields,
  async handle({ params, body, caller, asker, remoteAddress }, services) {
    const context = callerContext(unleashContext(body.context ?? {}), caller.scope, remoteAddress, services);
    if (context instanceof Rejection) return context;
    const snapshot = await services.flagViews.snapshotOf(caller.scope);
    const cell = snapshot.cell(params.featureName);
    if (!cell) return notFound(`The flag ${params.featureName.slice(0, 200)} does not exist.`);
    return singleAnswer(cell, snapshot, context, Slicer.of(asker));
  },
});

async function singleAnswer(
  cell: FlagCell,
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  slicer: Slicer,
): Promise<Answer | Rejection> {
  const resolution = await workInSlices(resolveCell(snapshot, cell, context), slicer);
  const problem = payloadProblem(resolution);
  if (problem !== undefined) return invalid(problem);
  const end = endOfEvaluation(flagSetOf(snapshot));
  return { status: 200, text: openFeatureJson(cell.compiled(), resolution, end), headers: JSON_TYPE };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const ofrepEvaluationEndpoints = [evaluateAllFlags, evaluateFlag];
