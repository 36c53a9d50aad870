import { DAY_MS, isoTime } from '../../base/clock.ts';
import type { PastClock } from './past-clock.ts';
import type { Person } from './person.ts';
import { type Change, rollout, strategyPath } from './seed-flags.ts';
import type { People } from './seed-setup.ts';

const PRODUCTION = '/projects/shop/environments/production/change-requests';

/** Creates a draft of a change request, and returns its path. */
async function request(person: Person, title: string, changes: readonly object[]): Promise<string> {
  const { id } = await person.send('POST', PRODUCTION, changes);
  const path = `/projects/shop/change-requests/${id}`;
  await person.send('PUT', `${path}/title`, { title });
  return path;
}

const move = (person: Person, path: string, state: string, rest: object = {}) =>
  person.send('PUT', `${path}/state`, { state, ...rest });

/** Creates a change request that is in review. */
async function sent(person: Person, title: string, changes: readonly object[]): Promise<string> {
  const path = await request(person, title, changes);
  await move(person, path, 'In review');
  return path;
}

const enabled = (feature: string, value: boolean) => ({
  action: 'updateEnabled',
  feature,
  payload: { enabled: value },
});
const add = (feature: string, payload: object) => ({ action: 'addStrategy', feature, payload });

/** Protects production of the shop, and requests changes there that have ended in different states. */
export function endedRequests({ ada, ben, chloe, dmitri }: People): readonly Change[] {
  return [
    [
      5.2,
      () =>
        ada.send(
          'PUT',
          `${PRODUCTION}/config`,
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
  ];
}

/** Requests changes that still wait. */
export function openRequests({ ada, ben, chloe, dmitri }: People, clock: PastClock): readonly Change[] {
  return [
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
