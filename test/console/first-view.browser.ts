import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../support/admin.ts';
import { browserOf } from '../support/people.ts';
import { ADMIN, useWorld } from './support/world.ts';

const world = useWorld();
/** Three pages of the search. */
const FLAGS = 2_500;
const MESSAGE = 'The office is closed tomorrow';

beforeAll(async () => {
  await prepare(world.service, (draft) => {
    for (let index = 0; index < FLAGS; index++) draft.put('features', flag(`flag-${index}`));
  });
  await accepted(world.service, 'createBanner', { body: { message: MESSAGE, enabled: true } });
});

describe('the first view of the list of flags', () => {
  it('asks only for what it shows, and the rest follows', async () => {
    const signedOn = await browserOf(world.service, ADMIN.id);
    const { page } = await world.browser.open(world.service.url, '/docs', { signedOn });
    const requested: string[] = [];
    let ofFirstView: readonly string[] | undefined;
    const kindOf = (url: string) => new URL(url).pathname.replace(/^\/assets\/(\w+)-.*(\.\w+)$/, '/assets/$1$2');
    page.on('request', (request) => requested.push(kindOf(request.url())));
    page.on('requestfinished', (request) => {
      if (kindOf(request.url()) === '/api/admin/search/features') ofFirstView ??= [...requested];
    });
    await page.goto(`${world.service.url}/features`);

    await page.getByText('2,500 flags', { exact: true }).waitFor();
    await page.getByText(MESSAGE).waitFor();
    expect([...(ofFirstView ?? [])].sort()).toEqual([
      '/api/admin/changes',
      '/api/admin/environments',
      '/api/admin/search/features',
      '/api/admin/user',
      '/assets/index.js',
      '/assets/style.css',
      '/features',
    ]);
    expect(requested.filter((path) => path === '/api/admin/search/features')).toHaveLength(3);
    expect(requested).not.toContain('/api/admin/projects');
    // The projects are asked for by what needs them.
    await page.getByRole('button', { name: 'Project', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Default' }).waitFor();
    expect(requested).toContain('/api/admin/projects');
  });
});
