import { beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../support/people.ts';
import { expectAccessible } from './support/axe.ts';
import { ADMIN, useWorld } from './support/world.ts';

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
});
