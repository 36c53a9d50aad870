import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const SOURCE = fileURLToPath(new URL('../../../console/src/', import.meta.url));
const THEMES = ['light', 'dark'] as const;

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly hasTouch?: boolean;
}

async function openKit(look: Look = {}): Promise<Page> {
  const { page } = await world.browser.open(world.service.url, '/kit', { signedOn, ...look });
  await page.getByRole('heading', { name: 'Texts' }).waitFor();
  // The parts that come after the first view are there.
  await page.locator('[aria-label="Show the options"]').waitFor();
  return page;
}

const focusedRow = (page: Page) => page.locator(':focus').getAttribute('data-row');
const selectedRows = (page: Page) =>
  page.getByRole('grid', { name: 'Flags', exact: true }).locator('[role="row"][aria-selected="true"]').count();
const isFocused = (locator: Locator) => locator.evaluate((element) => element.matches(':focus'));

/** What opens each overlay of the page, and the role of what is opened. */
const OVERLAYS = [
  { name: 'Open a dialog', opener: 'button', opens: 'dialog', isPopup: false },
  { name: 'Review a change', opener: 'button', opens: 'dialog', isPopup: false },
  { name: 'Open the inspector', opener: 'button', opens: 'complementary', isPopup: false },
  { name: 'Columns', opener: 'button', opens: 'menu', isPopup: true },
  { name: 'Filter', opener: 'button', opens: 'dialog', isPopup: true },
  { name: 'Type', opener: 'combobox', opens: 'listbox', isPopup: true },
  { name: 'Country', opener: 'combobox', opens: 'listbox', isPopup: true },
  { name: 'Values', opener: 'combobox', opens: 'listbox', isPopup: true },
] as const;

describe('the page of the kit', () => {
  it('has every part', () => {
    const parts = readdirSync(`${SOURCE}kit`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^\w+\/[A-Z]\w+\.tsx$/.test(name),
    );
    expect(parts).toContain('lists/Table.tsx');
    // The same parts, whose code comes later.
    const once = parts.filter((name) => !name.startsWith('loaded/'));
    const pages = readdirSync(`${SOURCE}screens/kit`).filter((name) => name.endsWith('.tsx'));
    const shown = pages.map((name) => readFileSync(`${SOURCE}screens/kit/${name}`, 'utf8')).join('\n');
    // Parts of other parts. The toasts are in the frame of every page.
    const inner = ['changes/JsonDiff.tsx', 'lists/TableHead.tsx', 'lists/TableRow.tsx', 'notices/Toasts.tsx'];
    expect(once.filter((name) => !inner.includes(name) && !shown.includes(`kit/${name}'`))).toEqual([]);
  });

  it.each(THEMES)('is accessible in the %s theme, with every overlay', async (colorScheme) => {
    const page = await openKit({ colorScheme });
    await expectAccessible(page, 'the page');
    for (const { name, opener, opens, isPopup } of OVERLAYS) {
      await page.getByRole(opener, { name, exact: true }).first().click();
      const opened = page.getByRole(opens).filter({ visible: true }).last();
      await opened.waitFor();
      await expectAccessible(page, name, isPopup);
      await page.keyboard.press('Escape');
      if (opens !== 'complementary') await opened.waitFor({ state: 'hidden' });
    }
  });

  it.each(THEMES)('fits into 360 px in the %s theme, and is accessible there', async (colorScheme) => {
    const page = await openKit({ colorScheme, width: 360 });
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(360);
    await expectAccessible(page, 'the narrow page');
  });

  it('has no target below 24 px', async () => {
    const page = await openKit();
    const targets = page.locator(':is(button, a[href], input, [role="combobox"]):not([tabindex="-1"])');
    const small = await targets.filter({ visible: true }).evaluateAll((elements) =>
      elements
        .map((element) => ({ name: element.outerHTML.slice(0, 120), box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width < 24 || box.height < 24)
        .map(({ name, box }) => `${name}: ${box.width} × ${box.height}`),
    );
    expect(small).toEqual([]);
  });
});

describe('a part that cannot be used', () => {
  it('has the focus, says why, and does nothing', async () => {
    const page = await openKit();
    const save = page.getByRole('button', { name: 'Save', exact: true, description: 'Needs UPDATE_FEATURE in shop' });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    const locked = page.getByRole('switch', { name: 'beta in production' });
    await locked.focus();
    await page.keyboard.press('Space');
    expect(await locked.isChecked()).toBe(true);
    await expect.poll(() => page.getByText('Needs UPDATE_FEATURE_ENVIRONMENT').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByText('Needs UPDATE_FEATURE_ENVIRONMENT').count()).toBe(0);
  });
});

describe('a part that cannot be used, on a phone', () => {
  it('says why when it is tapped, until something else is tapped', async () => {
    const page = await openKit({ width: 360, hasTouch: true });
    const reason = page.getByRole('tooltip', { includeHidden: true }).getByText('Needs UPDATE_FEATURE_ENVIRONMENT');
    await page.getByRole('switch', { name: 'beta in production' }).tap({ force: true });
    await reason.waitFor();
    // Longer than a tooltip stays after the pointer has left.
    await page.waitForTimeout(400);
    expect(await reason.isVisible()).toBe(true);
    await page.getByRole('heading', { level: 1 }).tap();
    await reason.waitFor({ state: 'detached' });
  });
});

describe('a list that is found by typing', () => {
  it.each([
    ['Country', (values: Locator) => values.getByRole('combobox').inputValue()],
    ['Values', async (values: Locator) => (await values.getByRole('toolbar').allInnerTexts()).join()],
  ])('%s keeps what is chosen when Escape is pressed while it is closed', async (name, chosenIn) => {
    const page = await openKit();
    const input = page.getByRole('combobox', { name, exact: true }).first();
    const values = page.getByRole('group').filter({ has: input }).last();
    const before = await chosenIn(values);
    expect(before).not.toBe('');
    await input.focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await chosenIn(values)).toBe(before);
  });
});

describe('a list that is found by typing, by keyboard', () => {
  const valuesOf = (page: Page) => page.getByRole('toolbar', { name: /chosen/ }).first();

  it('takes the highlighted match by Down and Enter, and goes on to the next one by another Down', async () => {
    const page = await openKit();
    const country = page.getByRole('combobox', { name: 'Country', exact: true });
    await country.focus();
    await country.fill('f');
    await page.getByRole('option', { name: 'FI' }).and(page.locator('[data-highlighted]')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => country.inputValue()).toBe('FI');
    await country.fill('f');
    await page.getByRole('option', { name: 'FI' }).and(page.locator('[data-highlighted]')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => country.inputValue()).toBe('FR');
  });

  it('takes an exact or a highlighted match by Tab, and an exact one by a press elsewhere', async () => {
    const page = await openKit();
    const country = page.getByRole('combobox', { name: 'Country', exact: true });
    for (const [typed, taken] of [
      ['DE', 'DE'],
      ['f', 'FI'],
    ] as const) {
      await country.fill(typed);
      await page.getByRole('option').first().and(page.locator('[data-highlighted]')).waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(() => country.inputValue()).toBe(taken);
      await expect.poll(() => page.getByRole('listbox').count()).toBe(0);
    }
    await country.fill('NL');
    await page.getByRole('option', { name: 'NL' }).waitFor();
    await page.getByRole('heading', { level: 1, includeHidden: true }).click();
    await expect.poll(() => country.inputValue()).toBe('NL');
  });

  it('offers a new value last, says what it does, and takes it only if nothing else matches', async () => {
    const page = await openKit();
    const input = page.getByRole('combobox', { name: 'Values', exact: true }).first();
    await input.fill('P');
    await page.getByRole('option', { name: 'PT' }).waitFor();
    expect((await page.getByRole('option').allInnerTexts()).map((text) => text.split('\n'))).toEqual([
      ['PT'],
      ['PL'],
      ['New: P', 'Adds this value'],
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => valuesOf(page).innerText()).toContain('PT');
    await input.fill('XK');
    await page.getByRole('option', { name: 'New: XK' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => valuesOf(page).innerText()).toContain('XK');
  });
});

describe('a dialog', () => {
  it('takes the focus to what is filled in, and gives it back', async () => {
    const page = await openKit();
    await page.getByRole('button', { name: 'Review a change' }).focus();
    await page.keyboard.press('Enter');
    const reason = page.getByRole('dialog').getByRole('textbox', { name: 'Reason' });
    await expect.poll(() => isFocused(reason)).toBe(true);
    await page.keyboard.press('Escape');
    const opener = page.getByRole('button', { name: 'Review a change' });
    await expect.poll(() => isFocused(opener)).toBe(true);
  });

  it('names production in its title and on its button', async () => {
    const page = await openKit();
    await page.getByRole('button', { name: 'Review a change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save to live production' });
    await dialog.getByRole('button', { name: 'Save to production' }).waitFor();
  });
});

describe('a table', () => {
  it('is one tab stop, and is used by its own keys', async () => {
    const page = await openKit();
    const grid = page.getByRole('grid', { name: 'Flags', exact: true });
    await grid.getByRole('button', { name: 'Changed' }).focus();
    await page.keyboard.press('Tab');
    expect(await focusedRow(page)).toBe('0');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toBe('2');
    await page.keyboard.press('x');
    expect(await selectedRows(page)).toBe(2);
    await page.keyboard.press('Shift+ArrowDown');
    expect(await selectedRows(page)).toBe(3);
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('billing.invoice-pdf in development');
    await page.keyboard.press('k');
    expect(await focusedRow(page)).toBe('2');
    await page.keyboard.press('Tab');
    expect(await grid.evaluate((element) => element.matches(':focus-within'))).toBe(false);
  });

  it('of 100,000 rows has few of them in the document, and reaches all', async () => {
    const page = await openKit();
    const grid = page.getByRole('grid', { name: 'All flags' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('100001');
    await grid.locator('[data-row="0"]').focus();
    await page.keyboard.press('End');
    expect(await focusedRow(page)).toBe('99999');
    expect(await grid.locator('[data-row="99999"]').getAttribute('aria-rowindex')).toBe('100001');
    await page.keyboard.press('Home');
    expect(await focusedRow(page)).toBe('0');
    expect(await grid.locator('[data-row]').count()).toBeLessThan(80);
  });

  it('keeps the row with the focus when it is scrolled away', async () => {
    const page = await openKit();
    const grid = page.getByRole('grid', { name: 'All flags' });
    await grid.locator('[data-row="3"]').focus();
    await grid.evaluate((element) => {
      element.scrollTop = 100_000;
    });
    await grid.locator('[data-row="2780"]').waitFor();
    expect(await focusedRow(page)).toBe('3');
    await page.keyboard.press('j');
    expect(await focusedRow(page)).toBe('4');
  });
});
