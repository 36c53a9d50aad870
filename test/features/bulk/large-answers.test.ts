import { afterAll, describe, expect, it } from 'vitest';
import { builtWorker } from '../../../src/base/built-worker.ts';
import { ByteBuffer } from '../../../src/base/byte-buffer.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { answerTask } from '../../../src/features/bulk/answer-task.ts';
import type { FlagSelection } from '../../../src/features/bulk/evaluate-lines.ts';
import { evaluateBulk } from '../../../src/features/bulk/evaluator.ts';
import { BulkPool } from '../../../src/features/bulk/pool.ts';
import { ANSWER_BYTES, type BulkScope, type BulkTask } from '../../../src/features/bulk/protocol.ts';
import { BULK_WORKER } from '../../../src/features/bulk/service.ts';
import { compileFlags, flagDefinition, type WireFlag } from '../../evaluation/wire.ts';

/** Enabled flags, each with a variant whose payload has `payloadChars` characters. */
function flagsWith(count: number, payloadChars: number): WireFlag[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `flag-${index}`,
    enabled: true,
    strategies: [{ name: 'default' }],
    variants: [
      {
        name: 'only',
        weight: 1000,
        weightType: 'variable',
        stickiness: 'default',
        payload: { type: 'string', value: `${index % 10}`.repeat(payloadChars) },
      },
    ],
  }));
}

function selectionOf(flags: readonly WireFlag[]): FlagSelection {
  const find = compileFlags(flags);
  return { flags: flags.map(({ name }) => find(name) as NonNullable<ReturnType<typeof find>>), find };
}

const NO_SCOPE: BulkScope = { key: '', environment: 'development', revision: 1, chunks: [], segments: [] };

const linesOf = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, at) => `{"userId":"${at}"}\n`).join(''));

/** The answers of one task after the other, until no lines are left. */
function answersOf(selection: FlagSelection, lines: Uint8Array, compiled = () => selection): Uint8Array[] {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const filter = { features: null, namePrefix: null, nowMs: 0, seed: 1, shared };
  let task: BulkTask = { scope: NO_SCOPE, lines, firstLine: 1, flagsDone: 0, ...filter };
  const out = new ByteBuffer();
  const answers: Uint8Array[] = [];
  for (;;) {
    const { answer, rest } = answerTask(task, compiled, out);
    answers.push(answer);
    if (rest === null) return answers;
    task = { ...task, ...rest };
  }
}

interface Line {
  readonly line: number;
  readonly toggles: readonly {
    readonly name: string;
    readonly variant: { readonly payload: { readonly value: string } };
  }[];
}

function parsed(answers: readonly Uint8Array[]): Line[] {
  const text = Buffer.concat(answers).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('a task of bulk evaluation', () => {
  it('ends at some megabytes of answers, and the next task answers the other lines', () => {
    const payload = 20_000;
    const lines = 256;
    const answers = answersOf(selectionOf(flagsWith(4, payload)), linesOf(lines));
    expect(answers.length).toBeGreaterThan(4);
    for (const { byteLength } of answers) expect(byteLength).toBeLessThan(ANSWER_BYTES + 2 * payload);
    const all = parsed(answers);
    expect(all.map(({ line }) => line)).toEqual(Array.from({ length: lines }, (_, at) => at + 1));
    for (const { toggles } of all) {
      expect(toggles.map(({ name }) => name)).toEqual(['flag-0', 'flag-1', 'flag-2', 'flag-3']);
      expect(toggles.every(({ variant }, at) => variant.payload.value === `${at}`.repeat(payload))).toBe(true);
    }
  });

  it('ends within a larger line, and the next task returns the rest of the line', () => {
    const payload = 100_000;
    const answers = answersOf(selectionOf(flagsWith(50, payload)), linesOf(3));
    for (const { byteLength } of answers) expect(byteLength).toBeLessThan(ANSWER_BYTES + 2 * payload);
    const names = Array.from({ length: 50 }, (_, index) => `flag-${index}`);
    expect(parsed(answers).map(({ toggles }) => toggles.map(({ name }) => name))).toEqual([names, names, names]);
  });

  it('uses the same random session for the rest of a line', () => {
    const flags = flagsWith(50, 100_000).map((flag) => ({
      ...flag,
      strategies: [
        { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'sessionId', groupId: 'all alike' } },
      ],
    }));
    const all = parsed(answersOf(selectionOf(flags), Buffer.from('{}\n'.repeat(8))));
    expect(new Set(all.map(({ toggles }) => toggles.length))).toEqual(new Set([0, 50]));
  });

  it('compiles its flags once, for the first line that is a valid context, and not for invalid lines', () => {
    const selection = selectionOf(flagsWith(2, 1));
    let compiled = 0;
    const compile = () => {
      compiled++;
      return selection;
    };
    const bad = ['no json', '[1]', '{"properties":1}', '{"userId":"\\ud800"}'];
    answersOf(selection, Buffer.from(bad.join('\n')), compile);
    expect(compiled).toBe(0);
    const answers = answersOf(selection, Buffer.from([...bad, '{}', ...bad, '{}'].join('\n')), compile);
    expect(compiled).toBe(1);
    expect(parsed(answers).map(({ toggles }) => toggles?.length ?? 0)).toEqual([0, 0, 0, 0, 2, 0, 0, 0, 0, 2]);
  });
});

describe('a request of bulk evaluation', () => {
  const pools: BulkPool[] = [];
  afterAll(() => Promise.all(pools.map((pool) => pool.close())));

  /** The answers, and whether threads made them. */
  async function evaluate(flags: readonly WireFlag[], lines: number) {
    const workerFile = builtWorker(BULK_WORKER);
    const worker = { hashEncoding: 'low-bytes' } as const;
    const pool = new BulkPool({
      workerFile,
      textWorkerFile: workerFile,
      worker,
      threads: 1,
      logger: silentLogger,
    });
    pools.push(pool);
    const bytes = Buffer.from(flags.map((flag) => JSON.stringify(flagDefinition(flag))).join());
    const chunk = { id: pools.length, bytes: new SharedArrayBuffer(bytes.byteLength) };
    new Uint8Array(chunk.bytes).set(bytes);
    const request = {
      body: (async function* () {
        yield linesOf(lines);
      })(),
      scope: { ...NO_SCOPE, key: String(chunk.id), chunks: [chunk] },
      selection: selectionOf(flags),
      flagCount: flags.length,
      holder: 'token',
      features: null,
      namePrefix: null,
      nowMs: 0,
      random: () => 0.5,
      signal: new AbortController().signal,
    };
    const answers: Uint8Array[] = [];
    for await (const answer of evaluateBulk(request, pool)) answers.push(answer);
    return { answers, isInThreads: pool.workers.length > 0 };
  }

  it('is answered on the main thread when its answer is small, by threads when a payload makes it large', async () => {
    const small = await evaluate(flagsWith(1, 100), 20);
    expect(small.isInThreads).toBe(false);
    expect(parsed(small.answers).length).toBe(20);
    const large = await evaluate(flagsWith(1, 100_000), 60);
    expect(large.isInThreads).toBe(true);
    expect(parsed(large.answers).map(({ line }) => line)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    for (const { byteLength } of large.answers) expect(byteLength).toBeLessThan(ANSWER_BYTES + 200_000);
  });

  it('makes at most about two megabytes of its answer on the main thread, for any payload', async () => {
    for (const [payload, lines] of [
      [1_000, 320],
      [10_000, 33],
      [100_000, 3],
    ] as const) {
      // This character takes the most bytes in JSON.
      const flags = flagsWith(1, payload).map((flag) => ({
        ...flag,
        variants: flag.variants?.map((variant) => ({
          ...variant,
          payload: { type: 'string' as const, value: '\u0001'.repeat(payload) },
        })),
      }));
      const { answers, isInThreads } = await evaluate(flags as WireFlag[], lines);
      const sizeBytes = answers.reduce((sum, { byteLength }) => sum + byteLength, 0);
      expect(isInThreads || sizeBytes < 2_500_000, `${payload} × ${lines}`).toBe(true);
    }
  });
});
