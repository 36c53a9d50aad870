import Type from 'typebox';
import { includesEtag } from '../../base/etag.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationAfterComma, openFeatureJson, payloadProblem } from '../../evaluation/open-feature-json.ts';
import type { Answer } from '../../http/answer.ts';
import { evaluatedPieces, type FlagWriter, resolveCell } from '../../views/flags/evaluated-pieces.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { routesOf } from '../endpoint.ts';
import { answerEtag } from '../frontend/answer-etag.ts';
import { callerContext } from '../frontend/caller-context.ts';
import { OFREP_ACCESS, ofrepErrorFields, unleashContext } from './protocol.ts';
import { BulkEvaluation, Evaluation, EvaluationRequest } from './schemas.ts';

const route = routesOf('OpenFeature');

const CONTEXT_NOTE =
  'The token decides the environment. `targetingKey` counts as `userId`, other attributes as fields of an Unleash context or as properties. ' +
  'The default for remoteAddress is the client’s address, the default for sessionId is a random value.';

/** The answer contains all flags, including flags that are off: for a provider, a flag that is not in the answer does not exist. */
const FLAGS: FlagWriter = { includesOff: true, textAfterComma: evaluationAfterComma };

const evaluateAllFlags = route('POST /ofrep/v1/evaluate/flags', 'ofrepEvaluateFlags', {
  access: OFREP_ACCESS,
  summary: 'All flags of the token, evaluated for one context (OpenFeature Remote Evaluation Protocol)',
  description: `An equal \`ETag\` in \`If-None-Match\` is answered 304. ${CONTEXT_NOTE}`,
  body: EvaluationRequest,
  bodyOptional: true,
  responses: {
    200: {
      description: 'The flags',
      schema: BulkEvaluation,
      headers: {
        ETag: 'Identifies this answer. It depends on the flags, the context and, if a rule uses the time, the time',
      },
    },
    304: { description: 'The client already has this answer' },
  },
  errors: [429],
  errorFields: ofrepErrorFields,
  async handle({ body, caller, asker, remoteAddress, header }, services) {
    const sent = unleashContext(body.context ?? {});
    const context = callerContext(sent, caller.scope, remoteAddress, services);
    if (context instanceof Rejection) return context;
    const snapshot = await services.flagViews.snapshotOf(caller.scope);
    const etag = await answerEtag('ofrep', snapshot, sent, context, () => Slicer.of(asker));
    if (includesEtag(header('if-none-match') ?? '', etag)) return { status: 304, headers: { etag } };
    return {
      status: 200,
      headers: { etag },
      pieces: evaluatedPieces(snapshot, context, '{"flags":[', FLAGS),
      isBounded: true,
    };
  },
});

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
  return { status: 200, text: openFeatureJson(cell.compiled(), resolution), headers: JSON_TYPE };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const ofrepEvaluationEndpoints = [evaluateAllFlags, evaluateFlag];
