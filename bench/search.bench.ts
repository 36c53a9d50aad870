import { SERVICE } from '../src/base/asking/asker.ts';
import type { FeatureSearchQuery } from '../src/features/flags/search/schemas.ts';
import type { Services } from '../src/features/services.ts';
import type { Answer } from '../src/http/answer.ts';
import { systemCaller } from '../src/model/caller.ts';
import type { Feature } from '../src/model/feature.ts';
import { naiveSearch } from '../test/features/flags/search/naive-search.ts';
import { makeFlags } from './support/flags.ts';
import { operation } from './support/in-process.ts';
import { LoopProbe } from './support/loop-probe.ts';
import { COMMIT_FLAGS, changing, PROJECTS, startWithProjects } from './support/many-flags.ts';
import { cpuMs, heldBytes } from './support/measure.ts';
import { SeededRandom } from './support/random.ts';
import { atMost, bytes, type Figure, finish, inform, median, milliseconds, pair, settings } from './support/report.ts';

/**
 * Processor time of one page of a search among BENCH_FLAGS (100,000) flags in 100 projects, with each order and with a selection of filters, as the
 * first and as the last page of 50 flags, and with flags that were created in orders that sorts are slow with. The floor is a naive search in the same
 * round: filter all flags and sort those that match. It does not create the answer. The medians of BENCH_ROUNDS (9).
 */
const { FLAGS, ROUNDS } = settings({ FLAGS: 100_000, ROUNDS: 9 });
const AIM_MS = 5;
const HOLD_AIM_MS = 10;
const WARM_UP_ROUNDS = 3;
const START_MS = Date.parse('2025-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;

const ORDERS = ['name', 'type', 'project', 'createdAt', 'lastSeenAt', 'stale', 'environment:production'];
const FILTERS: Readonly<Record<string, FeatureSearchQuery>> = {
  'a text that every flag has': { query: 'a' },
  'a text that a quarter has': { query: 'beta' },
  'a text that no flag has': { query: 'zebra' },
  'two texts': { query: 'team 7,search.fast' },
  'one project': { project: 'IS:project-7' },
  'two types': { type: 'IS_ANY_OF:release,experiment' },
  'active or potentially stale': { state: 'IS_ANY_OF:active,potentially-stale' },
  'a tag': { tag: 'INCLUDE:simple:team-7' },
  'not a tag': { tag: 'DO_NOT_INCLUDE:simple:team-7' },
  'a segment': { segment: 'INCLUDE:segment-1' },
  'on in production': { status: ['production:enabled'] },
  'seen since a day': { lastSeenAt: 'IS_ON_OR_AFTER:2025-02-01' },
  'created before a day': { createdAt: 'IS_BEFORE:2025-02-01' },
  'six filters together': {
    type: 'IS_NOT:sunset',
    state: 'IS:active',
    tag: 'EXCLUDE_IF_ANY_OF:simple:team-1,simple:team-2',
    status: ['production:enabled', 'development:disabled'],
    createdAt: 'IS_ON_OR_AFTER:2025-01-02',
    query: 'checkout,search',
  },
};

function spread(features: readonly Feature[]): Feature[] {
  const random = new SeededRandom(26);
  return features.map((feature) => ({
    ...feature,
    project: `project-${random.integer(PROJECTS)}`,
    createdAt: new Date(START_MS + random.integer(1_000_000) * MINUTE_MS).toISOString(),
  }));
}

const search = operation('searchFeatures');
const list = operation('getFeatures');
const caller = systemCaller();

async function bodyOf(answer: unknown): Promise<string> {
  let text = '';
  for (const piece of (answer as Answer).pieces ?? []) text += await piece;
  return text;
}

const pageOf = async (services: Services, query: FeatureSearchQuery) =>
  bodyOf(await search.handle({ params: {}, query, body: undefined, caller, asker: SERVICE } as never, services));

interface Measured {
  readonly oursMs: number;
  readonly naiveMs: number;
}

async function measure(services: Services, query: FeatureSearchQuery): Promise<Measured> {
  const [ours, naive]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const naiveMs = round % 3 === 0 ? await cpuMs(() => naiveSearch(query, caller, services)) : undefined;
    const oursMs = await cpuMs(() => pageOf(services, query));
    if (round < 0) continue;
    ours.push(oursMs);
    if (naiveMs !== undefined) naive.push(naiveMs);
  }
  return { oursMs: median(ours), naiveMs: median(naive) };
}

async function figure(services: Services, name: string, query: FeatureSearchQuery): Promise<Figure> {
  const { oursMs, naiveMs } = await measure(services, query);
  return atMost(1, {
    name,
    ours: milliseconds(oursMs),
    floor: `${AIM_MS} ms (naive: ${milliseconds(naiveMs)})`,
    ratio: oursMs / AIM_MS,
  });
}

const running = await startWithProjects(spread(makeFlags(FLAGS, { seed: 26 })));
const { services } = running;
const change = changing(services);
const random = new SeededRandom(3);
for (const { name } of services.state.values('features')) {
  if (!random.chance(0.6)) continue;
  const seenMs = START_MS + random.integer(1_000_000) * MINUTE_MS * 2;
  services.flagUse.note(name, random.pick(['development', 'production']), { yes: 1, no: 0, seenMs, hourMs: 0 });
}

const probe = new LoopProbe();
const before = heldBytes();
const firstMs = await cpuMs(() => pageOf(services, {}));
const columnsBytes = heldBytes() - before;

const figures: Figure[] = [];
for (const sortBy of ORDERS)
  for (const sortOrder of ['asc', 'desc']) {
    figures.push(await figure(services, `by ${sortBy}, ${sortOrder}, first page`, { sortBy, sortOrder }));
    const last = { sortBy, sortOrder, offset: FLAGS - 50 };
    figures.push(await figure(services, `by ${sortBy}, ${sortOrder}, last page by offset`, last));
  }
const firstPage: FeatureSearchQuery = { sortBy: 'lastSeenAt', sortOrder: 'desc', offset: FLAGS - 100, limit: 50 };
const { cursor } = JSON.parse(await pageOf(services, firstPage)) as { cursor: string };
figures.push(await figure(services, 'by lastSeenAt, desc, last page by cursor', { ...firstPage, offset: 0, cursor }));
for (const [name, query] of Object.entries(FILTERS))
  figures.push(await figure(services, `${name}, by name`, { ...query, sortBy: 'name' }));
figures.push(
  await figure(services, 'favourites first', { favoritesFirst: true, sortBy: 'name' }),
  await figure(services, 'counts by six facets', { facets: 'project,type,state,tag,lifecycle,status' }),
  await figure(services, '1,000 flags with three fields', { fields: 'project,stale', limit: 1_000, sortBy: 'name' }),
);
probe.take();
for (let round = 0; round < 20; round++)
  await pageOf(services, { query: 'a', sortBy: 'lastSeenAt', offset: FLAGS - 50 });
const { longestOwnMs } = probe.take();
figures.push(atMost(1, pair('longest hold of the loop', 'ms', longestOwnMs, HOLD_AIM_MS)));

/** The times of creation of the flags, in minutes, by the order in which the flags were created. A hand-made sort may be slow with any of them. */
const CREATED: Readonly<Record<string, (index: number) => number>> = {
  'sorted, with outliers': (index) => (index === 0 ? FLAGS : index === FLAGS - 1 ? -1 : index),
  rotated: (index) => (index + FLAGS / 2) % FLAGS,
  'an organ pipe': (index) => Math.min(index, FLAGS - index),
  reversed: (index) => FLAGS - index,
  'a sawtooth': (index) => index % 37,
  equal: () => 7,
};
const names = Array.from(services.state.values('features'), ({ name }) => name);
for (const [order, minutes] of Object.entries(CREATED)) {
  for (let start = 0; start < FLAGS; start += COMMIT_FLAGS)
    await change((draft) => {
      for (let index = start; index < Math.min(start + COMMIT_FLAGS, FLAGS); index++) {
        const feature = draft.get('features', names[index] as string) as Feature;
        draft.put('features', { ...feature, createdAt: new Date(START_MS + minutes(index) * MINUTE_MS).toISOString() });
      }
    });
  for (const [page, offset] of [['first', 0] as const, ['last', FLAGS - 50] as const])
    figures.push(await figure(services, `times of creation ${order}, ${page} page`, { sortBy: 'createdAt', offset }));
}

/** A change of one flag, and the search after it. */
async function afterChange(changeOne: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await changeOne(round);
    times.push(await cpuMs(() => pageOf(services, { sortBy: 'name' })));
  }
  return median(times);
}

const put = (feature: Feature) => change((draft) => draft.put('features', feature));
const [some] = services.state.values('features');
if (!some) throw new Error('there are no flags');
const changedMs = await afterChange((round) => put({ ...some, description: `changed ${round}` }));
const createdMs = await afterChange((round) => put({ ...some, name: `m-created-${round}` }));
figures.push(
  inform('page after a change of a flag', milliseconds(changedMs)),
  inform('page after a new flag', milliseconds(createdMs)),
  inform('first search, which creates the columns', milliseconds(firstMs)),
  inform('memory of the columns for each flag', bytes(columnsBytes / FLAGS)),
);

const listed = async (query: object) =>
  bodyOf(
    await list.handle(
      { params: { projectId: some.project }, query, body: undefined, caller, asker: SERVICE } as never,
      services,
    ),
  );
const wholeMs = median(await Promise.all([1, 2, 3].map(() => cpuMs(() => listed({})))));
const namedMs = median(await Promise.all([1, 2, 3].map(() => cpuMs(() => listed({ fields: 'type,stale' })))));
figures.push(pair('all flags of a project with three fields', ['ms', 'with all fields'], namedMs, wholeMs));
probe.stop();
await running.close();
finish('Search', figures, [
  `${FLAGS.toLocaleString('en')} flags in ${PROJECTS} projects.`,
  'Processor time. The ratio is that of the time and the aim.',
]);
