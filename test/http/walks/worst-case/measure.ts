import type { ProbedService } from '../../../../bench/support/probed.ts';
import { Api, type Call, type Sent } from './api.ts';
import { type ApiDocument, type Operation, operationsOf } from './document.ts';
import { FIELD } from './expensive-constraints.ts';
import type { Shape } from './largest-value.ts';
import { type Attempt, attemptOf, shapesOf } from './requests.ts';
import { makeWorld, type World } from './world.ts';

/** How long one request blocked the event loop. */
export interface Measured {
  readonly operationId: string;
  /** For the table: the shape of the request, and how large it was. */
  readonly what: string;
  readonly status: number;
  readonly answerBytes: number;
  /** Why it was refused; "" when it was not. */
  readonly refusal: string;
  /**
   * Longest turn of the event loop, by processor time of its thread. The shortest of several tries: anything above it was garbage collection or compilation.
   */
  readonly ownMs: number;
  /** The same for the polls that follow: the cost that a change leaves to its readers. */
  readonly readersOwnMs: number;
}

/** Tried from large to small until the limits accept the request. A refused request costs time, too. */
const SCALES = [1, 0.5, 0.2, 0.05, 0.01, 0.002];
const QUIET_MS = 30;
/** Only to hold the bar, without figures of each part: what is measured together below the bar is not measured again. */
export const isQuick = process.env.BENCH_QUICK !== undefined;

export interface Bench {
  readonly service: ProbedService;
  readonly api: Api;
  readonly readers: Readers;
  readonly world: World;
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
}

/** Brings the service to the most expensive state that the limits allow. */
export async function prepareBench(service: ProbedService, ordinaryFlags: readonly string[]): Promise<Bench> {
  const api = new Api(service.url);
  const document = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as ApiDocument;
  const world = await makeWorld(api, ordinaryFlags);
  const readers = new Readers(api);
  await readers.poll();
  return { service, api, readers, world, document, operations: operationsOf(document) };
}

/** Polls after a change as SDKs do, with the ETag of what they have. After a request that changed nothing, there is nothing to build or to read. */
export class Readers {
  readonly #api: Api;
  readonly #known = new Map<string, string>();

  constructor(api: Api) {
    this.#api = api;
  }

  async poll(): Promise<void> {
    const context = { userId: 'a', properties: { [FIELD]: 'a'.repeat(4_096) } };
    await this.#ask({ method: 'GET', path: '/api/client/features', headers: { 'accept-encoding': 'gzip' } });
    await this.#ask({ method: 'POST', path: '/api/frontend', body: { context } });
  }

  async #ask(call: Call): Promise<void> {
    const known = this.#known.get(call.path);
    const headers = { ...call.headers, ...(known && { 'if-none-match': known }) };
    const { etag } = await this.#api.send({ ...call, headers });
    this.#known.set(call.path, etag);
  }
}

const rest = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

/**
 * Measures the most expensive requests of one operation. A result above the bar is measured again, with other names, and the shortest counts: garbage
 * collection and compilation happen at random, but the work of the request happens every time.
 */
export async function measureOperation(
  bench: Bench,
  operation: Operation,
  barMs: number,
  tries: number,
): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const shape of shapesOf(operation, bench.document)) {
    for (const scale of SCALES) {
      const scaled = { ...shape, scale, bytes: Math.ceil(shape.bytes * scale) };
      let best = await (isQuick ? measureTogether : measureOnce)(bench, operation, scaled);
      for (let count = 1; count < tries && Math.max(best.ownMs, best.readersOwnMs) > barMs; count++) {
        const again = await measureOnce(bench, operation, scaled);
        best = {
          ...again,
          ownMs: Math.min(best.ownMs, again.ownMs),
          readersOwnMs: Math.min(best.readersOwnMs, again.readersOwnMs),
        };
      }
      results.push(best);
      if (best.status < 400 || operation.bodies.length === 0) break;
    }
  }
  return results;
}

let attempts = 0;

/** The longest turn of the request and of the polls after it. */
async function measureTogether(bench: Bench, operation: Operation, shape: Omit<Shape, 'attempt'>): Promise<Measured> {
  const { api, readers, service } = bench;
  const attempt = await prepare(bench, operation, shape);
  const { sent, ownMs } = await held(service, async () => {
    const answer = await api.send(attempt.call);
    await readers.poll();
    return answer;
  });
  return measuredOf(attempt, sent, ownMs, ownMs);
}

async function measureOnce(bench: Bench, operation: Operation, shape: Omit<Shape, 'attempt'>): Promise<Measured> {
  const { api, readers, service } = bench;
  const attempt = await prepare(bench, operation, shape);
  const { sent, ownMs } = await held(service, () => api.send(attempt.call));
  const { ownMs: readersOwnMs } = await held(service, () => readers.poll());
  return measuredOf(attempt, sent, ownMs, readersOwnMs);
}

async function prepare(bench: Bench, operation: Operation, shape: Omit<Shape, 'attempt'>): Promise<Attempt> {
  const attempt = await attemptOf(operation, { ...shape, attempt: `${(attempts++).toString(36)}x` }, bench);
  await bench.readers.poll();
  return attempt;
}

function measuredOf(attempt: Attempt, sent: Sent, ownMs: number, readersOwnMs: number): Measured {
  const { status, bytes: answerBytes, text } = sent;
  const refusal = status < 400 ? '' : text.slice(0, 400);
  return {
    operationId: attempt.operationId,
    what: described(attempt),
    status,
    answerBytes,
    refusal,
    ownMs,
    readersOwnMs,
  };
}

export async function held<Result>(service: ProbedService, work: () => Promise<Result>) {
  await rest();
  await service.takeHolds();
  const sent = await work();
  await rest();
  const { longestOwnMs } = await service.takeHolds();
  return { sent, ownMs: longestOwnMs };
}

export function described({ shape, call }: Attempt): string {
  if (call.body === undefined) return 'no body';
  const kilobytes = Math.ceil(Buffer.byteLength(JSON.stringify(call.body)) / 1000);
  return `${kilobytes} kB, ${shape.mode === 'many' ? 'many small things' : 'large things'}${shape.flavour ? `, constraints: ${shape.flavour}` : ''}`;
}

/** The most expensive accepted request and the most expensive refused request of each operation. */
export function dearest(results: readonly Measured[]): Measured[] {
  const worse = (one: Measured, other: Measured) =>
    Math.max(one.ownMs, one.readersOwnMs) >= Math.max(other.ownMs, other.readersOwnMs) ? one : other;
  const of = (some: readonly Measured[]) => (some.length === 0 ? [] : [some.reduce(worse)]);
  return [...of(results.filter(({ status }) => status < 400)), ...of(results.filter(({ status }) => status >= 400))];
}
