import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FORMER_PATHS, filledPath } from '../../../console/src/former-paths.ts';
import { type PathParams, path, type Screen } from '../../../console/src/paths.ts';
import { expectFitsPhone } from '../journeys/phone.ts';
import { expectAccessible } from '../support/axe.ts';
import { type GuardedPage, TestBrowser } from '../support/browser.ts';
import {
  ACTION,
  ENDPOINT,
  type FilledDemo,
  INTEGRATION,
  OWN_TEMPLATE,
  params,
  startFilledDemo,
  TEMPLATE,
} from '../support/filled-demo.ts';

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1440, height: 900 };

interface Shown {
  /** The list in which the id of the path is found: its path in the API, and the name of the entry. */
  readonly found?: readonly [list: string, name: string];
  readonly tabs?: readonly string[];
  /** Instead of the name of a context field. */
  readonly name?: string;
  /** Texts of the seeded data: when they are there, the screen is. One for each tab. */
  readonly texts: readonly string[];
}

/** A screen without an entry is an error of types. */
const SCREENS: Readonly<Record<Screen, Shown>> = {
  home: { texts: ['The new checkout for half of the Nordic countries'] },
  features: { texts: ['mobile.dark-mode'] },
  projectFeatures: { texts: ['shop.sticky-basket'] },
  feature: { texts: [`Release plan: ${TEMPLATE.name}`] },
  featureTab: {
    tabs: ['logs', 'settings', 'metrics'],
    texts: ['chloe@example.com', 'How the new checkout works', 'Applications that use it'],
  },
  projects: { texts: ['Basket, checkout and payment of the web shop.'] },
  projectSettings: { texts: ['Basket, checkout and payment of the web shop.'] },
  projectSettingsTab: {
    tabs: ['access', 'environments', 'default-strategy', 'actions', 'history'],
    texts: ['Checkout team', 'staging', 'Flags that have strategies keep them.', ACTION.name, 'ada@example.com'],
  },
  projectChangeRequests: { texts: ['Round prices in Sweden'] },
  changeRequest: { found: ['search/change-requests', 'Round prices in Sweden'], texts: ['shop.sticky-basket'] },
  changeRequests: { texts: ['Round prices in Sweden'] },
  environments: { texts: ['staging'] },
  environmentHistory: { name: 'production', texts: ['ada@example.com'] },
  recent: { texts: ['Something is wrong?'] },
  transfer: { texts: ['Choose a file…'] },
  segments: { texts: ['enterprise customers'] },
  segment: { found: ['segments', 'nordics'], texts: ['Used by'] },
  createSegment: { texts: ['New segment'] },
  context: { texts: ['Where the customer lives'] },
  contextField: { texts: ['Used by'] },
  createContextField: { texts: ['New context field'] },
  archive: { texts: ['No flag is archived.'] },
  applications: { texts: ['mobile-gateway'] },
  application: { texts: ['unleash-node-sdk:6.6.0'] },
  cleanUp: { texts: ['shop.gift-cards'] },
  // The list itself has only the rows that are in view.
  drift: { texts: ['flags of'] },
  projectHealth: { texts: ['shop.gift-cards'] },
  unknownFlags: { texts: ['Every flag that applications ask for exists.'] },
  events: { texts: ['search.semantic-ranking'] },
  playground: { texts: ['Evaluate an example'] },
  tokens: { texts: ['web-shop-production'] },
  users: { texts: ['Chloe Martin'] },
  groups: { texts: ['Checkout team'] },
  group: { found: ['groups', 'Engineers'], texts: ['Roles in projects'] },
  roles: { texts: ['Viewer'] },
  role: { found: ['roles', 'Member'], texts: ['Permissions'] },
  serviceAccounts: { texts: ['Kill switch'] },
  profile: { texts: ['May do everything.'] },
  profileTab: {
    tabs: ['tokens', 'sessions'],
    texts: ['For scripts that act as you', 'Where you are signed on.'],
  },
  signOnSettings: { texts: ['Sign-on with a password is on'] },
  signOnSettingsTab: {
    tabs: ['oidc', 'saml', 'scim'],
    texts: ['Address of the provider', 'Metadata', 'The provider has not created or taken over a user yet.'],
  },
  signupLinks: { texts: ['There is no sign-up link.'] },
  banners: { texts: ['There is no banner.'] },
  maintenance: { texts: ['Maintenance is off'] },
  origins: { texts: ['Every origin is allowed.'] },
  releaseTemplates: { texts: [TEMPLATE.name] },
  releaseTemplate: { found: ['release-plan-templates', TEMPLATE.name], texts: ['Milestone 2'] },
  createReleaseTemplate: { texts: ['Milestone 1'] },
  projectReleaseTemplates: { texts: [OWN_TEMPLATE.name] },
  projectReleaseTemplate: {
    found: [`projects/${params.projectId}/release-plan-templates`, OWN_TEMPLATE.name],
    texts: ['Milestone 2'],
  },
  createProjectReleaseTemplate: { texts: ['Milestone 1'] },
  integrations: { texts: [INTEGRATION.description] },
  integration: { found: ['addons', INTEGRATION.description], texts: ['Last attempts'] },
  signals: { texts: [ENDPOINT.name] },
  signal: { found: ['signal-endpoints', ENDPOINT.name], texts: ['No signal has arrived yet.'] },
  actionSet: { found: ['projects/shop/actions', ACTION.name], texts: ['It has not been started yet.'] },
  instance: { texts: ['Download a backup'] },
  tagTypes: { texts: ['simple'] },
  featureTypes: { texts: ['40 days'] },
  strategyTypes: { texts: ['flexibleRollout'] },
  kit: { texts: ['Every part of the console in all of its states.'] },
};

const shownAddresses = Object.entries(SCREENS).flatMap(([screen, { texts, tabs = [''] }]) =>
  texts.map((text, index) => ({ screen: screen as Screen, tab: tabs[index] ?? '', text })),
);

let demo: FilledDemo;
let browser: TestBrowser;
let signedOn: { readonly cookie: string };
/** Its files are loaded once. */
let kept: GuardedPage;
/** Makes the kept page one that is touched, and back. */
let touch: CDPSession;

beforeAll(async () => {
  demo = await startFilledDemo();
  signedOn = demo.signedOn;
  browser = await TestBrowser.start();
  kept = await browser.open(demo.url, '/', { ...NARROW, signedOn, isKept: true });
  touch = await kept.context.newCDPSession(kept.page);
});

afterEach(async () => {
  await browser?.closePages();
  kept.expectNoProblems();
});

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

async function addressOf(screen: Screen, tab: string): Promise<string> {
  const { found, name } = SCREENS[screen];
  const filled = { ...params, tab, ...(name && { name }), ...(found && { id: await demo.idOf(...found) }) };
  return (path as (screen: Screen, params: PathParams<Screen>) => string)(screen, filled);
}

/** How many pixels of the page can be reached only by scrolling sideways. */
const hiddenSideways = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

async function expectFits(page: Page, where: string): Promise<void> {
  await expect.poll(() => hiddenSideways(page), { message: `${where} scrolls sideways` }).toBe(0);
}

/** What creates stands in one place, the end of the header, unless the list is empty: then it is in the text that says so. */
async function expectCreateInHeader(page: Page, address: string): Promise<void> {
  // The token of SCIM is a setting among others.
  if (address === '/admin/auth/scim') return;
  const create = page.getByRole('main').getByRole('button', { name: /^(Create|Give|Invite) / });
  for (const button of await create.all()) {
    const isElsewhere = await button.evaluate((element) => element.closest('aside, form, [data-empty]') !== null);
    if (isElsewhere) continue;
    expect(await button.evaluate((element) => element.closest('header') !== null), address).toBe(true);
  }
}

/** Opens the page in both sizes, each with one of the themes, and touches the smaller one. `text`: when it is there, the screen is. */
async function expectGood(address: string, text: string): Promise<void> {
  const { page } = kept;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.goto(demo.url + address);
  // What a narrow window has no space for is there, but hidden.
  await page.getByText(text).first().waitFor({ state: 'attached' });
  const { pathname, search } = new URL(page.url());
  expect(pathname + search).toBe(decodeURI(address));
  await expectFits(page, `${address} at 360 px`);
  await expectAccessible(page, `${address}, light, 360 px`);
  await expectFitsPhone(page);
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });

  await page.setViewportSize(WIDE);
  await page.getByText(text).locator('visible=true').first().waitFor();
  await expectFits(page, `${address} at 1440 px`);
  await expectCreateInHeader(page, address);
  // The theme follows the system while the page is open.
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, `${address}, dark, 1440 px`);
}

describe('every screen', () => {
  it.each(shownAddresses)('$screen $tab: no error, no other host, accessible, and it fits', async (one) => {
    await expectGood(await addressOf(one.screen, one.tab), one.text);
  });
});

/** The controls of the screen that cannot be used, each with its name and the description that screen readers read. */
const disabledControls = (page: Page) =>
  page.evaluate<{ readonly name: string; readonly why: string }[]>(`
    [...document.querySelectorAll('main :is([aria-disabled=true], :disabled)')].map((control) => ({
      name: control.getAttribute('aria-label') ?? control.textContent,
      why: [
        control.getAttribute('aria-description') ?? '',
        ...(control.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? ''),
      ].join(' '),
    }))`);

describe('journey 33: a viewer on the screens of daily work', () => {
  it.each(
    shownAddresses.filter(
      ({ screen, tab }) =>
        ['features', 'projectFeatures', 'feature', 'projects', 'projectSettings', 'environments'].includes(screen) ||
        ['segments', 'application', 'tagTypes', 'groups'].includes(screen) ||
        tab === 'settings',
    ),
  )('$screen $tab: every control that cannot be used names the permission', async ({ screen, tab, text }) => {
    const { page } = await browser.open(demo.url, await addressOf(screen, tab), {
      ...WIDE,
      signedOn: await demo.signOn('vera'),
    });
    await page.getByText(text).locator('visible=true').first().waitFor();
    await expect.poll(async () => (await disabledControls(page)).length).toBeGreaterThan(0);
    const unexplained = async () => (await disabledControls(page)).filter(({ why }) => !/Needs [A-Z_]{4,}/.test(why));
    await expect.poll(unexplained).toEqual([]);
    const creates = page.locator('main').getByRole('button', { name: 'Create flag' });
    for (const create of await creates.all()) expect(await create.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('screens whose address has more than a path', () => {
  it.each([
    ['/projects/shop/features/shop.new-checkout?at=200', 'Segments as they were'],
    ['/projects/shop?at=200', 'Flags at this moment'],
    ['/environments/production/history?at=200', 'It was on.'],
    ['/recent-changes?from=2020-01-01', 'Combined result'],
    ['/import-export?tab=export', 'Export from a shell'],
  ])('%s', expectGood);
});

describe('every former path', () => {
  it.each(Object.entries(FORMER_PATHS))('%s leads to a screen', async (from, to) => {
    const of = { ...params, tab: 'access', item: 'x', id: '1', name: 'staging', provider: 'webhook' };
    const { page } = kept;
    await page.setViewportSize(WIDE);
    await page.goto(demo.url + filledPath(from, of));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(filledPath(to, of));
    expect(await page.getByText('There is nothing at this address.').count()).toBe(0);
  });
});

describe('the panel of a strategy', () => {
  it.each([WIDE, { width: 1280, height: 720 }])('leaves the bar of the draft in view: $width px', async (size) => {
    const address = path('feature', { projectId: 'mobile', featureId: 'mobile.dark-mode' });
    const { page } = await browser.open(demo.url, address, { ...size, signedOn });
    const production = page.getByRole('region', { name: 'production' });
    await production.getByRole('button', { name: /^Edit/ }).first().click();
    const panel = page.getByRole('complementary');
    const rollout = panel.getByRole('textbox', { name: 'Rollout' });
    await rollout.fill('75');
    const bar = production.getByRole('group', { name: 'Draft', exact: true });
    await bar.waitFor();
    const edges = async () => {
      const [ofBar, ofPanel] = [await bar.boundingBox(), await panel.boundingBox()];
      if (!ofBar || !ofPanel) throw new Error('the bar or the panel is not shown');
      return {
        isBeside: ofBar.x + ofBar.width <= ofPanel.x,
        isInWindow: ofBar.y >= 0 && ofBar.y + ofBar.height <= size.height,
      };
    };
    await expect.poll(edges).toEqual({ isBeside: true, isInWindow: true });
  });
});
