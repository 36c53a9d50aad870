import { expect } from 'vitest';
import { accepted } from '../../support/admin.ts';
import type { TestService } from '../../support/service.ts';
import type { GuardedPage } from '../support/browser.ts';
import { type JobFixture, LEFT_BY, PERSON } from './fixture.ts';
import { choose, click, fill, group, type Step, screen, target } from './steps.ts';

export interface Job {
  readonly title: string;
  /** As many steps as the best of the compared products needs. */
  readonly aim: number;
  readonly steps: readonly Step[];
  /** Fails unless the job is done. */
  readonly isDone: (on: Done) => Promise<void>;
}

interface Done {
  readonly service: TestService;
  readonly page: GuardedPage['page'];
}

const environmentOf = async (service: TestService, featureName: string, environment: string) => {
  const params = { projectId: 'default', featureName, environment };
  return (await accepted(service, 'getFeatureEnvironment', { params })).body;
};

const DIALOG = target('dialog', /./);
const PANEL = target('complementary', /./);
const PRODUCTION = target('region', 'production');
const DEVELOPMENT = target('region', 'development');

function rollout({ names }: JobFixture): Job {
  const name = `new-${names.created}`;
  return {
    title: 'A new flag is on in production for 10 % of a country',
    aim: 13,
    steps: [
      click('button', 'Create flag'),
      fill(/^Name/, name, PANEL),
      click('button', 'Create', PANEL),
      click('button', 'Add strategy', PRODUCTION),
      fill('Rollout', '10', PANEL),
      click('button', 'Add constraint', PANEL),
      choose('Context field', 'country', PANEL),
      fill(/^Values/, 'NO', PANEL),
      click('switch', /production/, PRODUCTION),
      click('button', /^Review/, PRODUCTION),
      click('button', 'Save to production', DIALOG),
    ],
    isDone: async ({ service, page }) => {
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await environmentOf(service, name, 'production')).toMatchObject({
        enabled: true,
        strategies: [{ parameters: { rollout: '10' }, constraints: [{ contextName: 'country', values: ['NO'] }] }],
      });
    },
  };
}

function undo({ names: { switchedOff } }: JobFixture): Job {
  return {
    title: 'Who switched this flag off? Undo it',
    aim: 5,
    steps: [
      screen('Flags'),
      click('link', switchedOff),
      click('tab', 'History'),
      click('button', 'Undo'),
      click('button', /^Undo r/),
    ],
    isDone: async ({ service, page }) => {
      await page.getByText(PERSON).first().waitFor();
      await expect.poll(async () => (await environmentOf(service, switchedOff, 'production')).enabled).toBe(true);
    },
  };
}

function promote({ names: { promoted } }: JobFixture): Job {
  return {
    title: 'Production gets the rules of development',
    aim: 5,
    steps: [
      screen('Flags'),
      click('link', promoted),
      click('button', 'Actions for development', DEVELOPMENT),
      click('menuitem', /^Copy/),
      click('button', 'Copy to production', PANEL),
    ],
    isDone: async ({ service }) => {
      const strategies = async () => (await environmentOf(service, promoted, 'production')).strategies.length;
      await expect.poll(strategies).toBe(1);
    },
  };
}

function access({ names: { person } }: JobFixture): Job {
  return {
    title: 'A person gets access to a project',
    aim: 6,
    steps: [
      screen('Projects'),
      click('link', 'Default'),
      click('link', 'Access'),
      click('button', 'Give access'),
      choose('Users and groups', person, PANEL),
      click('button', 'Give access', PANEL),
    ],
    isDone: async ({ service }) => {
      const names = async () => {
        const { body } = await accepted(service, 'getProjectAccess', { params: { projectId: 'default' } });
        return body.users.map((user: { name: string }) => user.name);
      };
      await expect.poll(names).toContain(person);
    },
  };
}

function token({ names: { token: name } }: JobFixture): Job {
  return {
    title: 'A token, and the code that connects an SDK with it',
    aim: 4,
    steps: [
      click('button', 'Connect an SDK'),
      fill(/^Name/, name, PANEL),
      click('button', 'Create token', PANEL),
      choose('Language', 'Python', PANEL),
    ],
    isDone: async ({ page }) => {
      await page.getByRole('complementary').getByText('UnleashClient').first().waitFor();
    },
  };
}

function archive({ names: { stale } }: JobFixture): Job {
  return {
    title: 'A stale flag is archived',
    aim: 4,
    steps: [
      click('link', /stale$/),
      click('checkbox', `Select ${stale}`),
      click('button', 'Archive 1 flag…'),
      click('button', 'Archive', DIALOG),
    ],
    isDone: async ({ service }) => {
      await expect.poll(() => service.running.services.state.get('features', stale)?.archived).toBe(true);
    },
  };
}

function schedule({ names: { scheduled } }: JobFixture): Job {
  return {
    title: 'A flag is switched on in production tomorrow morning',
    aim: 4,
    steps: [
      screen('Flags'),
      click('switch', `${scheduled} in production`),
      click('button', 'Later…', DIALOG),
      click('menuitem', /^Tomorrow/),
    ],
    isDone: async ({ service }) => {
      const params = { projectId: 'default', featureName: scheduled };
      const pending = async () => (await accepted(service, 'getPendingChangeRequestsForFeature', { params })).body;
      await expect.poll(async () => (await pending())[0]?.state).toBe('Scheduled');
    },
  };
}

function template({ names: { template: name } }: JobFixture): Job {
  return {
    title: 'A release template that begins with 5 % of the users',
    aim: 7,
    steps: [
      group('Configure'),
      screen('Release templates'),
      click('button', 'Create release template'),
      fill(/^Name/, name),
      click('button', /^Edit/, target('listitem', 'First users')),
      fill('Rollout', '5', PANEL),
      click('button', 'Create'),
    ],
    isDone: async ({ service }) => {
      const rolloutOf = async () => {
        const { body } = await accepted(service, 'getReleasePlanTemplates');
        const made = body.find((one: { name: string }) => one.name === name);
        return made?.milestones[0].strategies[0].parameters.rollout;
      };
      await expect.poll(rolloutOf).toBe('5');
    },
  };
}

function explain({ names: { explained } }: JobFixture): Job {
  return {
    title: 'Why does user 42 not have the flag?',
    aim: 3,
    steps: [screen('Playground'), fill('Value userId', '42'), click('button', 'Evaluate')],
    isDone: async ({ page }) => {
      await page.getByRole('row', { name: explained }).getByText(`${LEFT_BY} in NO (not given)`).waitFor();
    },
  };
}

/** The nine jobs of everyday, each from the home screen, without the palette and without a link of somebody else. */
export const jobsOf = (fixture: JobFixture): readonly Job[] =>
  [rollout, undo, promote, access, token, archive, schedule, template, explain].map((job) => job(fixture));
