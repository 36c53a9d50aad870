import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { nextToggle } from '../../evaluation/toggle-json.ts';
import type { Answer } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import { evaluatedPieces, type Telling } from '../../views/flags/evaluated-pieces.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { callerContext } from './caller-context.ts';
import { contextOfQuery } from './query-context.ts';
import { FrontendBody, FrontendFlags } from './schemas.ts';

const ABOUT_THE_CONTEXT =
  'The environment is the token’s. Without a remoteAddress the caller’s counts; without a sessionId a random one. ' +
  'Fields that the context does not name count as properties.';

const getFrontendFeatures = endpoint({
  operationId: 'getFrontendFeatures',
  method: 'get',
  path: '/api/frontend',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the query, with their variants',
  description: `Custom context fields are written \`properties[name]=value\`. ${ABOUT_THE_CONTEXT}`,
  query: Type.Object({
    appName: Type.Optional(Type.String()),
    userId: Type.Optional(Type.String()),
    sessionId: Type.Optional(Type.String()),
    remoteAddress: Type.Optional(Type.String()),
    currentTime: Type.Optional(Type.String()),
  }),
  responses: { 200: { description: 'The flags that are on', schema: FrontendFlags } },
  errors: [400],
  handle({ queryText, caller, remoteAddress }, services) {
    const context = contextOfQuery(queryText);
    if (context instanceof Rejection) return context;
    return evaluateFor(caller, context, remoteAddress, services);
  },
});

const postFrontendFeatures = endpoint({
  operationId: 'postFrontendFeatures',
  method: 'post',
  path: '/api/frontend',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the body, with their variants',
  description: `The context is the body, or its field \`context\`. ${ABOUT_THE_CONTEXT}`,
  body: FrontendBody,
  responses: { 200: { description: 'The flags that are on', schema: FrontendFlags } },
  errors: [400],
  handle({ body, caller, remoteAddress }, services) {
    return evaluateFor(caller, body.context ?? body, remoteAddress, services);
  },
});

function evaluateFor(
  { scope }: Caller,
  sent: SdkContext,
  remoteAddress: string,
  services: Services,
): Answer | Rejection | Promise<Answer> {
  const context = callerContext(sent, scope, remoteAddress, services);
  if (context instanceof Rejection) return context;
  const answer = (flags: FlagSnapshot): Answer => ({ status: 200, pieces: evaluatedPieces(flags, context, TOGGLES) });
  const flags = services.flagViews.ofScope(scope);
  return flags instanceof Promise ? flags.then(answer) : answer(flags);
}

/** Only flags that are on are told of. */
const TOGGLES: Telling = {
  begin: '{"toggles":[',
  end: ']}',
  tellsOff: false,
  flag: (flag, resolution) => (resolution.on ? nextToggle(flag, resolution) : ''),
};

export const frontendFeatureEndpoints = [getFrontendFeatures, postFrontendFeatures];
