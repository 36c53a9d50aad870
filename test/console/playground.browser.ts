import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../support/admin.ts';
import { browserOf } from '../support/people.ts';
import { expectAccessible } from './support/axe.ts';
import { ADMIN, useWorld } from './support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;
const USERS = Array.from({ length: 20 }, (_, index) => String(index + 1));
const ENVIRONMENTS = ['development', 'production', 'staging'];

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await accepted(service, 'createEnvironment', { body: { name: 'staging', type: 'test' } });
  await accepted(service, 'addEnvironmentToProject', {
    params: { projectId: 'default' },
    body: { environment: 'staging' },
  });
  for (const name of ['half', 'off-everywhere']) {
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  }
  for (const environment of ['development', 'staging']) {
    const params = { projectId: 'default', featureName: 'half', environment };
    const rollout = environment === 'staging' ? '50' : '100';
    await accepted(service, 'addFeatureStrategy', {
      params,
      body: { name: 'flexibleRollout', parameters: { rollout, stickiness: 'userId', groupId: 'half' } },
    });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  }
});

const input = new URLSearchParams({
  environments: ENVIRONMENTS.join(','),
  context: `userId=${encodeURIComponent(USERS.join(','))}`,
});

describe('journey 31: the playground', () => {
  it('shows what the API answers for 3 environments and 20 contexts, with reasons', async () => {
    const { page } = await world.browser.open(world.service.url, `/playground?${input}`, { signedOn });
    const { body } = await accepted(world.service, 'getAdvancedPlayground', {
      body: { environments: ENVIRONMENTS, context: { appName: 'playground', userId: USERS.join(',') } },
    });
    await page.getByText(`${body.features.length} flags, ${body.features.length * 60} results`).waitFor();
    for (const flag of body.features) {
      const cells = page
        .getByRole('row')
        .filter({ has: page.getByText(flag.name, { exact: true }) })
        .getByRole('gridcell');
      for (const [index, environment] of ENVIRONMENTS.entries()) {
        const on = flag.environments[environment].filter(({ isEnabled }: { isEnabled: boolean }) => isEnabled).length;
        const text = on === 0 ? 'Off' : on === USERS.length ? 'On' : `${on} of ${USERS.length} on`;
        expect(await cells.nth(index + 1).innerText()).toBe(text);
      }
    }
    await expectAccessible(page, 'results of the playground');
    await page.getByRole('row').filter({ hasText: 'half' }).click();
    const panel = page.getByRole('complementary').last();
    await panel.getByText('userId = 1', { exact: true }).last().click();
    await panel
      .locator('details[open]')
      .getByText(/This strategy is (not )?met:/)
      .first()
      .waitFor();
    await expectAccessible(page, 'reasons in the playground');
    expect(new URL(page.url()).searchParams.get('flag')).toBe('half');
  });

  it('an error clears old results', async () => {
    const guarded = await world.browser.open(world.service.url, `/playground?${input}`, { signedOn });
    guarded.allow(400);
    const { page } = guarded;
    await page.getByRole('grid', { name: 'Playground' }).waitFor();
    await page.getByRole('button', { name: 'Add field' }).click();
    const field = page.getByRole('combobox', { name: 'Field' }).last();
    await field.fill('currentTime');
    await page.getByRole('option', { name: 'currentTime' }).click();
    await page.getByLabel('Values of currentTime').fill('no time');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText('currentTime is not a date').waitFor();
    expect(await page.getByRole('grid', { name: 'Playground' }).count()).toBe(0);
  });
});
