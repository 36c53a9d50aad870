import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../support/admin.ts';
import { browserOf } from '../support/people.ts';
import { expectAccessible } from './support/axe.ts';
import { ADMIN, useWorld } from './support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;
let used: number;

const STRATEGY = { projectId: 'default', featureName: 'uses-segment', environment: 'development' };

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'uses-segment' } });
  const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
  const { body } = await accepted(service, 'createSegment', { body: { name: 'nordics', constraints } });
  used = body.id;
  await accepted(service, 'addFeatureStrategy', { params: STRATEGY, body: { name: 'default', segments: [used] } });
});

const segment = async (id: number) => (await accepted(world.service, 'getSegment', { params: { id } })).body;

/** Pastes into the field with the focus, as the clipboard does. */
const paste = (text: string) => `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text', ${JSON.stringify(text)});
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
})()`;

describe('journey 30: editing a segment', () => {
  it('lists the strategies that it changes, and saves', async () => {
    const guarded = await world.browser.open(world.service.url, `/segments/edit/${used}`, { signedOn });
    const { page } = guarded;
    const panel = page.getByRole('complementary').filter({ hasText: 'nordics' });
    await panel.getByText('Used by').waitFor();
    await panel.getByLabel('Description').fill('Customers in the north');
    await panel.getByText('Saving changes 1 strategy').waitFor();
    expect(await panel.getByRole('link', { name: 'uses-segment' }).getAttribute('href')).toContain(
      '/projects/default/features/uses-segment',
    );
    await expectAccessible(page, 'the panel of a segment');
    await panel.getByLabel('Why?').fill('A better description');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Segment nordics saved').first().waitFor();
    expect((await segment(used)).description).toBe('Customers in the north');
    const { body } = await accepted(world.service, 'getEvents', { query: 'limit=1' });
    expect(body.events[0]).toMatchObject({ type: 'segment-updated', reason: 'A better description' });
  });

  it('does not overwrite what another person saved in between', async () => {
    const guarded = await world.browser.open(world.service.url, `/segments/edit/${used}`, { signedOn });
    guarded.allow(412);
    const { page } = guarded;
    const panel = page.getByRole('complementary').filter({ hasText: 'nordics' });
    await panel.getByLabel('Description').fill('Mine');
    const { name, constraints } = await segment(used);
    await accepted(world.service, 'updateSegment', {
      params: { id: used },
      body: { name, constraints, description: 'Theirs' },
    });
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('Another person saved this in the meantime.').waitFor();
    expect((await segment(used)).description).toBe('Theirs');
  });

  it('in use, it cannot be deleted, and the dialog has links to what uses it', async () => {
    const { page } = await world.browser.open(world.service.url, '/segments', { signedOn });
    await page.getByRole('button', { name: 'Actions for nordics' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'uses-segment' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'the dialog of a segment in use');
    expect((await segment(used)).name).toBe('nordics');
  });
});

describe('journey 14: 200 pasted values', () => {
  it('become 200 clean ones in a new segment', async () => {
    const guarded = await world.browser.open(world.service.url, '/segments/create', { signedOn });
    const { page } = guarded;
    const panel = page.getByRole('complementary').filter({ hasText: 'New segment' });
    await panel.getByLabel('Name').fill('beta');
    await panel.getByRole('button', { name: 'Add constraint' }).click();
    const values = Array.from({ length: 200 }, (_, index) => `user-${index}`);
    const pasted =
      values.map((value, index) => `  ${value}${[',', '\r\n', '\n', ';', ' ,'][index % 5]}`).join('') +
      values.slice(0, 20).join('\n');
    await panel.getByLabel('Values', { exact: true }).focus();
    await page.evaluate(paste(pasted));
    await panel.getByText('200').first().waitFor();
    await panel.getByRole('button', { name: 'Create segment' }).click();
    await page.getByText('Segment beta created').first().waitFor();
    const { body } = await accepted(world.service, 'getSegments');
    const beta = body.segments.find(({ name }: { name: string }) => name === 'beta');
    expect(beta.constraints[0].values).toEqual(values);
  });
});
