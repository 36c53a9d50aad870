import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = 'guarded';
const at = (environment: string) => ({ projectId: 'default', featureName: FLAG, environment });
const reviews = (changeRequestsEnabled: boolean) =>
  accepted(world.service, 'updateProjectChangeRequestConfig', {
    params: { projectId: 'default', environment: 'production' },
    body: { changeRequestsEnabled },
  });
const guardsIn = async (environment: string) =>
  (await accepted(world.service, 'getFeatureEnvironmentSafeguards', { params: at(environment) })).body.safeguards;
let admin: Record<string, string>;

beforeAll(async () => {
  admin = await browserOf(world.service, ADMIN.id);
  await prepare(world.service, (draft) => draft.put('features', flag(FLAG)));
});

afterAll(() => reviews(false));

const open = async (path: string) => (await world.browser.open(world.service.url, path, { signedOn: admin })).page;
const column = (page: Page, environment: string) => page.getByRole('region', { name: environment, exact: true });

it('by keyboard: a safeguard of a flag is added in its environment, changed, seen at work, and removed', async () => {
  const page = await open(`/projects/default/features/${FLAG}`);
  const keyboard = new Keyboard(page);
  await keyboard.activate(column(page, 'development').getByRole('button', { name: 'Actions for development' }));
  await page.getByRole('menuitem', { name: 'Add safeguard…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('the flag is switched off here').waitFor();
  expect(await dialog.getByLabel('What it does').count()).toBe(0);
  await keyboard.fill(dialog.getByLabel('Metric that SDKs report'), 'orders_failed');
  await keyboard.fill(dialog.getByLabel('Limit'), '20');
  await expectAccessible(page, 'the dialog of a safeguard of a flag');
  await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
  const guards = column(page, 'development').getByRole('region', { name: 'Safeguards of the flag' });
  await guards.getByText('orders_failed').waitFor();
  await guards.getByText('Switches the flag off').waitFor();
  await keyboard.activate(guards.getByRole('button', { name: 'Edit the safeguard of orders_failed' }));
  await keyboard.fill(dialog.getByLabel('Limit'), '30');
  await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
  await guards.getByText('30', { exact: true }).waitFor();
  expect(await guardsIn('development')).toMatchObject([
    { metricName: 'orders_failed', query: null, threshold: 30, action: 'disable' },
  ]);
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: at('development') });
  await world.service.running.services.safeguardWatch.check();
  await page.reload();
  await guards.getByText('There are not enough reports yet.').waitFor();
  await expectAccessible(page, 'a flag with a safeguard');
  await keyboard.activate(guards.getByRole('button', { name: 'Remove the safeguard of orders_failed' }));
  await keyboard.activate(dialog.getByRole('button', { name: 'Remove', exact: true }));
  // What is behind an open dialog is hidden: it is gone only if it is not there afterwards.
  await dialog.waitFor({ state: 'detached' });
  await guards.waitFor({ state: 'detached' });
  expect(await guardsIn('development')).toEqual([]);
});

it('a query without a Prometheus is refused in the dialog, and nothing of the form is lost', async () => {
  const opened = await world.browser.open(world.service.url, `/projects/default/features/${FLAG}`, { signedOn: admin });
  opened.allow(400);
  const { page } = opened;
  await column(page, 'development').getByRole('button', { name: 'Actions for development' }).click();
  await page.getByRole('menuitem', { name: 'Add safeguard…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is compared').click();
  await page.getByRole('option', { name: 'Query of Prometheus' }).click();
  await dialog.getByLabel('Query (PromQL)').fill('sum(rate(errors[5m]))');
  await dialog.getByLabel('Limit').fill('0.05');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('only if the option PROMETHEUS_URL names a Prometheus').waitFor();
  expect(await dialog.getByLabel('Query (PromQL)').inputValue()).toBe('sum(rate(errors[5m]))');
});

it('where changes need a review, a safeguard is requested, and the settings say whether it acts alone', async () => {
  await reviews(true);
  const settings = await open('/projects/default/settings/environments');
  const alone = settings.getByLabel('In production, safeguards switch flags off without a review');
  await alone.click();
  await settings.getByText('Safeguards in production switch flags off at once now').first().waitFor();
  await expectAccessible(settings, 'the reviews of a project');
  const config = (await accepted(world.service, 'getProjectChangeRequestConfig', { params: { projectId: 'default' } }))
    .body;
  expect(config).toContainEqual(expect.objectContaining({ environment: 'production', safeguardsSkipReview: true }));
  await accepted(world.service, 'changeFeatureEnvironmentSafeguard', {
    params: at('production'),
    body: { metricName: 'slow', aggregation: 'p95', operator: '>', threshold: 2, windowMinutes: 5 },
  });
  const page = await open(`/projects/default/features/${FLAG}`);
  const guards = column(page, 'production').getByRole('region', { name: 'Safeguards of the flag' });
  await guards.getByText('95th percentile').waitFor();
});
