import { setImmediate } from 'node:timers/promises';
import { SERVICE } from '../src/base/asking/asker.ts';
import type { PreparedAnswer } from '../src/base/prepared-answer.ts';
import { FlagIndex } from '../src/features/flag-index/flag-index.ts';
import { INDEX_REVISION_HEADER, IndexAnswers } from '../src/features/flag-index/index-answers.ts';
import { RecentChanges } from '../src/features/flags/recent-changes.ts';
import type { Services } from '../src/features/services.ts';
import { systemCaller } from '../src/model/caller.ts';
import type { Feature } from '../src/model/feature.ts';
import { State } from '../src/state/state.ts';
import { makeFlags } from './support/flags.ts';
import { inTurn } from './support/in-turn.ts';
import { LoopProbe } from './support/loop-probe.ts';
import { changing, PROJECTS, startWithProjects } from './support/many-flags.ts';
import { cpuMs, heldBytes } from './support/measure.ts';
import { SeededRandom } from './support/random.ts';
import {
  atMost,
  bytes,
  type Figure,
  finish,
  inform,
  median,
  medians,
  milliseconds,
  pair,
  settings,
} from './support/report.ts';

/**
 * The index of 10,000 and of BENCH_FLAGS (100,000) flags in 100 projects: its size, the processor time of requests, and that of a commit in a service that
 * keeps the index, with the same commit in a service that does not as the floor, in the same round. The medians of BENCH_ROUNDS (9).
 */
const { FLAGS, ROUNDS, COMMITS } = settings({ FLAGS: 100_000, ROUNDS: 9, COMMITS: 500 });
const SIZE_AIM_PER_FLAG = 6;
const COMMIT_AIM = 1.2;
const HOLD_AIM_MS = 10;
const START_MS = Date.parse('2025-01-01T00:00:00.000Z');
const [DAY_SECONDS, YEAR_SECONDS] = [24 * 3_600, 365 * 24 * 3_600];

/** The flags in random projects, changed at random times of a period. */
function spread(features: readonly Feature[], periodSeconds = YEAR_SECONDS): Feature[] {
  const random = new SeededRandom(26);
  return features.map((feature) => ({
    ...feature,
    project: `project-${random.integer(PROJECTS)}`,
    changedAt: new Date(START_MS + random.integer(periodSeconds) * 1_000).toISOString(),
  }));
}

const caller = systemCaller();
const WHOLE = { known: '', gzip: true } as const;

/** Sizes of the answers of a state whose flags were changed at different times. */
async function sizes(count: number, periodSeconds: number) {
  const state = new State();
  for (const name of ['development', 'production'])
    state.load('environments', name, { name, type: name, enabled: true, protected: false, sortOrder: 0 } as never);
  for (let index = 0; index < PROJECTS; index++) {
    const id = `project-${index}`;
    state.load('projects', id, { id, mode: 'open', environments: ['development', 'production'] } as never);
  }
  for (const feature of spread(makeFlags(count, { seed: 26 }), periodSeconds))
    state.load('features', feature.name, feature);
  const replica = { state, onApplied: () => {}, onReplaced: () => {} };
  const recent = new RecentChanges(replica as never);
  const answers = new IndexAnswers(new FlagIndex(replica as never, recent), recent, state);
  const size = async (request: object) =>
    (await answers.answer(caller, SERVICE, { ...WHOLE, ...request })).body?.lengthBytes ?? 0;
  return {
    gzip: await size({}),
    plain: await size({ gzip: false }),
    fingerprints: await size({ fields: 'fingerprints' }),
    details: await size({ fields: 'details' }),
  };
}

/** Switches random flags on or off, one in each commit. */
function switching(services: Services) {
  const random = new SeededRandom(7);
  const names = Array.from(services.state.values('features'), ({ name }) => name);
  const change = changing(services);
  const one = () =>
    change((draft) => {
      const feature = draft.get('features', names[random.integer(names.length)] ?? '');
      if (!feature) return;
      const environments = feature.environments.map((settings) => ({ ...settings, enabled: !settings.enabled }));
      draft.put('features', { ...feature, environments });
    });
  return async (count: number = COMMITS) => {
    for (let commit = 0; commit < count; commit++) await one();
  };
}

const revisionOf = ({ head }: PreparedAnswer) => head.fields[head.fields.indexOf(INDEX_REVISION_HEADER) + 1] ?? '';

async function measured(count: number): Promise<Figure[]> {
  const title = `${count.toLocaleString('en')} flags:`;
  const { gzip, plain, fingerprints, details } = await sizes(count, DAY_SECONDS);
  const ofYear = await sizes(count, YEAR_SECONDS);
  const seeded = () => startWithProjects(spread(makeFlags(count, { seed: 26 })));
  const [kept, without] = [await seeded(), await seeded()];
  const { indexAnswers } = kept.services;
  const request = (more: object = {}) => indexAnswers.answer(caller, SERVICE, { ...WHOLE, ...more });
  const [switchKept, switchWithout] = [switching(kept.services), switching(without.services)];
  await switchKept();
  await switchWithout();
  const control = await inTurn(ROUNDS, {
    ours: () => cpuMs(() => switchKept()),
    floor: () => cpuMs(() => switchWithout()),
  });
  const before = heldBytes();
  const probe = new LoopProbe();
  const firstMs = await cpuMs(() => request());
  const held = heldBytes() - before;
  const times: Record<'unchanged' | 'one' | 'many' | 'difference', number[]> = {
    unchanged: [],
    one: [],
    many: [],
    difference: [],
  };
  let longestOwnMs = 0;
  const time = async (name: keyof typeof times, more: object = {}) => {
    probe.take();
    times[name].push(await cpuMs(() => request(more)));
    await setImmediate();
    longestOwnMs = Math.max(longestOwnMs, probe.take().longestOwnMs);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await switchKept(1);
    await time('one');
    await time('unchanged');
    const since = revisionOf(await request());
    await switchKept(1);
    await time('difference', { since });
    await switchKept();
    await time('many');
  }
  probe.stop();
  const rounds = await inTurn(ROUNDS, {
    ours: () => cpuMs(() => switchKept()),
    floor: () => cpuMs(() => switchWithout()),
  });
  await kept.close();
  await without.close();
  const commit = (name: string, of: readonly (typeof rounds)[number][]) =>
    medians(
      of,
      `${title} ${name}`,
      (ms) => milliseconds(ms / COMMITS),
      ({ ours, floor }) => [ours, floor],
    );
  return [
    atMost(1, pair(`${title} size, gzip; changed within a day`, 'B', gzip, SIZE_AIM_PER_FLAG * count)),
    pair(`${title} size, gzip; changed within a year`, 'B', ofYear.gzip, SIZE_AIM_PER_FLAG * count),
    inform(`${title} size with fingerprints, gzip`, bytes(fingerprints), bytes(gzip)),
    inform(`${title} size with details, gzip`, bytes(details), bytes(gzip)),
    inform(`${title} size, plain`, bytes(plain), bytes(gzip)),
    atMost(COMMIT_AIM, commit('a commit with the index kept', rounds)),
    commit('the same before the first request, so without an index', control),
    atMost(1, pair(`${title} longest hold of the loop`, 'ms', longestOwnMs, HOLD_AIM_MS)),
    inform(`${title} first request, which reads all flags`, milliseconds(firstMs)),
    inform(`${title} request, nothing changed`, milliseconds(median(times.unchanged))),
    inform(`${title} request after a commit`, milliseconds(median(times.one))),
    inform(`${title} differences after a commit`, milliseconds(median(times.difference))),
    inform(`${title} request after ${COMMITS} commits`, milliseconds(median(times.many))),
    inform(`${title} memory for each flag`, bytes(held / count)),
  ];
}

const figures = [...(await measured(Math.min(10_000, FLAGS))), ...(FLAGS > 10_000 ? await measured(FLAGS) : [])];
finish('Index of flags', figures, [
  `${PROJECTS} projects, two environments, random names, projects, types and states.`,
  'Processor time. A commit switches one flag; a request is that of an admin for the whole index, with gzip.',
]);
