import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { readConfig } from '../../../src/config.ts';
import { ConsoleFiles } from '../../../src/features/console/console-files.ts';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { type Demo, startDemo } from '../../../src/products/demo/demo.ts';
import { CHEAP } from '../../support/password-cost.ts';
import { TestBrowser } from '../support/browser.ts';
import { differingPart, HEIGHT, PICTURES, pixelsOf, WIDTH } from '../support/pictures.ts';
import { paletteImage } from '../support/png.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../../../dist/console/', import.meta.url));
/** The time in the pictures. */
const NOW_MS = Date.parse('2026-11-26T14:30:00.000Z');
const BYTES_MAX = 120_000;
/** Fonts and the rasteriser differ between machines; what is missing, moved or in other colours changes more cells. */
const DIFFERING_MAX = 0.03;
/** `npm run pictures` sets it. */
const isWriting = process.env.PICTURES === 'write';

let demo: Demo;
let browser: TestBrowser;
let signedOn: Record<string, string>;

beforeAll(async () => {
  const parts = {
    passwords: new Passwords({ cost: CHEAP }),
    consoleFiles: new ConsoleFiles(() => CONSOLE, readConfig({}), silentLogger),
  };
  demo = await startDemo({ host: '127.0.0.1', port: 0, logger: silentLogger, endMs: NOW_MS, parts, random: () => 0.5 });
  const { username, password } = demo;
  const answer = await fetch(`${demo.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  signedOn = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  browser = await TestBrowser.start();
});

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

async function take(name: string, colorScheme: 'light' | 'dark'): Promise<{ page: Page; image: Buffer }> {
  const picture = PICTURES.find((each) => each.name === name);
  if (!picture) throw new Error(`there is no picture ${name}`);
  const options = { colorScheme, width: WIDTH, height: HEIGHT, signedOn };
  const { page } = await browser.open(demo.url, '/health', options);
  await page.clock.setFixedTime(NOW_MS);
  await page.goto(demo.url + picture.path);
  await picture.show(page);
  await page.waitForLoadState('networkidle').catch(() => {});
  const image = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  return { page, image: paletteImage(await pixelsOf(page, image)) };
}

describe('the pictures of the documentation', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const { name } of PICTURES)
      it(`${name}, ${colorScheme}, is what the console shows`, async () => {
        const file = `${FOLDER}${name}-${colorScheme}.png`;
        const { page, image } = await take(name, colorScheme);
        if (isWriting) {
          mkdirSync(FOLDER, { recursive: true });
          writeFileSync(file, image);
        }
        expect(existsSync(file), `${file}: run npm run pictures`).toBe(true);
        const stored = readFileSync(file);
        expect(stored.length).toBeLessThanOrEqual(BYTES_MAX);
        expect(await differingPart(page, stored, image)).toBeLessThanOrEqual(DIFFERING_MAX);
        await browser.closePages();
      });
});
