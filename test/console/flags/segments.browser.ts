import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, CONFLICT, refused } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

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
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'uses-segment' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'the dialog of a segment in use');
    await refused(world.service, 'removeSegment', CONFLICT, { params: { id: used } });
    expect((await segment(used)).name).toBe('nordics');
  });
});

describe('the list of segments after a change of a flag', () => {
  it('is read again where it shows the counts of use, and not where only names are shown', async () => {
    const { page: list } = await world.browser.open(world.service.url, '/segments', { signedOn });
    const { page: flag } = await world.browser.open(
      world.service.url,
      '/projects/default/features/uses-segment?panel=edit&environment=development',
      { signedOn },
    );
    const row = list.getByRole('row').filter({ hasText: 'nordics' });
    await row.getByText('1', { exact: true }).waitFor();
    await flag.getByRole('heading', { level: 1 }).waitFor();
    const requests: string[] = [];
    flag.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const params = { ...STRATEGY, featureName: 'uses-segment-too' };
    await accepted(world.service, 'createFeature', { params, body: { name: params.featureName } });
    await accepted(world.service, 'addFeatureStrategy', { params, body: { name: 'default', segments: [used] } });
    await row.getByText('2', { exact: true }).waitFor();
    await accepted(world.service, 'updateFeature', { params: STRATEGY, body: { description: 'Seen by the page' } });
    await flag.getByText('Seen by the page').first().waitFor();
    expect(requests.some((path) => path.startsWith('/api/admin/projects/default/features/'))).toBe(true);
    expect(requests).not.toContain('/api/admin/segments');
  });
});

/** Adds a constraint on `userId`. */
async function addConstraint(within: Locator): Promise<void> {
  const page = within.page();
  await within.getByRole('button', { name: 'Add constraint' }).click();
  await page.keyboard.type('userId');
  await page.getByRole('option', { name: 'userId', exact: true }).waitFor();
  await page.keyboard.press('Enter');
}

describe('journey 14: 200 pasted values', () => {
  it('become 200 clean ones in a new segment', async () => {
    const guarded = await world.browser.open(world.service.url, '/segments/create', { signedOn });
    const { page } = guarded;
    const panel = page.getByRole('complementary').filter({ hasText: 'New segment' });
    await panel.getByLabel('Name').fill('beta');
    await addConstraint(panel);
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

  it('and the one above the limit is refused, with the name of the limit: those of a strategy', async () => {
    const guarded = await world.browser.open(world.service.url, '/projects/default/features/uses-segment', {
      signedOn,
    });
    guarded.allow(400);
    const { page } = guarded;
    const card = page.getByRole('region', { name: 'development' });
    await card.getByRole('button', { name: 'Add strategy' }).click();
    const editor = page.getByRole('complementary', { name: /New strategy/ });
    await addConstraint(editor);
    const before = (await accepted(world.service, 'getFeatureEnvironment', { params: STRATEGY })).body;
    const values = Array.from({ length: 250 }, (_, index) => `user-${index}`);
    const field = editor.getByRole('textbox', { name: 'Values', exact: true });
    const named = editor.getByText('A constraint may have at most 250 values (resourceLimits.constraintValues).');
    await field.focus();
    await page.evaluate(paste(values.join('\n')));
    await editor.getByText('250 of at most 250 values').waitFor();
    expect(await named.count()).toBe(0);
    await field.fill('one-more');
    await field.press('Enter');
    await named.waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page, 'a constraint above its limit');

    await editor.getByRole('button', { name: 'Done' }).click();
    await card.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('UNLEASH_CONSTRAINT_VALUES_LIMIT').first().waitFor();
    expect((await accepted(world.service, 'getFeatureEnvironment', { params: STRATEGY })).body).toEqual(before);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await card.getByRole('button', { name: 'Edit' }).last().click();
    await editor.getByRole('button', { name: 'Show all 251' }).click();
    await editor.getByRole('button', { name: /user-7$/ }).click();
    await named.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { strategies } = (await accepted(world.service, 'getFeatureEnvironment', { params: STRATEGY })).body;
    expect(strategies.at(-1).constraints[0].values).toEqual([...values.toSpliced(7, 1), 'one-more']);
  });

  it('and those of a segment, which are counted together', async () => {
    const guarded = await world.browser.open(world.service.url, '/segments/create', { signedOn });
    guarded.allow(400);
    const { page } = guarded;
    const panel = page.getByRole('complementary').filter({ hasText: 'New segment' });
    await panel.getByLabel('Name').fill('large');
    const named = panel.getByText(
      'The constraints of a segment may have at most 1,000 values together (resourceLimits.segmentValues).',
    );
    for (const [at, count] of [600, 401].entries()) {
      expect(await named.count()).toBe(0);
      await addConstraint(panel);
      await panel.getByRole('textbox', { name: 'Values', exact: true }).nth(at).focus();
      await page.evaluate(paste(Array.from({ length: count }, (_, index) => `user-${at}-${index}`).join(',')));
      await panel.getByText(`Show all ${count}`).waitFor();
    }
    await named.first().waitFor();
    const names = async () =>
      (await accepted(world.service, 'getSegments')).body.segments.map(({ name }: { name: string }) => name);
    const create = panel.getByRole('button', { name: 'Create segment' });
    await create.click();
    await panel.getByText('UNLEASH_SEGMENT_VALUES_LIMIT').first().waitFor();
    expect(await names()).not.toContain('large');
    await panel
      .getByRole('button', { name: /user-1-400$/ })
      .or(panel.getByRole('button', { name: /user-1-0$/ }))
      .first()
      .click();
    await named.first().waitFor({ state: 'detached' });
    await create.click();
    await page.getByText('Segment large created').first().waitFor();
    expect(await names()).toContain('large');
  });
});
