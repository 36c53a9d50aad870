import type { Locator } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { TEMPLATE } from '../support/filled-demo.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = 'later';
const MANY = ['many-1', 'many-2', 'many-3'];
const PLANNED = 'planned';
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await prepare(world.service, (draft) => {
    draft.put('features', flag(FLAG, { environments: [switchedOn('production')] }));
    for (const name of [...MANY, PLANNED]) draft.put('features', flag(name));
  });
  await accepted(world.service, 'createReleasePlanTemplate', { body: TEMPLATE });
});

const pendingOf = async (featureName: string) => {
  const params = { projectId: 'default', featureName };
  return (await accepted(world.service, 'getPendingChangeRequestsForFeature', { params })).body;
};

/** Chooses the time that the field names, in the zone of the page. */
async function saveAt(dialog: Locator, time: string): Promise<void> {
  await dialog.getByRole('button', { name: 'Later…' }).click();
  await dialog.page().getByRole('menuitem', { name: 'Another time…' }).click();
  const field = dialog.getByLabel('Time', { exact: true });
  await expect.poll(() => isFocused(field)).toBe(true);
  await field.fill(time);
  await expectAccessible(dialog.page(), 'a time that is typed');
  await field.press('Enter');
}

it('by keyboard: a change is saved tomorrow at 9:00 of the person, seen on the flag, and cancelled', async () => {
  const path = `/projects/default/features/${FLAG}`;
  const { page } = await world.browser.open(world.service.url, path, { signedOn, timezoneId: 'Asia/Tokyo' });
  const keys = new Keyboard(page);
  const column = page.getByRole('region', { name: 'production', exact: true });
  await keys.activate(column.getByRole('switch'), 'Space');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Later…' }).waitFor();
  await expectAccessible(page, 'a review that can be saved later');
  await keys.activate(dialog.getByRole('button', { name: 'Later…' }));
  const tomorrow = page.getByRole('menuitem', { name: /^Tomorrow, 09:00/ });
  await tomorrow.waitFor();
  await keys.type('Tom');
  await keys.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByText(/^It will be saved .* by change request \d+/)
    .first()
    .waitFor();
  const [request] = await pendingOf(FLAG);
  expect(request).toMatchObject({ state: 'Scheduled', minApprovals: 0 });
  // 9:00 in Tokyo is midnight in Greenwich.
  expect(request.schedule.scheduledAt).toMatch(/T00:00:00.000Z$/);
  await keys.activate(column.getByRole('link', { name: /^Will be saved .*, 09:00 by change request \d+$/ }));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel request' }).click();
  await dialog.getByRole('button', { name: 'Cancel request' }).click();
  await expect.poll(async () => (await pendingOf(FLAG)).length).toBe(0);
});

const TIME = '2027-03-01T07:30';
/** The same time in Greenwich. */
const SENT = '2027-02-28T22:30:00.000Z';

it('a change is saved at any time, and not in the past', async () => {
  const path = `/projects/default/features/${FLAG}`;
  const { page } = await world.browser.open(world.service.url, path, { signedOn, timezoneId: 'Asia/Tokyo' });
  await page.getByRole('region', { name: 'production', exact: true }).getByRole('switch').click();
  const dialog = page.getByRole('dialog');
  await saveAt(dialog, '2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Save then' }).and(page.locator('[aria-disabled=true]')).waitFor();
  expect(await pendingOf(FLAG)).toEqual([]);
  await dialog.getByLabel('Time', { exact: true }).fill(TIME);
  await dialog.getByRole('button', { name: 'Save then' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => pendingOf(FLAG)).toMatchObject([{ state: 'Scheduled', schedule: { scheduledAt: SENT } }]);
});

it('a release plan is added at a time', async () => {
  const path = `/projects/default/features/${PLANNED}`;
  const { page } = await world.browser.open(world.service.url, path, { signedOn, timezoneId: 'Asia/Tokyo' });
  const column = page.getByRole('region', { name: 'production', exact: true });
  await column.getByRole('button', { name: 'Add release plan' }).click();
  await saveAt(page.getByRole('dialog'), TIME);
  await column.getByRole('link', { name: /^Will be saved .* by change request \d+$/ }).waitFor();
  expect(await pendingOf(PLANNED)).toMatchObject([
    {
      state: 'Scheduled',
      schedule: { scheduledAt: SENT },
      features: [{ name: PLANNED, changes: [{ action: 'addReleasePlan' }] }],
    },
  ]);
});

it('many flags are switched at a time, by one change request', async () => {
  const path = '/features?q=many&bulk=on&flags=many-1,many-2,many-3';
  const { page } = await world.browser.open(world.service.url, path, { signedOn, timezoneId: 'Asia/Tokyo' });
  const dialog = page.getByRole('dialog');
  await saveAt(dialog, TIME);
  await dialog.getByText(/^3 flags will be changed /).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  for (const name of MANY)
    expect(await pendingOf(name)).toMatchObject([{ state: 'Scheduled', schedule: { scheduledAt: SENT } }]);
  expect(new Set((await Promise.all(MANY.map(pendingOf))).map(([request]) => request.id)).size).toBe(1);
  const params = { projectId: 'default', featureName: 'many-1', environment: 'development' };
  expect((await accepted(world.service, 'getFeatureEnvironment', { params })).body.enabled).toBe(false);
});

it('many flags are switched at a time flag by flag, if one of them is refused', async () => {
  const names = ['part-1', 'part-2', 'part-3'];
  await prepare(world.service, (draft) => {
    for (const name of names) draft.put('features', flag(name));
  });
  const path = `/features?q=part&bulk=on&flags=${names.join()}`;
  const guarded = await world.browser.open(world.service.url, '/profile', { signedOn });
  const { page } = guarded;
  guarded.allow(400, 404, 409);
  // The page does not hear that a flag is archived.
  await page.route('**/api/admin/changes*', () => undefined);
  await page.goto(world.service.url + path);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 flags will change.').waitFor();
  await accepted(world.service, 'archiveFeature', { params: { projectId: 'default', featureName: 'part-2' } });
  await saveAt(dialog, TIME);
  await dialog.getByText(/^2 flags will be changed /).waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'part-2' }).waitFor();
  for (const name of ['part-1', 'part-3']) expect(await pendingOf(name)).toMatchObject([{ state: 'Scheduled' }]);
});

it('a time that is typed stays while it is saved', async () => {
  const path = `/projects/default/features/${PLANNED}`;
  const { page } = await world.browser.open(world.service.url, path, { signedOn });
  const column = page.getByRole('region', { name: 'development', exact: true });
  await column.getByRole('button', { name: 'Add release plan' }).click();
  const dialog = page.getByRole('dialog');
  let send = () => {};
  const isDue = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route('**/change-requests?*', async (route) => {
    await isDue;
    await route.continue();
  });
  await saveAt(dialog, TIME);
  await dialog.getByRole('button', { name: 'Later…' }).and(page.locator('[aria-busy=true]')).waitFor();
  expect(await dialog.getByLabel('Time', { exact: true }).inputValue()).toBe(TIME);
  send();
  await dialog.waitFor({ state: 'detached' });
});
