import { DAY_MS } from '../../base/clock.ts';
import type { PastClock } from './past-clock.ts';
import type { Person } from './person.ts';
import { type Change, createFlag, demoFlags, flagPath, rollout, smallFlags, strategyPath } from './seed-flags.ts';
import { endedRequests, openRequests } from './seed-requests.ts';
import type { People, Segments } from './seed-setup.ts';

/** Sets the percentage of a rollout. */
async function setRollout(person: Person, path: string, percent: number, reason: string): Promise<void> {
  await person.send(
    'PUT',
    path,
    { ...(await person.send('GET', path)), parameters: rollout(percent).parameters },
    reason,
  );
}

/** Creates the flags, and changes them, in the order of time. */
export async function seedHistory(people: People, segments: Segments, clock: PastClock): Promise<void> {
  const created = [...demoFlags(segments), ...smallFlags()].map(
    (flag): Change => [flag.daysAgo, () => createFlag(people, flag)],
  );
  const changes = [
    ...created,
    ...cacheChanges(people),
    ...laterChanges(people),
    ...endedRequests(people),
    ...openRequests(people, clock),
  ];
  changes.sort(([a], [b]) => b - a);
  for (const [daysAgo, make] of changes) {
    // A change with many requests may have moved the time beyond the next one.
    if (clock.endMs - daysAgo * DAY_MS > clock.nowMs()) clock.moveTo(daysAgo);
    await make();
  }
}

/** A rollout that was taken back once. */
function cacheChanges({ ada }: People): readonly Change[] {
  const cache = async (percent: number, reason: string) =>
    setRollout(ada, await strategyPath(ada, 'platform.new-cache', 'production'), percent, reason);
  return [
    [24, () => cache(10, 'One data centre first')],
    [21, () => cache(25, 'No errors for three days')],
    [17.2, () => cache(75, 'Latency is half of what it was')],
    [17.1, () => cache(0, 'Sessions were lost after a failover')],
    [16, () => cache(25, 'The client now reconnects')],
    [13, () => cache(50, 'No errors for three days')],
  ];
}

function laterChanges({ ada, ben, chloe, dmitri, elin }: People): readonly Change[] {
  const flag = (name: string) => flagPath(name.slice(0, name.indexOf('.')), name);
  const patch = (person: Person, name: string, path: string, value: unknown, reason: string) =>
    person.send('PATCH', flag(name), [{ op: 'replace', path, value }], reason);
  return [
    [14, () => patch(ben, 'shop.gift-cards', '/stale', true, 'Everybody has it since two weeks')],
    [10.5, () => addDependency(dmitri)],
    [
      8,
      async () =>
        setRollout(
          chloe,
          await strategyPath(chloe, 'shop.new-checkout', 'production', 1),
          40,
          'Conversion rose by 2 %',
        ),
    ],
    [
      7,
      async () =>
        setRollout(
          elin,
          await strategyPath(elin, 'mobile.passkeys', 'production', 1),
          50,
          'Few support requests so far',
        ),
    ],
    [
      3.6,
      () =>
        ada.send('POST', `${flag('platform.read-only')}/environments/production/on`, undefined, 'The database moves'),
    ],
    [
      3.5,
      () =>
        ada.send(
          'POST',
          `${flag('platform.read-only')}/environments/production/off`,
          undefined,
          'The database has moved',
        ),
    ],
    [
      3,
      () =>
        chloe.send('POST', `${flag('shop.new-checkout')}/link`, {
          url: 'https://wiki.example.com/new-checkout',
          title: 'How the new checkout works',
        }),
    ],
    [
      2.5,
      () =>
        patch(
          elin,
          'search.result-layout',
          '/description',
          'Compares three layouts of results: list, grid and cards.',
          'Clearer',
        ),
    ],
    [
      2.2,
      () => dmitri.send('POST', `${flag('search.synonyms')}/environments/staging/on`, undefined, 'Ready for tests'),
    ],
    [2, () => chloe.send('POST', `/projects/shop/features/shop.new-checkout/favorites`)],
    [1.9, () => ada.send('POST', `/projects/shop/features/shop.new-checkout/favorites`)],
  ];
}

/** Recommendations are shown only where the search is tolerant. */
function addDependency(person: Person): Promise<unknown> {
  const path = flagPath('search', 'search.recommendations');
  return person.send('POST', `${path}/dependencies`, { feature: 'search.typo-tolerance' }, 'It uses the same index');
}
