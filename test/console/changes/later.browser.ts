import { beforeAll, expect, it } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = 'later';
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await prepare(world.service, (draft) =>
    draft.put('features', flag(FLAG, { environments: [switchedOn('production')] })),
  );
});

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
  const tomorrow = page.getByRole('menuitem', { name: /^Tomorrow, 0?9:00/ });
  await tomorrow.waitFor();
  await keys.type('Tom');
  await keys.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByText(/^It is saved .* by change request \d+/)
    .first()
    .waitFor();
  const params = { projectId: 'default', featureName: FLAG };
  const pending = async () => (await accepted(world.service, 'getPendingChangeRequestsForFeature', { params })).body;
  const [request] = await pending();
  expect(request).toMatchObject({ state: 'Scheduled', minApprovals: 0 });
  // 9:00 in Tokyo is midnight in Greenwich.
  expect(request.schedule.scheduledAt).toMatch(/T00:00:00.000Z$/);
  await keys.activate(column.getByRole('link', { name: /^Saved .* by change request \d+$/ }));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel request' }).click();
  await dialog.getByRole('button', { name: 'Cancel request' }).click();
  await expect.poll(async () => (await pending()).length).toBe(0);
});
