import { beforeAll, describe, it } from 'vitest';
import { browserOf } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';
import { expectFitsPhone, PHONE } from './phone.ts';
import { prepareRows, prepareShared, ROWS } from './rows.ts';
import { WAYS, type WayName, walk } from './ways.ts';

const world = useWorld();
const NAMES = Object.keys(WAYS) as WayName[];
let signedOn: Record<string, string>;

const flagOf = (key: string, way: WayName) => `${key}-${way}`;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await prepareShared(world.service);
  await prepareRows(world.service, (key) => NAMES.map((way) => flagOf(key, way)), signedOn);
});

describe.each(NAMES)('by %s', (name) => {
  it.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, { key, at, steps }) => {
    const flag = flagOf(key, name);
    const isPhone = name === 'touch';
    const guarded = await world.browser.open(world.service.url, at(flag), { signedOn, ...(isPhone && PHONE) });
    // An address that does not exist, and a list that cannot be read.
    guarded.allow(404, 500);
    const { page } = guarded;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const check = async () => {
      if (isPhone) await expectFitsPhone(page);
    };
    await walk({ page, service: world.service }, WAYS[name], steps(flag), check);
    await check();
  });
});
