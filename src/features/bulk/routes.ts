import Type from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import { REVISION_HEADER } from '../../http/answer.ts';
import { parseBody } from '../../http/body/parsed-body.ts';
import type { StreamedRequest } from '../../http/endpoint.ts';
import type { Scope } from '../../model/caller.ts';
import { SdkContext } from '../../model/context.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { streamed } from '../endpoint.ts';
import type { Services } from '../services.ts';
import type { FlagSelection } from './evaluate-lines.ts';
import { type BulkRequest, evaluateBulk, mayBeInline } from './evaluator.ts';
import { BULK_LIMITS } from './limits.ts';
import { BAD_LINES_MAX } from './protocol.ts';
import { findRequestedFlags } from './requested-flags.ts';

const NDJSON = 'application/x-ndjson';

const EvaluateBody = Type.Object(
  {
    contexts: Type.Array(SdkContext),
    features: Type.Optional(
      Type.Array(Type.String(), { maxItems: BULK_LIMITS.namesInRequest.max, description: 'Only these flags' }),
    ),
    namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names start with this' })),
  },
  { $id: 'evaluate' },
);

const evaluate = streamed('POST /api/client/evaluate', 'evaluateContexts', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'Evaluates many contexts against the flags of the token’s scope',
  description:
    'Accepts `{contexts, features?, namePrefix?}` as JSON, or contexts as `application/x-ndjson`, one for each line, with the filters in the query. ' +
    'Answers one line for each context, in order: `{"line": n, "toggles": […]}` with the flags that are on, or ' +
    '`{"line": n, "error": {name, message}}` ' +
    `for a line that is not a context. After ${BAD_LINES_MAX} such lines the answer ends with an error whose \`line\` is null. ` +
    `Without contexts the answer is empty. All lines are answered from one revision, which is the value of \`${REVISION_HEADER}\`.`,
  query: Type.Object({
    features: Type.Optional(
      // A query has at most 200 parameters, one of which can be `namePrefix`.
      Type.Array(Type.String(), { maxItems: 199, description: 'Only these flags (NDJSON)' }),
    ),
    namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names start with this (NDJSON)' })),
  }),
  body: EvaluateBody,
  contentTypes: ['application/json', NDJSON],
  responses: {
    200: {
      description: 'One line for each context, as `application/x-ndjson`',
      contentType: NDJSON,
      headers: { [REVISION_HEADER]: 'The revision at which all lines were evaluated' },
    },
  },
  errors: [400, 413, 429],
  async handle(request, services) {
    const { bulk, clock, random } = services;
    const { asker } = request;
    const { holder } = asker;
    if (!bulk.claim(holder, request.signal))
      return new Rejection('TooManyRequestsError', 'Too many bulk evaluations are in progress. Try again.', [], 1);
    const input =
      request.contentType === NDJSON
        ? inputOfQuery(request)
        : await inputOfJson(request, services.config.bodyLimitBytes);
    if (input instanceof Rejection) return input;
    const { scope } = request.caller;
    const { features } = input;
    const { seq, ...selected } = await (features === null
      ? selectScope(services, scope, input.namePrefix, Slicer.of(asker))
      : selectNames(services, scope, { ...input, features }, Slicer.of(asker)));
    const { lines: body, namePrefix } = input;
    const { signal } = request;
    const chunks = evaluateBulk(
      { ...selected, body, namePrefix, nowMs: clock.nowMs(), random, signal, holder },
      bulk.pool,
    );
    const headers = { 'content-type': NDJSON, [REVISION_HEADER]: String(seq) };
    return { status: 200, headers, chunks };
  },
});

interface FlagFilter {
  /** Names of the requested flags; null for all flags with the prefix. */
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
}

interface Input extends FlagFilter {
  readonly lines: AsyncIterable<Uint8Array>;
}

function inputOfQuery({ body, query }: StreamedRequest): Input {
  const { features, namePrefix } = query as { features?: string[]; namePrefix?: string };
  return { lines: body, features: features ?? null, namePrefix: namePrefix ?? null };
}

async function inputOfJson({ body, asker }: StreamedRequest, limitBytes: number): Promise<Input | Rejection> {
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
  const parsed = await parseBody(EvaluateBody, {}, Buffer.concat(chunks), asker);
  if (parsed instanceof Rejection) return parsed;
  const { contexts, features, namePrefix } = parsed.value as Type.Static<typeof EvaluateBody>;
  return { lines: linesOf(contexts, asker), features: features ?? null, namePrefix: namePrefix ?? null };
}

async function* linesOf(contexts: readonly SdkContext[], asker: Asker): AsyncGenerator<Uint8Array> {
  const slicer = Slicer.of(asker);
  for (const context of contexts) {
    yield Buffer.from(`${JSON.stringify(context)}\n`);
    if (slicer.spent) await slicer.pause();
  }
}

/** The requested flags at one revision. */
interface SelectedFlags extends Pick<BulkRequest, 'scope' | 'selection' | 'flagCount' | 'features'> {
  readonly seq: number;
}

/** Selects a few flags by their names. This needs neither the lists of the scope nor its other flags. */
async function selectNames(
  { bulk, flagViews }: Services,
  scope: Scope,
  { features, namePrefix }: { readonly features: readonly string[]; readonly namePrefix: string | null },
  slicer: Slicer,
): Promise<SelectedFlags> {
  const prefix = namePrefix ?? '';
  const snapshot = flagViews.snapshotOfFlags(
    scope,
    features.filter((name) => name.startsWith(prefix)),
  );
  const flags = await workInSlices(snapshot.compileAll(), slicer);
  return {
    seq: snapshot.seq,
    scope: await bulk.scopes.ofSnapshot(snapshot, slicer),
    selection: { flags, find: snapshot.find },
    flagCount: flags.length,
    // The snapshot also contains parents, which the caller may not be allowed to see.
    features: flags.map(({ name }) => name),
  };
}

async function selectScope(
  services: Services,
  scope: Scope,
  namePrefix: string | null,
  slicer: Slicer,
): Promise<SelectedFlags> {
  const captured = await services.clientViews.capture(scope);
  const { chunks, flagCount } = await findRequestedFlags(captured.chunks, namePrefix ?? '', slicer);
  return {
    seq: captured.seq,
    scope: await services.bulk.scopes.ofCapturedScope(captured, chunks, slicer),
    selection: mayBeInline(captured.flagCount) ? await compiledFlags(services, scope, captured.seq, slicer) : null,
    flagCount,
    features: null,
  };
}

/**
 * The flags of the scope at `seq`, compiled on the main thread. Null if the state has changed since `seq`: then only the captured lists have the
 * revision of `seq`.
 */
async function compiledFlags(
  { flagViews }: Services,
  scope: Scope,
  seq: number,
  slicer: Slicer,
): Promise<FlagSelection | null> {
  const [snapshot] = (await flagViews.snapshotsOf([scope])) as [FlagSnapshot];
  if (snapshot.seq !== seq) return null;
  return { flags: await workInSlices(snapshot.compileAll(), slicer), find: snapshot.find };
}

export const evaluateEndpoints = [evaluate];
