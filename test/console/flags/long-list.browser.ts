import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAGS = 100_000;
const A_COMMIT = 20_000;
/** A busy machine draws fewer frames a second, not fewer frames until the rows are there. At 60 a second, so many last 100 ms. */
const BLANK_FRAMES_MAX = 6;

/** Names with the same three letters, of which one begins with them. */
const SIMILAR = ['lucky-cart', 'sky-colour', 'kyc-review', 'black-year-calendar', 'backyc'];

const nameOf = (index: number) => SIMILAR[index] ?? `flag-${String(index).padStart(6, '0')}`;

beforeAll(async () => {
  for (let from = 0; from < FLAGS; from += A_COMMIT)
    await prepare(world.service, (draft) => {
      for (let index = from; index < from + A_COMMIT; index++) draft.put('features', flag(nameOf(index)));
    });
});

interface Scrolled {
  readonly frames: number;
  readonly blankFrames: number;
  /** The longest series of frames with a row that was in view and not in the document. */
  readonly longestBlank: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * Scrolls by so many pixels in each frame from one end to the other. In each frame before that, checks that every row in view is in the document.
 * The number of frames does not depend on how fast the machine is.
 */
const scroll = (page: Page, from: number, to: number, step: number) =>
  page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const row = parseFloat(getComputedStyle(grid).getPropertyValue('--row')) || 36;
    const head = grid.querySelector('[role=row]').offsetHeight;
    const count = Number(grid.ariaRowCount) - 1;
    const end = Math.min(${to} * row, grid.scrollHeight - grid.clientHeight);
    const seen = { frames: 0, blankFrames: 0, longestBlank: 0, firstRow: count, lastRow: -1 };
    let blank = 0;
    grid.scrollTop = ${from} * row;
    const frame = () => {
      const there = new Set([...grid.querySelectorAll('[role=rowgroup] > [role=row]')].map((each) => Number(each.ariaRowIndex) - 2));
      const first = Math.floor(grid.scrollTop / row);
      const last = Math.min(count - 1, Math.floor((grid.scrollTop + grid.clientHeight - head - 1) / row));
      let isBlank = false;
      for (let index = first; index <= last; index++) isBlank ||= !there.has(index);
      blank = isBlank ? blank + 1 : 0;
      seen.frames++;
      if (isBlank) seen.blankFrames++;
      seen.longestBlank = Math.max(seen.longestBlank, blank);
      if (!isBlank) {
        seen.firstRow = Math.min(seen.firstRow, first);
        seen.lastRow = Math.max(seen.lastRow, last);
      }
      if (grid.scrollTop >= end - 1 && !isBlank) return resolve(seen);
      grid.scrollTop = Math.min(end, grid.scrollTop + ${step});
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(() => requestAnimationFrame(frame));
  })`) as Promise<Scrolled>;

describe('journey 8: 100,000 rows', () => {
  it('are scrolled end to end without a row that stays blank for more than six frames', async () => {
    const signedOn = await browserOf(world.service, ADMIN.id);
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    await page
      .getByText(`${FLAGS.toLocaleString('en-GB')} flags`, { exact: true })
      .first()
      .waitFor({ timeout: 120_000 });
    const { body } = await accepted(world.service, 'searchFeatures', { query: 'limit=1' });
    expect(body.total).toBe(FLAGS);

    // As fast as the bar of the scroller is dragged: several screens in each frame.
    const dragged = await scroll(page, 0, FLAGS, 18_000);
    expect([dragged.firstRow, dragged.lastRow]).toEqual([0, FLAGS - 1]);
    expect(dragged.frames).toBeGreaterThan(150);
    expect(dragged.longestBlank).toBeLessThanOrEqual(BLANK_FRAMES_MAX);
    await page.getByRole('link', { name: nameOf(FLAGS - 1), exact: true }).waitFor();

    // As fast as a wheel turns.
    for (const from of [0, FLAGS / 2, FLAGS - 2_000]) {
      const turned = await scroll(page, from, from + 1_000, 300);
      expect(turned.frames).toBeGreaterThan(100);
      expect(turned.longestBlank).toBeLessThanOrEqual(BLANK_FRAMES_MAX);
      expect(turned.blankFrames / turned.frames).toBeLessThan(0.05);
    }
  });
});

describe('journey 7K: three letters among 100,000 flags, by keyboard alone', () => {
  it('open the flag in at most six keys, also if Enter is pressed before the list is shown', async () => {
    const signedOn = await browserOf(world.service, ADMIN.id);
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    await page
      .getByText(`${FLAGS.toLocaleString('en-GB')} flags`, { exact: true })
      .first()
      .waitFor({ timeout: 120_000 });
    const keyboard = new Keyboard(page);
    const field = page.getByRole('combobox', { name: 'Flag, screen or action' });
    const active = page.locator('[role=option][aria-selected=true]');
    for (const isWaiting of [true, false]) {
      const keys = ['ControlOrMeta+k', 'k', 'y', 'c'];
      await keyboard.press('ControlOrMeta+k');
      await field.waitFor();
      await keyboard.press('k', 'y', 'c');
      if (isWaiting) {
        await page.getByRole('option', { name: /^kyc-review/ }).waitFor();
        for (let moves = 0; moves < SIMILAR.length; moves++) {
          if ((await active.innerText()).startsWith('kyc-review')) break;
          await keyboard.press('ArrowDown');
          keys.push('ArrowDown');
        }
        await expectAccessible(page, 'the palette');
      }
      await keyboard.press('Enter');
      keys.push('Enter');
      await page.waitForURL('**/projects/default/features/kyc-review');
      await page.getByRole('region', { name: 'development' }).waitFor();
      expect(keys.length, keys.join(' ')).toBeLessThanOrEqual(6);
      await page.goBack();
      await field.waitFor({ state: 'detached' });
    }
    const { body } = await accepted(world.service, 'searchFeatures', { query: 'query=kyc-review&limit=10' });
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['kyc-review']);
  });
});
