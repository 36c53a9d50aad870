import Type from 'typebox';
import { Pace } from '../../base/pace.ts';
import { Rejection } from '../../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { resolve } from '../../evaluation/evaluate.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import { toggleJson } from '../../evaluation/toggle-json.ts';
import type { Answer } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { visibleChunks } from '../visible-flags.ts';
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
): Answer | Rejection {
  const { clock, random, flagViews } = services;
  const context = evaluationContext(sent, {
    environment: scope.environment,
    nowMs: clock.nowMs(),
    random,
    remoteAddress,
    sessionId: String(Math.floor(random() * 1_000_000_000)),
  });
  if (context instanceof Rejection) return context;
  const chunks = visibleChunks(services, scope.environment, scope.projects);
  return { status: 200, pieces: togglesJson(chunks, context, flagViews.environment(scope.environment).find) };
}

/** Flags evaluated between two looks at the clock. A power of two. */
const FLAGS_PER_LOOK = 8;

function* togglesJson(
  chunks: Iterable<readonly CompiledFlag[]>,
  context: EvaluationContext,
  find: FlagLookup,
): Generator<string> {
  const pace = new Pace();
  let text = '{"toggles":[';
  let separator = '';
  for (const flags of chunks) {
    for (let index = 0; index < flags.length; index++) {
      const flag = flags[index] as CompiledFlag;
      const resolution = resolve(flag, context, find);
      if (resolution.on) {
        text += separator + toggleJson(flag, resolution);
        separator = ',';
      }
      if (index % FLAGS_PER_LOOK !== 0 || !pace.spent) continue;
      yield text;
      text = '';
      pace.restart();
    }
    yield text;
    text = '';
    pace.restart();
  }
  yield `${text}]}`;
}

export const frontendFeatureEndpoints = [getFrontendFeatures, postFrontendFeatures];
