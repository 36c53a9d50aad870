import Type from 'typebox';
import { notFound, Rejection } from '../../base/rejection.ts';
import { workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import type { Answer } from '../../http/answer.ts';
import type { Endpoint, HandlerRequest } from '../../http/endpoint.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { type Told, togglesJson, toggleText } from '../../views/frontend/toggles.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { callerContext } from './caller-context.ts';
import { contextOfQuery } from './query-context.ts';
import { AllFrontendFlags, ContextQuery, FrontendBody, FrontendFlags, FrontendToggle } from './schemas.ts';

const ABOUT_THE_CONTEXT =
  'The environment is the token’s. Without a remoteAddress the caller’s counts; without a sessionId a random one. ' +
  'Fields that the context does not name count as properties.';

const OF_A_QUERY = `Custom context fields are written \`properties[name]=value\`. ${ABOUT_THE_CONTEXT}`;
const OF_A_BODY = `The context is the body, or its field \`context\`. ${ABOUT_THE_CONTEXT}`;

/** A list of answers: which it holds, and where. Browsers’ SDKs ask the first; relays answered the others, so that applications know them. */
interface ListRoute {
  readonly path: string;
  readonly told: Told;
  readonly operationIds: readonly [get: string, post: string];
  /** In the words of a summary. */
  readonly which: string;
  readonly note?: string;
}

const ALIAS = 'As under `/api/frontend`: older SDKs and applications ask here.';

const LISTS: readonly ListRoute[] = [
  {
    path: '/api/frontend',
    told: 'on',
    operationIds: ['getFrontendFeatures', 'postFrontendFeatures'],
    which: 'The flags that are on',
  },
  {
    path: '/api/frontend/all',
    told: 'all',
    operationIds: ['getAllFrontendFeatures', 'postAllFrontendFeatures'],
    which: 'All flags, on or off,',
  },
  {
    path: '/api/proxy',
    told: 'on',
    operationIds: ['getProxyFeatures', 'postProxyFeatures'],
    which: 'The flags that are on',
    note: ALIAS,
  },
  {
    path: '/api/proxy/all',
    told: 'all',
    operationIds: ['getAllProxyFeatures', 'postAllProxyFeatures'],
    which: 'All flags, on or off,',
    note: ALIAS,
  },
];

function listEndpoints({ path, told, operationIds, which, note = '' }: ListRoute): readonly Endpoint<Services>[] {
  const [getId, postId] = operationIds;
  const schema = told === 'on' ? FrontendFlags : AllFrontendFlags;
  const facts = {
    path,
    tag: 'Frontend',
    access: { permission: 'FRONTEND' },
    responses: { 200: { description: which.replace(/,$/, ''), schema } },
    errors: [400],
  } as const;
  const get = endpoint({
    ...facts,
    operationId: getId,
    method: 'get',
    summary: `${which} for the context in the query, with their variants`,
    description: `${OF_A_QUERY} ${note}`.trim(),
    query: ContextQuery,
    handle: (request, services) =>
      evaluateFor(request, contextOfQuery(request.queryText), services, (flags, context) =>
        listAnswer(flags, context, told),
      ),
  });
  const post = endpoint({
    ...facts,
    operationId: postId,
    method: 'post',
    summary: `${which} for the context in the body, with their variants`,
    description: `${OF_A_BODY} ${note}`.trim(),
    body: FrontendBody,
    handle: (request, services) =>
      evaluateFor(request, request.body.context ?? request.body, services, (flags, context) =>
        listAnswer(flags, context, told),
      ),
  });
  return [get, post];
}

const ofOneFlag = {
  path: '/api/frontend/features/:featureName',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  params: Type.Object({ featureName: Type.String() }),
  responses: { 200: { description: 'The flag, on or off', schema: FrontendToggle } },
  errors: [400, 404],
} as const;

const getFrontendFeature = endpoint({
  ...ofOneFlag,
  operationId: 'getFrontendFeature',
  method: 'get',
  summary: 'One flag, on or off, for the context in the query',
  description: OF_A_QUERY,
  query: ContextQuery,
  handle: (request, services) =>
    evaluateFor(request, contextOfQuery(request.queryText), services, (flags, context) =>
      flagAnswer(flags, context, request.params.featureName),
    ),
});

const postFrontendFeature = endpoint({
  ...ofOneFlag,
  operationId: 'postFrontendFeature',
  method: 'post',
  summary: 'One flag, on or off, for the context in the body',
  description: OF_A_BODY,
  body: FrontendBody,
  handle: (request, services) =>
    evaluateFor(request, request.body.context ?? request.body, services, (flags, context) =>
      flagAnswer(flags, context, request.params.featureName),
    ),
});

type Answers = Answer | Rejection | Promise<Answer | Rejection>;

/** What the token’s flags answer to the context that was sent. */
function evaluateFor(
  { caller: { scope }, remoteAddress }: Pick<HandlerRequest<never, never, never>, 'caller' | 'remoteAddress'>,
  sent: SdkContext | Rejection,
  services: Services,
  answer: (flags: FlagSnapshot, context: EvaluationContext) => Answers,
): Answers {
  if (sent instanceof Rejection) return sent;
  const context = callerContext(sent, scope, remoteAddress, services);
  if (context instanceof Rejection) return context;
  const flags = services.flagViews.ofScope(scope);
  return flags instanceof Promise ? flags.then((taken) => answer(taken, context)) : answer(flags, context);
}

function listAnswer(flags: FlagSnapshot, context: EvaluationContext, told: Told): Answer {
  return { status: 200, pieces: togglesJson(flags, context, told) };
}

async function flagAnswer(flags: FlagSnapshot, context: EvaluationContext, name: string): Promise<Answer | Rejection> {
  const cell = flags.cell(name);
  if (!cell) return notFound(`The feature ${name} does not exist.`);
  return { status: 200, pieces: [await workInSlices(toggleText(flags, cell, context))] };
}

export const frontendFeatureEndpoints = [...LISTS.flatMap(listEndpoints), getFrontendFeature, postFrontendFeature];
