import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { signalWorld, switching } from '../../support/signals.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

describe('a window of 360 px', () => {
  it('has a button for the search, which opens another screen', async () => {
    const { page } = await world.browser.open(world.service.url, '/', { signedOn, width: 360, height: 740 });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByPlaceholder('Flag, screen or action').fill('Segments');
    await expectAccessible(page, 'the palette at 360 px');
    await page.getByRole('option', { name: 'Segments' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
    // The menu has no second one.
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await page.getByRole('button', { name: 'Search', exact: true }).count()).toBe(1);
  });

  it('has a menu that covers the page, until Back, Escape or a screen closes it', async () => {
    const { page } = await world.browser.open(world.service.url, '/projects', { signedOn, width: 360, height: 740 });
    const heading = page.getByRole('heading', { level: 1, name: /^Projects/ });
    await heading.waitFor();
    const screens = page.getByRole('navigation', { name: 'Screens' });
    const open = async () => {
      await page.getByRole('button', { name: 'Menu' }).click();
      await screens.getByRole('button', { name: 'Configure' }).waitFor();
      // What is behind it cannot be reached.
      expect(await page.getByRole('main').count()).toBe(0);
    };
    await open();
    await expectAccessible(page, 'the menu at 360 px');
    await page.goBack();
    await heading.waitFor();
    await open();
    await page.keyboard.press('Escape');
    await heading.waitFor();
    await open();
    await screens.getByRole('link', { name: 'Projects' }).click();
    await heading.waitFor();
    await open();
    await screens.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.goBack();
    await heading.waitFor();
  });
});

describe('a phone of 390 px', () => {
  it('has the buttons of a context field inside of its box', async () => {
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }];
    const { body } = await accepted(world.service, 'createSegment', { body: { name: 'nordics', constraints } });
    const phone = { signedOn, width: 390, height: 844, hasTouch: true, isMobile: true };
    const { page } = await world.browser.open(world.service.url, `/segments/edit/${body.id}`, phone);
    const row = page.getByRole('group', { name: 'country in (NO, SE)' });
    const show = row.getByRole('button', { name: 'Show the options' });
    await row.getByRole('button', { name: 'Clear' }).waitFor();
    const right = async (item: typeof show) => {
      const { x = 0, width = 0 } = (await item.boundingBox()) ?? {};
      return x + width;
    };
    expect(await right(show)).toBeLessThanOrEqual(await right(show.locator('..')));
  });
});

describe('a window of 768 px', () => {
  it('shows the names of flags beside the mark of potentially stale ones, which is an icon there', async () => {
    const name = 'search.recommend';
    await prepare(world.service, (draft) =>
      draft.put('features', flag(name, { createdAt: '2020-01-01T00:00:00.000Z' })),
    );
    const open = async (width: number) =>
      (await world.browser.open(world.service.url, '/features', { signedOn, width })).page;
    const page = await open(768);
    const mark = page.getByRole('row', { name }).getByRole('img', { name: 'Potentially stale' });
    await mark.waitFor();
    expect(await mark.innerText()).toBe('');
    expect(
      await page.getByRole('link', { name, exact: true }).evaluate((link) => link.scrollWidth > link.clientWidth),
    ).toBe(false);
    await expectAccessible(page, 'the flags at 768 px');
    const wide = (await open(1440)).getByRole('row', { name }).getByRole('img', { name: 'Potentially stale' });
    await wide.waitFor();
    expect(await wide.innerText()).toBe('Potentially stale');
  });

  it('shows the whole texts of actions', async () => {
    const monitor = await signalWorld(world.service, 'alertmanager-of-the-checkout-team');
    const name = 'Switch off the new checkout after errors of the payment service';
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'checkout' } });
    const body = switching(monitor, 'checkout', { name, actorId: monitor.actorId });
    await accepted(world.service, 'createActionSet', { params: { projectId: 'default' }, body });
    const options = { signedOn, width: 768 };
    const { page } = await world.browser.open(world.service.url, '/projects/default/settings/actions', options);
    const row = page.getByRole('row').filter({ hasText: name });
    await row.waitFor();
    const texts = row.getByRole('gridcell').locator('span');
    expect(await texts.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length)).toBe(0);
    await expectAccessible(page, 'the actions at 768 px');
  });
});
