import { expect } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import type { TestService } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { panelOf } from '../support/panel.ts';
import { reportAs } from '../support/reporting-sdk.ts';
import {
  also,
  BACK,
  CLOSE,
  choose,
  click,
  DIALOG,
  ENTER,
  environment,
  fill,
  filter,
  find,
  group,
  like,
  miss,
  missText,
  PANEL,
  read,
  type Step,
  screen,
  see,
  submit,
} from './steps.ts';

/** One journey through what a part of the console promises. */
export interface Row {
  readonly title: string;
  /** The beginning of the names of its flags. */
  readonly key: string;
  /** Where it begins. */
  readonly at: (flag: string) => string;
  readonly steps: (flag: string) => readonly Step[];
}

export const TEMPLATE = 'Two steps';
const DEVELOPMENT = environment('development');
const PRODUCTION = environment('production');
const RECEIPT = { role: 'region', name: 'The last save' } as const;
const TABS = { role: 'navigation', name: 'Parts of the project' } as const;
const home = () => '/';
export const ofFlag = (name: string) => `/projects/default/features/${name}`;
export const paramsOf = (featureName: string, environment = 'production') => ({
  projectId: 'default',
  featureName,
  environment,
});

const rolloutsOf = async (service: TestService, featureName: string) => {
  const { body } = await accepted(service, 'getFeatureStrategies', { params: paramsOf(featureName) });
  return body.map(({ parameters }: { parameters: { rollout?: string } }) => parameters.rollout);
};
const expectRollouts = (name: string, rollouts: readonly string[]): Step =>
  also(({ service }) => expect.poll(() => rolloutsOf(service, name)).toEqual(rollouts));

const pendingOf = async (service: TestService, featureName: string) => {
  const params = { projectId: 'default', featureName };
  return (await accepted(service, 'getPendingChangeRequestsForFeature', { params })).body;
};

/** What the journeys begin with: flags of these names, by the key of the row. `author` are the headers of the person who walks. */
export async function prepareRows(
  service: TestService,
  nameOf: (key: string) => readonly string[],
  author: Readonly<Record<string, string>>,
): Promise<void> {
  await prepare(service, (draft) => {
    const on = [switchedOn('production')];
    for (const name of [...nameOf('named'), ...nameOf('listed'), ...nameOf('later'), ...nameOf('charted')])
      draft.put('features', flag(name));
    for (const name of [...nameOf('audited'), ...nameOf('planned')])
      draft.put('features', flag(name, { environments: on }));
  });
  for (const featureName of nameOf('audited')) {
    const params = paramsOf(featureName);
    await accepted(service, 'toggleFeatureEnvironmentOff', { params, headers: author, token: null });
  }
}

/** What the journeys share. */
export async function prepareShared(service: TestService): Promise<void> {
  await accepted(service, 'createContextField', { body: { name: 'country' } });
  const rollout = (percent: string) => ({
    strategyName: 'flexibleRollout',
    parameters: { rollout: percent, stickiness: 'default', groupId: '' },
  });
  const milestones = [
    { name: 'First users', strategies: [rollout('0')] },
    { name: 'Everyone', strategies: [rollout('100')] },
  ];
  await accepted(service, 'createReleasePlanTemplate', { body: { name: TEMPLATE, milestones } });
}

const UNDEFINED = 'The context field contry is not defined. Only applications that send exactly this name have it.';
const NOT_MADE_UP = /^No values are made up for contry, because this context field is not defined/;

export const ROWS: readonly Row[] = [
  {
    title: '1: what is typed stays, Back closes what was opened last, and Enter saves nothing to production',
    key: 'kept',
    at: home,
    steps: (name) => [
      click('button', 'Create flag'),
      fill(like('Name'), name, PANEL),
      BACK,
      miss(PANEL.role, PANEL.name),
      see('heading', 'Home'),
      click('button', 'Create flag'),
      read(/^Not saved yet, typed /, PANEL),
      also(({ page }) => expect.poll(() => panelOf(page).getByLabel('Name').inputValue()).toBe(name)),
      submit('Create', PANEL),
      click('button', 'Add strategy', PRODUCTION),
      fill('Rollout', '40', PANEL),
      ENTER,
      see(DIALOG.role, DIALOG.name),
      BACK,
      miss(DIALOG.role, DIALOG.name),
      expectRollouts(name, []),
      also(({ page }) => page.reload()),
      read('1 unsaved change', PRODUCTION),
      read(/typed/, PRODUCTION),
      click('button', like('Review'), PRODUCTION),
      submit('Save to production', DIALOG),
      miss(DIALOG.role, DIALOG.name),
      expectRollouts(name, ['40']),
      // Outside production, a switch saves at once and offers to undo it.
      click('switch', `${name} in development`, DEVELOPMENT),
      read(`${name} is on in development`, RECEIPT),
      click('button', 'Undo', RECEIPT),
      click('button', { matches: /^Undo r\d+$/, read: 'Undo' }, RECEIPT),
      read(`Undone: ${name} is on in development`, RECEIPT),
      also(async ({ service }) => {
        const { body } = await accepted(service, 'getFeatureEnvironment', { params: paramsOf(name, 'development') });
        expect(body.enabled).toBe(false);
      }),
    ],
  },
  {
    title: '2: a known name is found by a part of it, an unknown one is warned of where it is typed and in the review',
    key: 'named',
    at: ofFlag,
    steps: () => [
      click('button', 'Add strategy', DEVELOPMENT),
      click('button', 'Add constraint', PANEL),
      find('Context field', 'contry', 'New: contry', PANEL),
      read(UNDEFINED, PANEL),
      find('Context field', 'countr', 'country', PANEL),
      missText(UNDEFINED),
      find('Context field', 'contry', 'New: contry', PANEL),
      fill('Values', 'NO', PANEL),
      ENTER,
      click('button', like('Review'), DEVELOPMENT),
      read(UNDEFINED, DIALOG),
      read(NOT_MADE_UP, DIALOG),
      submit('Save', DIALOG),
      miss(DIALOG.role, DIALOG.name),
      click('tab', 'Settings'),
      find('New tag', 'mobie', 'New: mobie'),
      read('No flag that you may see has the tag simple:mobie.'),
    ],
  },
  {
    title: '3: the list has the chosen environments, filters, and shows what there is when it cannot be read',
    key: 'listed',
    at: home,
    steps: (name) => [
      screen('Flags'),
      filter('Filter flags', name),
      see('switch', `${name} in development`),
      click('button', like('Columns')),
      click('checkbox', 'development'),
      CLOSE,
      miss('switch', `${name} in development`),
      see('switch', `${name} in production`),
      click('button', 'Environment'),
      click('checkbox', 'On in production'),
      CLOSE,
      read('No flag matches these filters.'),
      click('button', 'Clear filters'),
      filter('Filter flags', name),
      see('link', name),
      also(async ({ page, service }) => {
        const all = '**/api/admin/flag-index**';
        await page.route(all, (route) => route.fulfill({ status: 500, json: { message: 'The index is broken.' } }));
        const lifetimeDays = 1 + Math.floor(Math.random() * 1_000);
        await accepted(service, 'updateFeatureTypeLifetime', { params: { id: 'sunset' }, body: { lifetimeDays } });
        await page.getByText(/^The list is as it was at \d\d:\d\d\. The index is broken\.$/).waitFor();
        await page.unroute(all);
      }),
      see('link', name),
      click('button', 'Try again'),
      missText(/The index is broken/),
      click('link', name),
      see('heading', like(name)),
      BACK,
      see('link', name),
      miss('switch', `${name} in development`),
    ],
  },
  {
    title: '4: the audit log is filtered in words, and leads to the flag as it was; so do the recent changes',
    key: 'audited',
    at: home,
    steps: (name) => [
      screen('Audit log'),
      find('Kind of event', 'switched of', 'Switched off'),
      choose('Person', 'By me'),
      find('Flag', name, name),
      see('heading', 'Audit log 1'),
      read(new RegExp(`: Flag ${name}: Switched off in production`)),
      read(/^\d\d:\d\d · /),
      click('link', like('The flag before this')),
      see('heading', like(name)),
      see('region', 'What is different now'),
      read(/^ON for/, PRODUCTION),
      BACK,
      see('heading', 'Audit log 1'),
      choose('Person', 'By API tokens'),
      read('No event matches these filters.'),
      screen('Recent changes'),
      find('Flag', name, name),
      click('link', like('See the flag before this change')),
      see('heading', like(name)),
    ],
  },
  {
    title: '5: the side bar has the daily screens and folded groups, and a project has one row of tabs',
    key: 'around',
    at: home,
    steps: () => [
      group('Configure'),
      screen('Segments'),
      see('heading', like('Segments')),
      screen('Projects'),
      click('link', 'Default'),
      ...['Change requests', 'Health', 'Access', 'Settings', 'Flags'].flatMap((name) => [
        click('link', name, TABS),
        see('heading', 'Default'),
        also(({ page }) =>
          expect
            .poll(() =>
              page.getByRole('navigation', { name: 'Parts of the project' }).locator('[aria-current]').innerText(),
            )
            .toBe(name),
        ),
      ]),
      BACK,
      see('button', 'Edit settings'),
    ],
  },
  {
    title: '6: a change of production is saved later, seen on the flag, and cancelled',
    key: 'later',
    at: ofFlag,
    steps: (name) => [
      click('switch', `${name} in production`, PRODUCTION),
      click('button', 'Later…', DIALOG),
      click('menuitem', like('Tomorrow')),
      miss(DIALOG.role, DIALOG.name),
      also(async ({ service }) => {
        const [request] = await pendingOf(service, name);
        expect(request).toMatchObject({ state: 'Scheduled', minApprovals: 0 });
      }),
      click('link', { matches: /^Will be saved .*, 09:00 by change request \d+$/, read: 'Will be saved' }, PRODUCTION),
      click('button', 'More actions'),
      click('menuitem', 'Cancel request'),
      click('button', 'Cancel request', DIALOG),
      miss(DIALOG.role, DIALOG.name),
      also(({ service }) => expect.poll(() => pendingOf(service, name)).toEqual([])),
    ],
  },
  {
    title: '7: a release plan shows who changes in each milestone, and replaces the strategies beside it',
    key: 'planned',
    at: ofFlag,
    steps: (name) => [
      click('button', 'Add release plan', PRODUCTION),
      read('A strategy that is there already is for everyone.', DIALOG),
      click('radio', 'Everyone', DIALOG),
      read('1,000 the same', DIALOG),
      click('checkbox', like('Replace the strategies'), DIALOG),
      missText('A strategy that is there already is for everyone.'),
      click('radio', 'First users', DIALOG),
      read('1,000 on → off', DIALOG),
      submit('Add the plan', DIALOG),
      miss(DIALOG.role, DIALOG.name),
      see('region', `Release plan: ${TEMPLATE}`),
      expectRollouts(name, ['0']),
      click('button', like('Start Everyone')),
      read('1,000 off → on', DIALOG),
      submit('Start', DIALOG),
      miss(DIALOG.role, DIALOG.name),
      expectRollouts(name, ['100']),
    ],
  },
  {
    title:
      '9: an unknown address has a page, charts have axes, open popups are accessible, production is guarded early',
    key: 'charted',
    at: home,
    steps: (name) => [
      also(({ page }) => page.goto(new URL('/projcts/default', page.url()).href)),
      read(/^There is nothing at this address\./),
      click('link', 'Go to the flags'),
      see('heading', like('Flags')),
      click('button', 'State'),
      see('checkbox', 'Stale'),
      also(({ page }) => expectAccessible(page, 'an open filter', true)),
      CLOSE,
      filter('Filter flags', name),
      also(({ service }) =>
        reportAs(service, {
          appName: 'shop',
          instanceId: name,
          sdkVersion: 'unleash-client-node:6.0.0',
          flags: { [name]: { yes: 6, no: 2 } },
        }),
      ),
      click('link', name),
      click('tab', 'Use'),
      see('img', 'Use in development: 6 times on, 2 times off'),
      also(async ({ page }) => {
        const texts = await page.getByRole('figure').first().innerText();
        expect(texts.split('\n').filter((text) => text.trim() !== '').length).toBe(6);
      }),
      click('combobox', 'Application'),
      see('option', 'shop'),
      also(({ page }) => expectAccessible(page, 'an open list', true)),
      CLOSE,
      also(async ({ page }) => {
        let answer = () => {};
        const held = new Promise<void>((resolve) => {
          answer = resolve;
        });
        await page.route(/\/api\/admin\/(projects\/default\/)?environments$/, async (route) => {
          await held;
          await route.continue();
        });
        await page.goto(new URL(ofFlag(name), page.url()).href);
        await page
          .getByRole('switch', { name: `${name} in production`, description: 'Opens the review before it saves' })
          .waitFor();
        answer();
      }),
      click('button', 'Actions for production', PRODUCTION),
      see('menuitem', like('Copy')),
      also(({ page }) => expectAccessible(page, 'an open menu', true)),
    ],
  },
];
