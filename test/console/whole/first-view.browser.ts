import { readdirSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const ASSETS = new URL('../../../dist/console/assets/', import.meta.url);

const world = useWorld();
/** So many that their rows are made in several tasks. */
const FLAGS = 20_000;
const MESSAGE = 'The office is closed tomorrow';

beforeAll(async () => {
  await prepare(world.service, (draft) => {
    for (let index = 0; index < FLAGS; index++) draft.put('features', flag(`flag-${index}`));
  });
  await accepted(world.service, 'createBanner', { body: { message: MESSAGE, enabled: true } });
});

/** Keeps the frame with the first switch, by the time at which it began. */
const NOTES_FIRST_FLAG = `new MutationObserver((_, observer) => {
  if (!document.querySelector('[role="switch"]')) return;
  observer.disconnect();
  requestAnimationFrame((frame) => Object.assign(window, { firstFlag: frame }));
}).observe(document, { childList: true, subtree: true })`;

/** What the page asked for before it showed the first flags, from the browser's own times. The stream of changes has no end, so it is not among them. */
const askedBeforeFlags = (page: Page) =>
  page.evaluate(`(() => {
    const asked = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < window.firstFlag);
    return asked.map(({ name }) => new URL(name).pathname);
  })()`) as Promise<string[]>;

/** The compressed sizes of what every page loads first, by the end of the file's name. */
function firstSizes(): Record<string, number> {
  const names = readdirSync(ASSETS).filter((name) => /^(index|style)-[^.]*\.\w+\.gz$/.test(name));
  return Object.fromEntries(names.map((name) => [name.split('.')[1], statSync(new URL(name, ASSETS)).size]));
}

describe('the first view of the list of flags', () => {
  it('is within its budget: 150 kB of compressed script, 15 kB of styles', () => {
    const { js = Number.NaN, css = Number.NaN, ...others } = firstSizes();
    expect(others).toEqual({});
    expect(js).toBeLessThanOrEqual(150_000);
    expect(css).toBeLessThanOrEqual(15_000);
  });

  it('asks only for what it shows, and the rest follows', async () => {
    const signedOn = await browserOf(world.service, ADMIN.id);
    const { page } = await world.browser.open(world.service.url, '/health', { signedOn });
    await page.addInitScript(NOTES_FIRST_FLAG);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    // A slow device takes many tasks for the rows, and is idle between them.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.goto(`${world.service.url}/features`);
    await page.getByText('20,000 flags', { exact: true }).waitFor();
    await page.getByText(MESSAGE).waitFor();
    const first = (await askedBeforeFlags(page)).map((path) => path.replace(/-[^/]*(\.\w+)$/, '$1'));
    expect(first.sort()).toEqual([
      '/api/admin/environments',
      '/api/admin/flag-index',
      '/api/admin/user',
      '/assets/index.js',
      '/assets/style.css',
    ]);
    // The projects are asked for by what needs them.
    await page.getByRole('search').getByRole('button', { name: 'Project' }).click();
    await page.getByRole('checkbox', { name: 'Default' }).waitFor();
    expect(requested).toContain('/api/admin/projects');
  });
});
