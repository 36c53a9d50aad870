import { beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';
import { prepareJobs } from './fixture.ts';
import { jobsOf } from './jobs.ts';
import { WAYS, type WayName, walk } from './ways.ts';

const SIZES = {
  pointer: { width: 1280, height: 900 },
  keyboard: { width: 1280, height: 900 },
  touch: { width: 390, height: 844, hasTouch: true, isMobile: true },
} as const;
const names = Object.keys(WAYS) as WayName[];
let last: unknown;
const NONE = { names: {} } as never;

describe.each(names)('by %s', (name) => {
  const world = useWorld();
  let jobs: ReturnType<typeof jobsOf>;
  let signedOn: Record<string, string>;
  beforeAll(async () => {
    jobs = jobsOf(await prepareJobs(world.service, name, 300 + names.indexOf(name)));
    signedOn = await browserOf(world.service, ADMIN.id);
  });

  it.each(jobsOf(NONE).map(({ title }, at) => [title, at] as const))('%s', async (_title, at) => {
    const job = jobs[at];
    const { page } = await world.browser.open(world.service.url, '/', { signedOn, ...SIZES[name] });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    page.setDefaultTimeout(4000);
    let count = 0;
    try {
      count = await walk(page, WAYS[name], job?.steps ?? [], async (step) => {
        last = step;
      });
      await job?.isDone({ service: world.service, page });
    } catch (error) {
      console.log(
        `SNAP ${name} ${at} ${JSON.stringify(last)}\n${page.url()}\n${await page.locator('body').ariaSnapshot()}\nPANS`,
      );
      throw error;
    }
    console.log(`COUNT ${name} ${count} (${job?.aim}) ${job?.title}`);
    expect(count).toBeGreaterThan(0);
  });
});
