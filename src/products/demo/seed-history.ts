import { DAY_MS, isoTime } from '../../base/clock.ts';
import type { PastClock } from './past-clock.ts';
import type { Person } from './person.ts';
import { createFlag, demoFlags, flagPath, rollout, smallFlags } from './seed-flags.ts';
import type { People, Segments } from './seed-setup.ts';

/** A change of the last days: when, and what happens. */
type Change = readonly [daysAgo: number, make: () => Promise<unknown>];

/** Finds the id of the n-th strategy of a flag. */
async function strategyPath(person: Person, flag: string, environment: string, index = 0): Promise<string> {
  const path = `${flagPath(flag.slice(0, flag.indexOf('.')), flag)}/environments/${environment}`;
  const { strategies } = await person.send('GET', path);
  return `${path}/strategies/${strategies[index].id}`;
}

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
  const changes = [...created, ...laterChanges(people), ...requests(people, clock)];
  changes.sort(([a], [b]) => b - a);
  for (const [daysAgo, make] of changes) {
    // A change with many requests may have moved the time beyond the next one.
    if (clock.endMs - daysAgo * DAY_MS > clock.nowMs()) clock.moveTo(daysAgo);
    await make();
  }
}

function laterChanges({ ada, ben, chloe, dmitri, elin }: People): readonly Change[] {
  const cache = async (percent: number, reason: string) =>
    setRollout(ada, await strategyPath(ada, 'platform.new-cache', 'production'), percent, reason);
  const flag = (name: string) => flagPath(name.slice(0, name.indexOf('.')), name);
  const patch = (person: Person, name: string, path: string, value: unknown, reason: string) =>
    person.send('PATCH', flag(name), [{ op: 'replace', path, value }], reason);
  return [
    [24, () => cache(10, 'One data centre first')],
    [21, () => cache(25, 'No errors for three days')],
    [17.2, () => cache(75, 'Latency is half of what it was')],
    [17.1, () => cache(0, 'Sessions were lost after a failover')],
    [16, () => cache(25, 'The client now reconnects')],
    [13, () => cache(50, 'No errors for three days')],
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
          ...{ url: 'https://wiki.example.com/new-checkout', title: 'How the new checkout works' },
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

/** Protects production of the shop, and requests changes there, which end in different states. */
function requests({ ada, ben, chloe, dmitri }: People, clock: PastClock): readonly Change[] {
  const production = '/projects/shop/environments/production/change-requests';
  const request = async (person: Person, title: string, changes: readonly object[]): Promise<string> => {
    const { id } = await person.send('POST', production, changes);
    const path = `/projects/shop/change-requests/${id}`;
    await person.send('PUT', `${path}/title`, { title });
    return path;
  };
  const move = (person: Person, path: string, state: string, rest: object = {}) =>
    person.send('PUT', `${path}/state`, { state, ...rest });
  const enabled = (feature: string, value: boolean) => ({
    ...{ action: 'updateEnabled', feature, payload: { enabled: value } },
  });
  const add = (feature: string, payload: object) => ({ action: 'addStrategy', feature, payload });
  const sent = async (person: Person, title: string, changes: readonly object[]): Promise<string> => {
    const path = await request(person, title, changes);
    await move(person, path, 'In review');
    return path;
  };
  return [
    [
      5.2,
      () =>
        ada.send(
          'PUT',
          `${production}/config`,
          { changeRequestsEnabled: true, requiredApprovals: 1 },
          'After the incident of May',
        ),
    ],
    [
      4.2,
      async () => {
        const path = await sent(ben, 'Delivery slots for Norway', [
          add(
            'shop.delivery-slots',
            rollout(100, { constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }] }),
          ),
          enabled('shop.delivery-slots', true),
        ]);
        await move(chloe, path, 'Approved', { comment: 'The depots are ready.' });
        await move(ben, path, 'Applied');
      },
    ],
    [
      2.8,
      async () => {
        const path = await sent(dmitri, 'Switch the old tax engine off', [enabled('shop.tax-engine', false)]);
        await move(ada, path, 'Rejected', { comment: 'Not before the end of the quarter.' });
      },
    ],
    [
      1.5,
      async () => {
        const path = await sent(chloe, 'Express payment for everybody', [add('shop.express-payment', rollout(100))]);
        await move(chloe, path, 'Cancelled');
      },
    ],
    [
      1.2,
      async () => {
        const path = await sent(ben, 'Gift cards: prepare the removal', [enabled('shop.gift-cards', false)]);
        await move(ada, path, 'Approved');
        await move(ben, path, 'Scheduled', { scheduledAt: isoTime(clock.endMs + DAY_MS) });
      },
    ],
    [
      0.6,
      async () => {
        const path = await sent(dmitri, 'Round prices in Sweden', [
          add(
            'shop.sticky-basket',
            rollout(30, { constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }] }),
          ),
        ]);
        await move(ada, path, 'Approved', { comment: 'Good. Apply it in the morning.' });
      },
    ],
    [
      0.2,
      async () => {
        const path = await sent(chloe, 'The new checkout for half of the Nordic countries', [
          await halfOfTheNordics(chloe),
        ]);
        await ben.send('POST', `${path}/comments`, { text: 'Does the support team know?' });
        await chloe.send('POST', `${path}/comments`, { text: 'Yes, since Monday.' });
      },
    ],
    [0.1, () => request(ben, 'Invoices for the pro plan', [enabled('shop.invoice-pdf', true)])],
  ];
}

async function halfOfTheNordics(person: Person): Promise<object> {
  const path = await strategyPath(person, 'shop.new-checkout', 'production', 1);
  const { id, name, title, constraints, segments } = await person.send('GET', path);
  const payload = { id, name, title, constraints, segments, parameters: rollout(50).parameters };
  return { action: 'updateStrategy', feature: 'shop.new-checkout', payload };
}
