import { namesTag } from '../../base/entity-tag.ts';
import { notFound, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import type { Answer } from '../../http/answer.ts';
import type { Endpoint, HandlerRequest } from '../../http/endpoint.ts';
import { GZIP_BYTES_MIN } from '../../http/sending/gzip-writer.ts';
import { holderOf } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { type Shown, togglesJson, toggleText } from '../../views/frontend/toggles.ts';
import { acceptsGzip } from '../client/request-headers.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { answerTag } from './answer-tag.ts';
import { callerContext, contextOfQuery } from './caller-context.ts';
import { AllFrontendFlags, ContextQuery, FrontendBody, FrontendFlags, FrontendToggle } from './schemas.ts';

const route = routesOf('Frontend');

const ABOUT_THE_CONTEXT =
  'The token decides the environment. The default for remoteAddress is the client’s address, the default for sessionId is a random value. ' +
  'Unknown fields count as properties.';

const OF_A_QUERY = `Custom context fields are written \`properties[name]=value\`. ${ABOUT_THE_CONTEXT}`;
const OF_A_BODY = `The context is the body, or its field \`context\`. ${ABOUT_THE_CONTEXT}`;

/** A route that returns a list of evaluated flags. SDKs for browsers use the first path. Relays served the other paths, so applications use those. */
interface ListRoute {
  readonly path: string;
  readonly presented: Shown;
  readonly operationIds: readonly [get: string, post: string];
  /** The content, as part of a summary. */
  readonly which: string;
  readonly note?: string;
}

const TAGGED = { ETag: 'Identifies this answer; the client sends it back in `If-None-Match`' };
const UNCHANGED = { description: 'The client already has this answer: flags and context are the same' };

const ALIAS = 'As under `/api/frontend`, for older SDKs and applications.';

const LISTS: readonly ListRoute[] = [
  {
    path: '/api/frontend',
    presented: 'on',
    operationIds: ['getFrontendFeatures', 'postFrontendFeatures'],
    which: 'The flags that are on',
  },
  {
    path: '/api/frontend/all',
    presented: 'all',
    operationIds: ['getAllFrontendFeatures', 'postAllFrontendFeatures'],
    which: 'All flags, on or off,',
  },
  {
    path: '/api/proxy',
    presented: 'on',
    operationIds: ['getProxyFeatures', 'postProxyFeatures'],
    which: 'The flags that are on',
    note: ALIAS,
  },
  {
    path: '/api/proxy/all',
    presented: 'all',
    operationIds: ['getAllProxyFeatures', 'postAllProxyFeatures'],
    which: 'All flags, on or off,',
    note: ALIAS,
  },
];

function listEndpoints({ path, presented, operationIds, which, note = '' }: ListRoute): readonly Endpoint<Services>[] {
  const [getId, postId] = operationIds;
  const schema = presented === 'on' ? FrontendFlags : AllFrontendFlags;
  const details = {
    access: { permission: 'FRONTEND' },
    responses: { 200: { description: which.replace(/,$/, ''), schema, headers: TAGGED }, 304: UNCHANGED },
  } as const;
  const get = route(`GET ${path}`, getId, {
    errors: [429],
    ...details,
    summary: `${which} for the context in the query, with their variants`,
    description: `${OF_A_QUERY} ${note}`.trim(),
    query: ContextQuery,
    handle: (request, services) => answerTo(request, contextOfQuery(request.queryText), services, listing(presented)),
  });
  const post = route(`POST ${path}`, postId, {
    errors: [429],
    ...details,
    summary: `${which} for the context in the body, with their variants`,
    description: `${OF_A_BODY} ${note}`.trim(),
    body: FrontendBody,
    bodyOptional: true,
    handle: (request, services) =>
      answerTo(request, request.body.context ?? request.body, services, listing(presented)),
  });
  return [get, post];
}

const ofOneFlag = {
  access: { permission: 'FRONTEND' },
  responses: { 200: { description: 'The flag, on or off', schema: FrontendToggle, headers: TAGGED }, 304: UNCHANGED },
} as const;

const getFrontendFeature = route('GET /api/frontend/features/:featureName', 'getFrontendFeature', {
  ...ofOneFlag,
  summary: 'One flag, on or off, for the context in the query',
  description: OF_A_QUERY,
  query: ContextQuery,
  handle: (request, services) =>
    answerTo(request, contextOfQuery(request.queryText), services, oneFlag(request.params.featureName)),
});

const postFrontendFeature = route('POST /api/frontend/features/:featureName', 'postFrontendFeature', {
  ...ofOneFlag,
  summary: 'One flag, on or off, for the context in the body',
  description: OF_A_BODY,
  body: FrontendBody,
  bodyOptional: true,
  handle: (request, services) =>
    answerTo(request, request.body.context ?? request.body, services, oneFlag(request.params.featureName)),
});

type Answers = Answer | Rejection | Promise<Answer | Rejection>;

type Asked = Pick<HandlerRequest<never, never, never>, 'caller' | 'remoteAddress' | 'header'>;

/** A kind of answer that is computed from flags and a context. */
interface Kind {
  /** Distinguishes answers of this kind from answers of other kinds. */
  readonly name: string;
  /** The reason why an answer of this kind is not possible, or undefined if it is. */
  refusal(flags: FlagSnapshot): Rejection | undefined;
  /** The JSON of the answer. A text is sent immediately; pieces wait in the queue. `slicer` belongs to the caller. */
  pieces(flags: FlagSnapshot, context: EvaluationContext, slicer: () => Slicer): Iterable<string> | Promise<string>;
}

function listing(presented: Shown): Kind {
  return {
    name: presented,
    refusal: () => undefined,
    pieces: (flags, context) => togglesJson(flags, context, presented),
  };
}

function oneFlag(name: string): Kind {
  return {
    name: `flag ${name}`,
    refusal: (flags) => (flags.cell(name) ? undefined : notFound(`The feature ${name} does not exist.`)),
    async pieces(flags, context, slicer) {
      return await workInSlices(toggleText(flags, flags.cell(name) as FlagCell, context), slicer());
    },
  };
}

/** Evaluates the token’s flags for the context. Answers 304, without evaluating, if the client already has the answer. */
function answerTo(asked: Asked, sent: SdkContext | Rejection, services: Services, kind: Kind): Answers {
  if (sent instanceof Rejection) return sent;
  const { scope } = asked.caller;
  const context = callerContext(sent, scope, asked.remoteAddress, services);
  if (context instanceof Rejection) return context;
  const answer = (flags: FlagSnapshot): Answers => {
    const refusal = kind.refusal(flags);
    if (refusal) return refusal;
    const slicer = () => Slicer.of(holderOf(asked.caller));
    const tag = answerTag(kind.name, flags, sent, context, slicer);
    const tagged = (etag: string) => revalidated(asked, etag, () => kind.pieces(flags, context, slicer));
    return tag instanceof Promise ? tag.then(tagged) : tagged(tag);
  };
  const flags = services.flagViews.ofScope(scope);
  return flags instanceof Promise ? flags.then(answer) : answer(flags);
}

function revalidated({ header }: Asked, etag: string, make: () => ReturnType<Kind['pieces']>): Answers {
  // The client may store the answer, and must revalidate it each time; caches between client and service must not store it. The answer is valid for
  // one moment, and its random values are valid for one visitor.
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (namesTag(header('if-none-match') ?? '', etag)) return { status: 304, headers };
  const gzip = acceptsGzip(header('accept-encoding') ?? '');
  const made = make();
  if (!(made instanceof Promise)) return { status: 200, pieces: made, headers, gzip, isBounded: true };
  // The answer for one flag is sent immediately, without another turn of the event loop, unless it is so long that it is compressed.
  return made.then((text) =>
    gzip && text.length >= GZIP_BYTES_MIN
      ? { status: 200, pieces: [text], headers, gzip }
      : { status: 200, text, headers: { ...JSON_TYPE, ...headers } },
  );
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const frontendFeatureEndpoints = [...LISTS.flatMap(listEndpoints), getFrontendFeature, postFrontendFeature];
