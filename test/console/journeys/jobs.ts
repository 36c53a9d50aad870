import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accepted } from '../../support/admin.ts';
import type { TestService } from '../../support/service.ts';
import { CULPRIT, FLAGS, NEWCOMER } from './fixture.ts';
import { type Act, choose, click, DIALOG, environment, fill, group, item, like, PANEL, screen } from './steps.ts';

export interface Job {
  readonly title: string;
  /** As many steps as the best of the compared products needs. */
  readonly aim: number;
  readonly steps: readonly Act[];
  /** Fails unless the job is done. */
  readonly expectDone: (service: TestService, page: Page) => Promise<unknown>;
}

const CREATED = 'new-checkout';
const TEMPLATE = 'Slow rollout';
const PRODUCTION = environment('production');

const inEnvironment = async (service: TestService, featureName: string, environment: string) => {
  const params = { projectId: 'default', featureName, environment };
  return (await accepted(service, 'getFeatureEnvironment', { params })).body;
};

/** The nine daily jobs, each from the home screen, without the palette and without a link from elsewhere. */
export const JOBS: readonly Job[] = [
  {
    title: 'Release a new flag to 10 % of a country in production',
    aim: 13,
    steps: [
      click('button', 'Create flag'),
      fill(like('Name'), CREATED, PANEL),
      click('button', 'Create', PANEL),
      click('button', 'Add strategy', PRODUCTION),
      fill('Rollout', '10', PANEL),
      click('button', 'Add constraint', PANEL),
      choose('Context field', 'country', PANEL),
      fill('Values', 'NO', PANEL),
      click('switch', `${CREATED} in production`, PRODUCTION),
      click('button', like('Review'), PRODUCTION),
      click('button', 'Save to production', DIALOG),
    ],
    expectDone: (service) =>
      expect
        .poll(() => inEnvironment(service, CREATED, 'production'))
        .toMatchObject({
          enabled: true,
          strategies: [{ parameters: { rollout: '10' }, constraints: [{ contextName: 'country', values: ['NO'] }] }],
        }),
  },
  {
    title: 'See who switched a flag off, and undo it',
    aim: 5,
    steps: [
      screen('Flags'),
      click('link', FLAGS.switchedOff),
      click('tab', 'History'),
      click('button', 'Undo'),
      click('button', { matches: /^Undo r\d/, read: 'Undo' }),
    ],
    expectDone: async (service, page) => {
      await page.getByText(CULPRIT.email).first().waitFor();
      const isOn = async () => (await inEnvironment(service, FLAGS.switchedOff, 'production')).enabled;
      await expect.poll(isOn).toBe(true);
    },
  },
  {
    title: 'Give production the rules of development',
    aim: 5,
    steps: [
      screen('Flags'),
      click('link', FLAGS.promoted),
      click('button', 'Actions for development'),
      click('menuitem', like('Copy')),
      click('button', 'Copy to production', PANEL),
    ],
    expectDone: (service) =>
      expect.poll(async () => (await inEnvironment(service, FLAGS.promoted, 'production')).strategies.length).toBe(1),
  },
  {
    title: 'Give a person access to a project',
    aim: 6,
    steps: [
      screen('Projects'),
      click('link', 'Default'),
      click('link', 'Access'),
      click('button', 'Give access'),
      choose('Users and groups', NEWCOMER.name, PANEL),
      click('button', 'Give access', PANEL),
    ],
    expectDone: (service) =>
      expect
        .poll(async () => {
          const { body } = await accepted(service, 'getProjectAccess', { params: { projectId: 'default' } });
          return body.users;
        })
        .toMatchObject([{ id: NEWCOMER.id, roles: [5] }]),
  },
  {
    title: 'Create a token, and see the code that connects an SDK with it',
    aim: 4,
    steps: [
      click('button', 'Connect an SDK'),
      fill(like('Name'), 'shop', PANEL),
      click('button', 'Create token', PANEL),
      choose('Language', 'Python', PANEL),
    ],
    expectDone: (_service, page) => page.getByRole('complementary').getByText('UnleashClient').first().waitFor(),
  },
  {
    title: 'Archive a stale flag',
    aim: 4,
    steps: [
      click('link', 'A flag is stale'),
      click('checkbox', `Select ${FLAGS.stale}`),
      click('button', 'Archive 1 flag…'),
      click('button', 'Archive', DIALOG),
    ],
    expectDone: (service) =>
      expect.poll(() => service.running.services.state.get('features', FLAGS.stale)?.archived).toBe(true),
  },
  {
    title: 'Switch a flag on in production tomorrow morning',
    aim: 4,
    steps: [
      screen('Flags'),
      click('switch', `${FLAGS.scheduled} in production`),
      click('button', 'Later…', DIALOG),
      click('menuitem', like('Tomorrow')),
    ],
    expectDone: (service) => {
      const params = { projectId: 'default', featureName: FLAGS.scheduled };
      return expect
        .poll(async () => (await accepted(service, 'getPendingChangeRequestsForFeature', { params })).body)
        .toMatchObject([{ state: 'Scheduled', schedule: { scheduledAt: expect.stringContaining('T09:00') } }]);
    },
  },
  {
    title: 'Create a release template that begins with 5 % of the users',
    aim: 7,
    steps: [
      group('Configure'),
      screen('Release templates'),
      click('button', 'Create release template'),
      fill(like('Name'), TEMPLATE),
      click('button', like('Edit'), item('First users')),
      fill('Rollout', '5', PANEL),
      click('button', 'Create'),
    ],
    expectDone: (service) =>
      expect
        .poll(async () => (await accepted(service, 'getReleasePlanTemplates')).body)
        .toMatchObject([{ name: TEMPLATE, milestones: [{ strategies: [{ parameters: { rollout: '5' } }] }, {}, {}] }]),
  },
  {
    title: 'See why user 42 does not have a flag',
    aim: 3,
    steps: [screen('Playground'), fill('Value userId', '42'), click('button', 'Evaluate')],
    expectDone: (_service, page) =>
      page.getByRole('row', { name: FLAGS.explained }).getByText('country in NO (not given)').waitFor(),
  },
];
