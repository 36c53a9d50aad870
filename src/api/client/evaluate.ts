import Type from 'typebox';
import { invalid, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import { evaluateBulk, mayBeInline } from '../../bulk/bulk-evaluator.ts';
import type { FlagSelection } from '../../bulk/evaluate-lines.ts';
import { BAD_LINES_MAX } from '../../bulk/protocol.ts';
import { bulkScope } from '../../bulk/scope-source.ts';
import { REVISION_HEADER } from '../../http/answer.ts';
import type { StreamedRequest } from '../../http/endpoint.ts';
import { parseBody } from '../../http/parsed-body.ts';
import type { Scope } from '../../model/caller.ts';
import { SdkContext } from '../../model/context.ts';
import { LIMITS } from '../../model/limits.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { streamed } from '../endpoint.ts';
import type { Services } from '../services.ts';

const NDJSON = 'application/x-ndjson';

const EvaluateBody = Type.Object(
  {
    contexts: Type.Array(SdkContext),
    features: Type.Optional(
      Type.Array(Type.String(), { maxItems: LIMITS.namesInRequest.max, description: 'Only these flags' }),
    ),
    namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names begin with this' })),
  },
  { $id: 'evaluate' },
);

const evaluate = streamed({
  operationId: 'evaluateContexts',
  method: 'post',
  path: '/api/client/evaluate',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'Evaluates many contexts against the flags of the token’s scope',
  description:
    'Takes `{contexts, features?, namePrefix?}` as JSON, or contexts as `application/x-ndjson`, one a line, with the filters in the query. ' +
    'Answers one line a context, in their order: `{"line": n, "toggles": […]}` with the flags that are on, or `{"line": n, "error": {name, message}}` ' +
    `for a line that is no context; after ${BAD_LINES_MAX} of those the answer ends with an error whose line is null. All lines are answered from one revision, told in \`${REVISION_HEADER}\`.`,
  query: Type.Object({
    features: Type.Optional(
      Type.Array(Type.String(), { maxItems: LIMITS.namesInRequest.max, description: 'Only these flags (NDJSON)' }),
    ),
    namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names begin with this (NDJSON)' })),
  }),
  body: EvaluateBody,
  contentTypes: ['application/json', NDJSON],
  responses: {
    200: {
      description: 'One line a context, as `application/x-ndjson`',
      contentType: NDJSON,
      headers: { [REVISION_HEADER]: 'The revision all lines were evaluated at' },
    },
  },
  errors: [400, 413, 429],
  async handle(request, services) {
    const { bulk, clientViews, clock, random } = services;
    if (!bulk.claim(request.caller.token?.secret ?? '', request.signal))
      return new Rejection('TooManyRequestsError', 'Too many bulk evaluations are under way.', [], 1);
    const input =
      request.contentType === NDJSON ? fromQuery(request) : await fromJson(request, services.config.bodyLimitBytes);
    if (input instanceof Rejection) return input;
    const { scope } = request.caller;
    const captured = await clientViews.capture(scope);
    const selection = mayBeInline(captured.flagCount) ? await compiledFlags(services, scope, captured.seq) : null;
    const chunks = evaluateBulk(
      {
        body: input.lines,
        scope: await bulkScope(captured),
        selection,
        flagCount: captured.flagCount,
        features: input.features,
        namePrefix: input.namePrefix,
        nowMs: clock.nowMs(),
        random,
        signal: request.signal,
      },
      bulk.pool,
    );
    const headers = { 'content-type': NDJSON, [REVISION_HEADER]: String(captured.seq) };
    return { status: 200, headers, chunks };
  },
});

interface Input {
  readonly lines: AsyncIterable<Uint8Array>;
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
}

function fromQuery({ body, query }: StreamedRequest): Input {
  const { features, namePrefix } = query as { features?: string[]; namePrefix?: string };
  return { lines: body, features: features ?? null, namePrefix: namePrefix ?? null };
}

async function fromJson({ body }: StreamedRequest, limitBytes: number): Promise<Input | Rejection> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) {
      return new Rejection(
        'PayloadTooLargeError',
        `The body is larger than ${limitBytes} bytes; send the contexts as ${NDJSON}.`,
      );
    }
    chunks.push(chunk);
  }
  const parsed = await parseBody(EvaluateBody, {}, Buffer.concat(chunks));
  if (parsed instanceof Rejection) return parsed;
  const { contexts, features, namePrefix } = parsed.value as Type.Static<typeof EvaluateBody>;
  if (contexts.length === 0) return invalid('There are no contexts to evaluate.', '/contexts');
  return { lines: linesOf(contexts), features: features ?? null, namePrefix: namePrefix ?? null };
}

async function* linesOf(contexts: readonly SdkContext[]): AsyncGenerator<Uint8Array> {
  const slicer = new Slicer();
  for (const context of contexts) {
    yield Buffer.from(`${JSON.stringify(context)}\n`);
    if (slicer.spent) await slicer.pause();
  }
}

/** The flags of the scope as of `seq`, compiled here; null when the state has moved on, and only what was captured is of that moment. */
async function compiledFlags({ flagViews }: Services, scope: Scope, seq: number): Promise<FlagSelection | null> {
  const [snapshot] = (await flagViews.ofAll([scope])) as [FlagSnapshot];
  if (snapshot.seq !== seq) return null;
  return { flags: await workInSlices(snapshot.flags()), find: snapshot.find };
}

export const evaluateEndpoints = [evaluate];
