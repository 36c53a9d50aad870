import { availableParallelism } from 'node:os';
import { ByteBuffer } from '../src/base/byte-buffer.ts';
import { workAtOnce } from '../src/base/work.ts';
import { answerLine, type FlagSelection } from '../src/features/bulk/evaluate-lines.ts';
import { Connection, requestBytes, targetOf } from './support/connection.ts';
import { makeContexts, makeFlags } from './support/flags.ts';
import { startInProcess } from './support/in-process.ts';
import {
  atMost,
  type Figure,
  finish,
  inform,
  median,
  medians,
  milliseconds,
  perSecond,
  settings,
} from './support/report.ts';
import { CLIENT_TOKEN, startSeededService } from './support/service.ts';

/**
 * Bulk evaluation over HTTP, from the first byte of the contexts to the last byte of the answers. The floor is the time in which one thread of this process
 * answers the same lines from memory, divided by the number of cores. Both are measured in turn, in one run.
 * BENCH_CONTEXTS (10,000), BENCH_FLAGS (500), BENCH_ROUNDS (5).
 */
const { CONTEXTS, FLAGS, ROUNDS } = settings({ CONTEXTS: 10_000, FLAGS: 500, ROUNDS: 5 });
const CORES = availableParallelism();
const ANSWER_TIMEOUT_MS = 120_000;

interface Timed {
  readonly ms: number;
  readonly bytes: number;
}

/** One thread, from lines to answers as bytes. */
function coreLoop(lines: readonly Uint8Array[], selection: FlagSelection): Timed {
  const options = { environment: 'development', nowMs: Date.now(), random: Math.random };
  let bytes = 0;
  const startedMs = performance.now();
  const out = new ByteBuffer();
  for (const [index, line] of lines.entries()) {
    out.clear();
    answerLine(out, line, index + 1, () => selection, options);
    bytes += out.lengthBytes;
  }
  return { ms: performance.now() - startedMs, bytes };
}

const features = makeFlags(FLAGS, { seed: 61 });
const lines = makeContexts(CONTEXTS, 62).map((context) => JSON.stringify(context));
const body = `${lines.join('\n')}\n`;
const inProcess = await startInProcess(features);
const service = await startSeededService(features);
const target = targetOf(service.url);
const connection = new Connection(target, { timeoutMs: ANSWER_TIMEOUT_MS });

function evaluateRequest(text: string): Buffer {
  const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/x-ndjson' };
  return requestBytes('POST', target, '/api/client/evaluate', headers, text);
}

async function overHttp(request: Buffer): Promise<Timed & { cpuMs: number }> {
  const cpuBeforeS = service.cpuS();
  const startedMs = performance.now();
  const answer = await connection.ask(request);
  const ms = performance.now() - startedMs;
  if (answer.status !== 200) throw new Error(`bulk evaluation was answered ${answer.status}`);
  return { ms, bytes: answer.bodyBytes, cpuMs: (service.cpuS() - cpuBeforeS) * 1000 };
}

/** Checks that every context is answered, in order, and none with an error. */
async function check(): Promise<void> {
  const once = new Connection(target, { keepBodies: true, timeoutMs: ANSWER_TIMEOUT_MS });
  try {
    const answer = await once.ask(evaluateRequest(body));
    const answers = answer.body?.toString().split('\n').slice(0, -1) ?? [];
    const wrong = answers.findIndex((line, index) => !line.startsWith(`{"line":${index + 1},"toggles":[`));
    if (answers.length !== lines.length || wrong >= 0)
      throw new Error(
        `${answers.length} answers to ${lines.length} contexts; the first wrong one: ${answers[wrong] ?? 'none'}`,
      );
  } finally {
    once.close();
  }
}

try {
  const { services } = inProcess;
  const [snapshot] = await services.flagViews.snapshotsOf([{ environment: 'development', projects: null }]);
  if (!snapshot) throw new Error('there are no flags');
  const selection = { flags: workAtOnce(snapshot.compileAll()), find: snapshot.find };
  const request = evaluateRequest(body);
  await check();
  const lineBytes = lines.map((line) => Buffer.from(line));
  coreLoop(lineBytes, selection);
  await overHttp(request);
  const rounds: { ours: Timed & { cpuMs: number }; core: Timed }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ ours: await overHttp(request), core: coreLoop(lineBytes, selection) });
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const oursMs = of(({ ours }) => ours.ms);
  const evaluations = CONTEXTS * FLAGS;
  const label = `${CONTEXTS.toLocaleString('en')} contexts × ${FLAGS} flags`;
  const figures: Figure[] = [
    atMost(1.25, {
      name: `bulk, ${label} (${(of(({ ours }) => ours.bytes) / 1e6).toFixed(0)} MB of answers)`,
      ours: milliseconds(oursMs),
      floor: `${milliseconds(of(({ core }) => core.ms / CORES))} one thread ÷ ${CORES} cores`,
      ratio: of(({ ours, core }) => ours.ms / (core.ms / CORES)),
    }),
    medians(rounds, `bulk, ${label}, CPU of the service`, ['ms', 'one thread'], ({ ours, core }) => [
      ours.cpuMs,
      core.ms,
    ]),
    inform('evaluations', perSecond((evaluations / oursMs) * 1000)),
  ];
  finish('Bulk evaluation', figures, [
    'The client that reads the answers shares the cores with the service; its cost is in the time, not in the service’s CPU.',
  ]);
} finally {
  connection.close();
  await service.end();
  await inProcess.close();
}
