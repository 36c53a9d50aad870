import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 200;
let signedOn: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'seen-by-all' } });
  await accepted(service, 'createProject', { body: { id: 'hidden-project', name: 'Hidden project' } });
  await accepted(service, 'createFeature', { params: { projectId: 'hidden-project' }, body: { name: 'hidden-flag' } });
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'hidden-project');
    if (project) draft.put('projects', { ...project, mode: 'private' });
  });
  await putUser(service, VIEWER, { name: 'Vic' });
  signedOn = await browserOf(service, VIEWER);
});

describe('journey 33: a viewer', () => {
  it('gets the missing permission named at a disabled switch, and cannot use it', async () => {
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    for (const environment of ['development', 'production']) {
      const target = page.getByRole('switch', { name: `seen-by-all in ${environment}` });
      await target.waitFor();
      expect(await target.getAttribute('aria-disabled')).toBe('true');
      await target.focus();
      await page.getByText(`Needs UPDATE_FEATURE_ENVIRONMENT in default (${environment})`).first().waitFor();
      await page.keyboard.press('Space');
      await page.keyboard.press('Escape');
      const params = { projectId: 'default', featureName: 'seen-by-all', environment };
      expect((await world.service.call('getFeatureEnvironment', { params })).body.enabled).toBe(false);
    }
    await expectAccessible(page, 'the list as a viewer sees it');
  });

  it('also when creating a flag', async () => {
    const { page } = await world.browser.open(world.service.url, '/', { signedOn });
    const ofHome = page.getByRole('button', { name: 'Create flag', description: 'Needs CREATE_FEATURE' });
    await ofHome.waitFor();
    expect(await ofHome.getAttribute('aria-disabled')).toBe('true');
    await page.goto(`${world.service.url}/features?panel=create`);
    await page.getByLabel('Name').fill('not-mine');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await new Keyboard(page).tabTo(create);
    await page
      .getByText(/Needs CREATE_FEATURE/)
      .first()
      .waitFor();
  });
});

describe('journey 34: a private project', () => {
  it('is in no list, no search and no filter', async () => {
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    await page.getByRole('link', { name: 'seen-by-all' }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter flags' }).fill('hidden');
    await page.getByText('No flag matches these filters.').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('hidden-flag');
  });

  it('is not in the palette, by the name of a flag or of the project', async () => {
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    await page.getByRole('link', { name: 'seen-by-all' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByRole('combobox', { name: 'Flag, screen or action' });
    // What the person may see is found in the same way.
    for (const [text, found] of [
      ['seen', /^seen-by-all/],
      ['the flag seen by all people', /^seen-by-all/],
      ['default', /^Default/i],
    ] as const) {
      await field.fill(text);
      await dialog.getByRole('option', { name: found }).first().waitFor();
    }
    for (const text of ['hidden', 'hidden-flag', 'Hidden project']) {
      await field.fill(text);
      await dialog.getByText('Nothing matches.').waitFor();
      expect(await dialog.getByRole('option').count()).toBe(0);
    }
    await expectAccessible(page, 'the palette without a match');
  });

  it('and its flags are as if they did not exist at their addresses', async () => {
    for (const path of ['/projects/hidden-project/features/hidden-flag', '/projects/no-project/features/no-flag']) {
      const guarded = await world.browser.open(world.service.url, path, { signedOn });
      guarded.allow(403, 404);
      const { page } = guarded;
      await page.getByText('There is nothing at this address.').waitFor();
      expect(await page.getByRole('main').innerText()).not.toContain('hidden-flag');
    }
  });

  it('is not in the answers that the page reads', async () => {
    const { page, context } = await world.browser.open(world.service.url, '/login', { signedOn });
    const bodies: Promise<string>[] = [];
    context.on('response', (response) => {
      const isRead =
        /\/api\/admin\//.test(response.url()) && !/event-stream/.test(response.headers()['content-type'] ?? '');
      if (isRead) bodies.push(response.text().catch(() => ''));
    });
    await page.goto(`${world.service.url}/features`);
    await page.getByRole('link', { name: 'seen-by-all' }).waitFor();
    const read = await Promise.all(bodies);
    expect(read.join('').length).toBeGreaterThan(500);
    expect(read.join('')).not.toMatch(/hidden-(flag|project)/);
  });
});
