import { includesEtag } from '../../base/etag.ts';
import { notFound, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import type { Answer } from '../../http/answer.ts';
import type { Endpoint, HandlerRequest } from '../../http/endpoint.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { type IncludedFlags, togglesJson, toggleText } from '../../views/frontend/toggles.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { answerEtag } from './answer-etag.ts';
import { callerContext, contextOfQuery } from './caller-context.ts';
import { AllFrontendFlags, ContextQuery, FrontendBody, FrontendFlags, FrontendToggle } from './schemas.ts';

const route = routesOf('Frontend');

const CONTEXT_NOTE =
  'The token decides the environment. The default for remoteAddress is the client’s address, the default for sessionId is a random value. ' +
  'Unknown fields count as properties.';

const QUERY_CONTEXT_NOTE = `Custom context fields are written \`properties[name]=value\`. ${CONTEXT_NOTE}`;
const BODY_CONTEXT_NOTE = `The context is the body, or its field \`context\`. ${CONTEXT_NOTE}`;

/** A route that returns a list of evaluated flags. SDKs for browsers use `/api/frontend`. Applications that used a relay also use the other paths. */
interface ListRoute {
  readonly path: string;
  readonly included: IncludedFlags;
  readonly operationIds: readonly [get: string, post: string];
  /** The beginning of the summary: the content of the answer. */
  readonly summaryStart: string;
  readonly note?: string;
}

const ETAG_HEADER = { ETag: 'Identifies this answer; the client sends it back in `If-None-Match`' };
const NOT_MODIFIED = { description: 'The client already has this answer: flags and context are the same' };

const ALIAS_NOTE = 'The same as under `/api/frontend`, for older SDKs and applications.';

const LISTS: readonly ListRoute[] = [
  {
    path: '/api/frontend',
    included: 'on',
    operationIds: ['getFrontendFeatures', 'postFrontendFeatures'],
    summaryStart: 'The flags that are on',
  },
  {
    path: '/api/frontend/all',
    included: 'all',
    operationIds: ['getAllFrontendFeatures', 'postAllFrontendFeatures'],
    summaryStart: 'All flags, on or off,',
  },
  {
    path: '/api/proxy',
    included: 'on',
    operationIds: ['getProxyFeatures', 'postProxyFeatures'],
    summaryStart: 'The flags that are on',
    note: ALIAS_NOTE,
  },
  {
    path: '/api/proxy/all',
    included: 'all',
    operationIds: ['getAllProxyFeatures', 'postAllProxyFeatures'],
    summaryStart: 'All flags, on or off,',
    note: ALIAS_NOTE,
  },
];

function listEndpoints({
  path,
  included,
  operationIds,
  summaryStart,
  note = '',
}: ListRoute): readonly Endpoint<Services>[] {
  const [getId, postId] = operationIds;
  const schema = included === 'on' ? FrontendFlags : AllFrontendFlags;
  const details = {
    access: { permission: 'FRONTEND' },
    responses: {
      200: { description: summaryStart.replace(/,$/, ''), schema, headers: ETAG_HEADER },
      304: NOT_MODIFIED,
    },
  } as const;
  const get = route(`GET ${path}`, getId, {
    errors: [429],
    ...details,
    summary: `${summaryStart} for the context in the query, with their variants`,
    description: `${QUERY_CONTEXT_NOTE} ${note}`.trim(),
    query: ContextQuery,
    handle: (request, services) => answerTo(request, contextOfQuery(request.queryText), services, listing(included)),
  });
  const post = route(`POST ${path}`, postId, {
    errors: [429],
    ...details,
    summary: `${summaryStart} for the context in the body, with their variants`,
    description: `${BODY_CONTEXT_NOTE} ${note}`.trim(),
    body: FrontendBody,
    bodyOptional: true,
    handle: (request, services) => answerTo(request, request.body.context ?? request.body, services, listing(included)),
  });
  return [get, post];
}

const ONE_FLAG_DETAILS = {
  access: { permission: 'FRONTEND' },
  responses: {
    200: { description: 'The flag, on or off', schema: FrontendToggle, headers: ETAG_HEADER },
    304: NOT_MODIFIED,
  },
} as const;

const getFrontendFeature = route('GET /api/frontend/features/:featureName', 'getFrontendFeature', {
  ...ONE_FLAG_DETAILS,
  summary: 'One flag, on or off, for the context in the query',
  description: QUERY_CONTEXT_NOTE,
  query: ContextQuery,
  handle: (request, services) =>
    answerTo(request, contextOfQuery(request.queryText), services, oneFlag(request.params.featureName)),
});

const postFrontendFeature = route('POST /api/frontend/features/:featureName', 'postFrontendFeature', {
  ...ONE_FLAG_DETAILS,
  summary: 'One flag, on or off, for the context in the body',
  description: BODY_CONTEXT_NOTE,
  body: FrontendBody,
  bodyOptional: true,
  handle: (request, services) =>
    answerTo(request, request.body.context ?? request.body, services, oneFlag(request.params.featureName)),
});

type Answers = Answer | Rejection | Promise<Answer | Rejection>;

type EvaluationRequest = Pick<HandlerRequest<never, never, never>, 'caller' | 'asker' | 'remoteAddress' | 'header'>;

/** A kind of answer that is computed from flags and a context. */
interface AnswerKind {
  /** Distinguishes answers of this kind from answers of other kinds. */
  readonly name: string;
  /** The reason why an answer of this kind is not possible; undefined if it is possible. */
  refusal(flags: FlagSnapshot): Rejection | undefined;
  /** The JSON of the answer. A text is sent immediately; pieces wait in the queue. `slicer` returns the slicer that decides about pauses. */
  pieces(flags: FlagSnapshot, context: EvaluationContext, slicer: () => Slicer): Iterable<string> | Promise<string>;
}

function listing(included: IncludedFlags): AnswerKind {
  return {
    name: included,
    refusal: () => undefined,
    pieces: (flags, context) => togglesJson(flags, context, included),
  };
}

function oneFlag(name: string): AnswerKind {
  return {
    name: `flag ${name}`,
    refusal: (flags) => (flags.cell(name) ? undefined : notFound(`The feature ${name} does not exist.`)),
    async pieces(flags, context, slicer) {
      return await workInSlices(toggleText(flags, flags.cell(name) as FlagCell, context), slicer());
    },
  };
}

/** Evaluates the token’s flags for the context. Answers 304, without evaluating, if the client already has the answer. */
function answerTo(
  request: EvaluationRequest,
  sent: SdkContext | Rejection,
  services: Services,
  kind: AnswerKind,
): Answers {
  if (sent instanceof Rejection) return sent;
  const { scope } = request.caller;
  const context = callerContext(sent, scope, request.remoteAddress, services);
  if (context instanceof Rejection) return context;
  const answer = (flags: FlagSnapshot): Answers => {
    const refusal = kind.refusal(flags);
    if (refusal) return refusal;
    const slicer = () => Slicer.of(request.asker);
    const etag = answerEtag(kind.name, flags, sent, context, slicer);
    const tagged = (etag: string) => revalidated(request, etag, () => kind.pieces(flags, context, slicer));
    return etag instanceof Promise ? etag.then(tagged) : tagged(etag);
  };
  const flags = services.flagViews.snapshotOf(scope);
  return flags instanceof Promise ? flags.then(answer) : answer(flags);
}

/** Answers 304 if the client has the answer with this ETag, otherwise the answer that `make` returns. */
function revalidated(
  { header }: EvaluationRequest,
  etag: string,
  make: () => ReturnType<AnswerKind['pieces']>,
): Answers {
  // The client may store the answer, and must revalidate it before each use. Caches between client and service must not store it: the answer is valid
  // for one moment, and its random values are valid for one visitor.
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (includesEtag(header('if-none-match') ?? '', etag)) return { status: 304, headers };
  const content = make();
  if (!(content instanceof Promise)) return { status: 200, pieces: content, headers, isBounded: true };
  // The answer for one flag is sent immediately, without another turn of the event loop.
  return content.then((text) => ({ status: 200, text, headers: { ...JSON_TYPE, ...headers } }));
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const frontendFeatureEndpoints = [...LISTS.flatMap(listEndpoints), getFrontendFeature, postFrontendFeature];
