import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';
import { prepareJobs } from './fixture.ts';
import { JOBS } from './jobs.ts';
import { expectFitsPhone, PHONE } from './phone.ts';
import { withJobsTable } from './table.ts';
import { WAYS, type WayName, walk } from './ways.ts';

const PAGE = fileURLToPath(new URL('../../../docs/start/console.md', import.meta.url));
/** `npm run steps` sets it. */
const isWriting = process.env.STEPS === 'write';

const NAMES: readonly WayName[] = ['pointer', 'keyboard', 'touch'];
const counted: Record<WayName, number[]> = { pointer: [], keyboard: [], touch: [] };

describe.each([
  ['pointer', {}],
  ['keyboard', {}],
  ['touch', PHONE],
  ['touch', { ...PHONE, width: 360, height: 740 }],
] as const)('by %s, in a window of %o', (name, size) => {
  const world = useWorld();
  let signedOn: Record<string, string>;
  beforeAll(async () => {
    await prepareJobs(world.service);
    signedOn = await browserOf(world.service, ADMIN.id);
  });

  it.each(JOBS.map((job, at) => [job.title, job, at] as const))('%s', async (_title, job, at) => {
    const { page } = await world.browser.open(world.service.url, '/', { signedOn, ...size });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const check = async () => {
      if ('isMobile' in size) await expectFitsPhone(page);
    };
    counted[name][at] = await walk({ page, service: world.service }, WAYS[name], job.steps, check);
    await job.expectDone(world.service, page);
    await check();
  });
});

it('takes as many steps as the documentation says', () => {
  const page = readFileSync(PAGE, 'utf8');
  for (const name of NAMES) expect(counted[name], `all jobs by ${name}`).toHaveLength(JOBS.length);
  const written = withJobsTable(page, JOBS, counted);
  if (isWriting) writeFileSync(PAGE, written);
  else expect(page, 'run npm run steps').toBe(written);
});

it('takes no more steps by pointer and by keyboard than the best of the compared products', () => {
  for (const [at, { title, aim }] of JOBS.entries())
    for (const name of ['pointer', 'keyboard'] as const)
      expect(counted[name][at], `${title}, by ${name}`).toBeLessThanOrEqual(aim);
});
