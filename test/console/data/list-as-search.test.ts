import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { headOf, type IndexAnswer, rowsAfter, rowsOf } from '../../../console/src/data/index-rows.ts';
import { type FlagFilter, filterRows, SORTS, type Sort, sortRows } from '../../../console/src/domain/flag-filter.ts';
import type { FlagRow } from '../../../console/src/domain/flag-row.ts';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { FEATURE_TYPES } from '../../../src/model/feature.ts';
import type { Draft } from '../../../src/state/draft.ts';
import { give } from '../../access/people.ts';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();
const [MEMBER, STRANGER] = [300, 301];
const FLAGS = 120;
const PROJECTS = ['default', 'open', 'hidden'] as const;
const ENVIRONMENTS = ['development', 'production'] as const;
const TAGS = ['simple:payments', 'simple:web', 'team:blue'] as const;
const NOW_MS = Date.parse('2026-11-30T00:00:00.000Z');
const DAY_MS = 86_400_000;
const WORDS = ['Checkout', 'zürich', 'beta', 'İstanbul'] as const;

let tokens: readonly (string | undefined)[];
const random = new Mulberry32(11);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
const some = <T>(list: readonly T[]): T[] => list.filter(() => random.next() < 0.4);

/** A flag with random values. Half of all creations are at the same moment. */
function anyFlag(index: number) {
  const tags = some(TAGS).map((tag) => ({ type: tag.split(':')[0] ?? '', value: tag.split(':')[1] ?? '' }));
  const createdMs = random.next() < 0.5 ? NOW_MS - 50 * DAY_MS : Date.now() - Math.floor(random.next() * 90 * DAY_MS);
  const project = pick(PROJECTS);
  return flag(`checkout-${index % 3}-${index}`, {
    project,
    type: pick(FEATURE_TYPES),
    tags,
    createdAt: new Date(createdMs).toISOString(),
    stale: random.next() < 0.2,
    archived: random.next() < 0.1,
    description: pick([null, '', `The ${pick(WORDS)} of today`, '"quoted", \\ and\nbroken']),
    environments: some(ENVIRONMENTS.slice(0, project === 'open' ? 1 : 2)).map((environment) => switchedOn(environment)),
  });
}

const change = (draft: Draft) => {
  for (let count = 0; count < 5; count++) draft.put('features', anyFlag(Math.floor(random.next() * FLAGS)));
};

beforeAll(async () => {
  await accepted(service, 'createTagType', { body: { name: 'team' } });
  for (const id of [MEMBER, STRANGER]) await putUser(service, id, { rootRole: 3 });
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'default');
    if (!project) throw new Error('there is no project');
    draft.put('projects', { ...project, id: 'open', environments: ['development'] });
    draft.put('projects', { ...project, id: 'hidden', mode: 'private' });
    give(draft, 'hidden', 'user', MEMBER, [5]);
    for (let index = 0; index < FLAGS; index++) draft.put('features', anyFlag(index));
  });
  const { flagUse } = service.running.services;
  for (let index = 0; index < FLAGS; index++)
    if (random.next() < 0.6)
      flagUse.note(`checkout-${index % 3}-${index}`, pick(ENVIRONMENTS), {
        yes: 1,
        no: 0,
        hourMs: 0,
        seenMs: Date.now() - Math.floor(random.next() * 5) * DAY_MS,
      });
  tokens = [undefined, await personalTokenOf(service, MEMBER), await personalTokenOf(service, STRANGER)];
});

/** The rows of the console, which follows the index. */
class List {
  readonly #token: string | undefined;
  rows: readonly FlagRow[] = [];
  #revision: string | undefined;
  readonly seen = { whole: 0, differences: 0 };

  constructor(token: string | undefined) {
    this.#token = token;
  }

  async follow(): Promise<void> {
    const query = `fields=details${this.#revision === undefined ? '' : `&since=${this.#revision}`}`;
    const { body, headers } = await accepted(service, 'getFlagIndex', this.#with({ query }));
    const answer = body as IndexAnswer;
    this.rows = atOnce(rowsAfter(() => this.rows, answer, rowsOf(headOf(answer), answer, new Set(answer.favorites))));
    this.#revision = headers.get('burgee-index-revision') ?? '';
    answer.isWhole ? this.seen.whole++ : this.seen.differences++;
  }

  /** The names that the search of the API finds, and when these flags were used last. */
  async searched(query: string) {
    const { body } = await accepted(
      service,
      'searchFeatures',
      this.#with({ query: `${query}&limit=1000&fields=lastSeenAt` }),
    );
    const found = body.features as readonly { name: string; lastSeenAt: string | null }[];
    return { names: found.map(({ name }) => name), found };
  }

  #with(options: { query: string }) {
    return { ...options, ...(this.#token !== undefined && { token: this.#token }) };
  }
}

const list = <T extends string>(values: readonly T[]) => fc.oneof(fc.constant([]), fc.subarray([...values]));
const filters = fc.record({
  text: fc.constantFrom('', '', 'checkout-1', 'ZÜRICH', 'payments', 'team:blue', 'quoted', 'nothing'),
  projects: list(PROJECTS),
  types: list(FEATURE_TYPES),
  tags: list(TAGS),
  states: list(['active', 'stale', 'potentially-stale']),
  status: list(['development:enabled', 'development:disabled', 'production:enabled', 'production:disabled']),
  favorites: fc.constant(false),
});

/** The same as a query of the API. */
function queryOf(
  { text, projects, types, tags, states, status }: FlagFilter,
  sort: Sort,
  isDescending: boolean,
): string {
  const query = new URLSearchParams({ sortBy: sort, sortOrder: isDescending ? 'desc' : 'asc' });
  if (text !== '') query.set('query', text);
  if (projects.length > 0) query.set('project', `IS_ANY_OF:${projects.join()}`);
  if (types.length > 0) query.set('type', `IS_ANY_OF:${types.join()}`);
  if (tags.length > 0) query.set('tag', `INCLUDE_ANY_OF:${tags.join()}`);
  if (states.length > 0) query.set('state', `IS_ANY_OF:${states.join()}`);
  for (const one of status) query.append('status[]', one);
  return query.toString();
}

describe('the list of the console', () => {
  it('has the flags that the search shows to the person, filtered and sorted as the search does, while flags change', async () => {
    const lists = tokens.map((token) => new List(token));
    for (const one of lists) await one.follow();
    const asked = fc.record({
      filter: filters,
      sort: fc.constantFrom(...SORTS),
      isDescending: fc.boolean(),
      who: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ filter, sort, isDescending, who }) => {
        const one = lists[who] as List;
        if (random.next() < 0.5) {
          await prepare(service, change);
          await one.follow();
        }
        await one.follow();
        const { found } = await one.searched('');
        const times = new Map(
          found.flatMap(({ name, lastSeenAt }) => (lastSeenAt ? [[name, Date.parse(lastSeenAt)]] : [])),
        );
        const rows = filterRows(sortRows(one.rows, sort, isDescending, times), filter);
        const { names } = await one.searched(queryOf(filter, sort, isDescending));
        expect(rows.map(({ name }) => name)).toEqual(names);
      }),
      { numRuns: atDepth({ quick: 150, full: 1_500 }) },
    );
    for (const { seen } of lists) expect([seen.whole, seen.differences > 20]).toEqual([1, true]);
    const sees = lists.map(({ rows }) => rows.some(({ project }) => project === 'hidden'));
    expect(sees).toEqual([true, true, false]);
  });
});
