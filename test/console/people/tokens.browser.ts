import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

const list = async () =>
  (await accepted(world.service, 'getAllApiTokens')).body.tokens as { tokenName: string; secret: string }[];

describe('journey 35: a token', () => {
  it('shows its secret once, which can be copied and works; after a reload it is gone', async () => {
    const guarded = await world.browser.open(world.service.url, '/admin/api?panel=create', { signedOn });
    const { page } = guarded;
    await page.getByLabel('Name').fill('checkout service');
    await expectAccessible(page, 'the form of a new token');
    await page.getByLabel('Environment').click();
    // Its type has the same name, and says nothing new.
    expect(await page.getByRole('option', { name: 'production' }).innerText()).toBe('production');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create token' }).last().click();
    const field = page.getByLabel('Token', { exact: true });
    await field.waitFor();
    const secret = await field.inputValue();
    expect((await list()).map(({ tokenName }) => tokenName)).toContain('checkout service');

    // The API of the clipboard is there in secure contexts only: this is the older way.
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.getByRole('button', { name: 'Copy token' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByText("appName: 'checkout service'").waitFor();
    await page.getByLabel('Language').click();
    await page.getByRole('option', { name: 'curl' }).click();
    const snippet = page.getByRole('region', { name: /curl/ });
    await snippet.waitFor();
    expect(await snippet.innerText()).toContain(secret);
    await expectAccessible(page, 'the secret of a token');

    const answer = await fetch(`${world.service.url}/api/client/features`, { headers: { authorization: secret } });
    expect(answer.status).toBe(200);
    await page.reload();
    await page.getByRole('gridcell', { name: 'checkout service', exact: true }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain(secret);
  });

  it('is announced on every screen and marked in the list before it expires, until it is renewed', async () => {
    const day = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * day).toISOString();
    const { services } = world.service.running;
    await prepare(world.service, (draft) =>
      draft.put('apiTokens', {
        secret: '*:development.in-use',
        tokenName: 'payments',
        type: 'client',
        environment: 'development',
        projects: ['*'],
        createdAt: at(-30),
        expiresAt: at(3.5),
        seenAt: at(-1),
        alias: null,
      }),
    );
    await services.tokenExpiry.search();
    const { page } = await world.browser.open(world.service.url, '/', { signedOn });
    const notice = page.getByText('The API token payments expires within 7 days.');
    await notice.waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page, 'the notice of a token that expires soon');
    await page.getByRole('region', { name: 'Status of the service' }).getByRole('link', { name: 'API tokens' }).click();
    const row = page.getByRole('row').filter({ hasText: 'payments' });
    await row.getByText('in 3 days').waitFor();
    await expectAccessible(page, 'a token that expires soon');
    const body = { expiresAt: at(90) };
    await accepted(world.service, 'updateApiToken', { params: { token: '*:development.in-use' }, body });
    await notice.waitFor({ state: 'detached' });
    await accepted(world.service, 'deleteApiToken', { params: { token: '*:development.in-use' } });
  });

  it('is announced to the owner of its project, who has no list of tokens to open', async () => {
    const day = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * day).toISOString();
    const OWNER = 300;
    const { service, browser } = world;
    await putUser(service, OWNER, { name: 'Olga' });
    await prepare(service, (draft) => {
      give(draft, 'default', 'user', OWNER, [ROLE_ID.owner]);
      for (const [tokenName, projects] of [
        ['checkout', ['default']],
        ['payroll', ['*']],
      ] as const)
        draft.put('apiTokens', {
          secret: `in-use:development.${tokenName}`,
          tokenName,
          type: 'client',
          environment: 'development',
          projects: [...projects],
          createdAt: at(-30),
          expiresAt: at(3.5),
          seenAt: at(-1),
          alias: null,
        });
    });
    await service.running.services.tokenExpiry.search();
    const { page } = await browser.open(service.url, '/', { signedOn: await browserOf(service, OWNER) });
    await page.getByText('The API token checkout expires within 7 days.').waitFor();
    const status = page.getByRole('region', { name: 'Status of the service' });
    expect(await status.getByRole('link', { name: 'API tokens' }).count()).toBe(0);
    await expectAccessible(page, 'the notice of a token of a project');
    for (const name of ['checkout', 'payroll'])
      await accepted(service, 'deleteApiToken', { params: { token: `in-use:development.${name}` } });
  });

  it('is refused after it was deleted', async () => {
    const { body } = await accepted(world.service, 'createApiToken', {
      body: { tokenName: 'old jobs', type: 'backend', environment: 'production', projects: ['*'] },
    });
    const { page } = await world.browser.open(world.service.url, '/admin/api?filter=old', { signedOn });
    await page.getByRole('button', { name: 'Actions for old jobs' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It was never used.').waitFor();
    await expectAccessible(page, 'the dialog that deletes a token');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Token old jobs deleted').first().waitFor();
    expect((await list()).map(({ tokenName }) => tokenName)).not.toContain('old jobs');
    const answer = await fetch(`${world.service.url}/api/client/features`, { headers: { authorization: body.secret } });
    expect(answer.status).toBe(401);
  });
});
