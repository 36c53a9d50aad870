import { namesTag } from '../../base/entity-tag.ts';
import { notFound, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import type { Answer } from '../../http/answer.ts';
import type { Endpoint, HandlerRequest } from '../../http/endpoint.ts';
import { GZIP_BYTES_MIN } from '../../http/gzip-writer.ts';
import { holderOf } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { type Shown, togglesJson, toggleText } from '../../views/frontend/toggles.ts';
import { acceptsGzip } from '../client/request-headers.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { answerTag } from './answer-tag.ts';
import { callerContext } from './caller-context.ts';
import { contextOfQuery } from './query-context.ts';
import { AllFrontendFlags, ContextQuery, FrontendBody, FrontendFlags, FrontendToggle } from './schemas.ts';

const route = routesOf('Frontend');

const ABOUT_THE_CONTEXT =
  'The environment is the token’s. Without a remoteAddress the caller’s counts; without a sessionId a random one. ' +
  'Fields that the context does not name count as properties.';

const OF_A_QUERY = `Custom context fields are written \`properties[name]=value\`. ${ABOUT_THE_CONTEXT}`;
const OF_A_BODY = `The context is the body, or its field \`context\`. ${ABOUT_THE_CONTEXT}`;

/** A list of answers: which it holds, and where. Browsers’ SDKs ask the first; relays answered the others, so that applications know them. */
interface ListRoute {
  readonly path: string;
  readonly told: Shown;
  readonly operationIds: readonly [get: string, post: string];
  /** In the words of a summary. */
  readonly which: string;
  readonly note?: string;
}

const TAGGED = { ETag: 'Tells this answer from any other; sent back in `If-None-Match`' };
const UNCHANGED = { description: 'The caller has this answer already: flags and context are the same' };

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
    access: { permission: 'FRONTEND' },
    responses: { 200: { description: which.replace(/,$/, ''), schema, headers: TAGGED }, 304: UNCHANGED },
  } as const;
  const get = route(`GET ${path}`, {
    errors: [429],
    ...facts,
    operationId: getId,
    summary: `${which} for the context in the query, with their variants`,
    description: `${OF_A_QUERY} ${note}`.trim(),
    query: ContextQuery,
    handle: (request, services) => answerTo(request, contextOfQuery(request.queryText), services, listing(told)),
  });
  const post = route(`POST ${path}`, {
    errors: [429],
    ...facts,
    operationId: postId,
    summary: `${which} for the context in the body, with their variants`,
    description: `${OF_A_BODY} ${note}`.trim(),
    body: FrontendBody,
    bodyOptional: true,
    handle: (request, services) => answerTo(request, request.body.context ?? request.body, services, listing(told)),
  });
  return [get, post];
}

const ofOneFlag = {
  access: { permission: 'FRONTEND' },
  responses: { 200: { description: 'The flag, on or off', schema: FrontendToggle, headers: TAGGED }, 304: UNCHANGED },
} as const;

const getFrontendFeature = route('GET /api/frontend/features/:featureName', {
  ...ofOneFlag,
  operationId: 'getFrontendFeature',
  summary: 'One flag, on or off, for the context in the query',
  description: OF_A_QUERY,
  query: ContextQuery,
  handle: (request, services) =>
    answerTo(request, contextOfQuery(request.queryText), services, oneFlag(request.params.featureName)),
});

const postFrontendFeature = route('POST /api/frontend/features/:featureName', {
  ...ofOneFlag,
  operationId: 'postFrontendFeature',
  summary: 'One flag, on or off, for the context in the body',
  description: OF_A_BODY,
  body: FrontendBody,
  bodyOptional: true,
  handle: (request, services) =>
    answerTo(request, request.body.context ?? request.body, services, oneFlag(request.params.featureName)),
});

type Answers = Answer | Rejection | Promise<Answer | Rejection>;

type Asked = Pick<HandlerRequest<never, never, never>, 'caller' | 'remoteAddress' | 'header'>;

/** What is made of flags and a context. */
interface Kind {
  /** Tells its answers from those of other kinds. */
  readonly name: string;
  /** Why there is no such answer, or undefined. */
  refusal(flags: FlagSnapshot): Rejection | undefined;
  /** Text is sent at once, pieces as their turn comes. `slicer`: of the caller. */
  pieces(flags: FlagSnapshot, context: EvaluationContext, slicer: () => Slicer): Iterable<string> | Promise<string>;
}

function listing(told: Shown): Kind {
  return { name: told, refusal: () => undefined, pieces: (flags, context) => togglesJson(flags, context, told) };
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

/** What the token’s flags answer to the context that was sent; 304, without evaluating, to who has that answer. */
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
  // Kept by whoever asked, nobody between, and asked about each time: it is of one moment, and what was drawn for one visitor.
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (namesTag(header('if-none-match') ?? '', etag)) return { status: 304, headers };
  const gzip = acceptsGzip(header('accept-encoding') ?? '');
  const made = make();
  if (!(made instanceof Promise)) return { status: 200, pieces: made, headers, gzip, isBounded: true };
  // One flag is sent at once, without another turn of the loop, unless it is so long that it is compressed.
  return made.then((text) =>
    gzip && text.length >= GZIP_BYTES_MIN
      ? { status: 200, pieces: [text], headers, gzip }
      : { status: 200, text, headers: { ...JSON_TYPE, ...headers } },
  );
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export const frontendFeatureEndpoints = [...LISTS.flatMap(listEndpoints), getFrontendFeature, postFrontendFeature];
