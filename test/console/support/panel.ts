import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The panel that is open. */
export const panelOf = (page: Page): Locator => page.getByRole('complementary').last();

/** The secret that a panel shows, once the panel is closed: the page does not have it any more, nor after a reload. */
export async function takeSecret(page: Page, label: string): Promise<string> {
  const panel = panelOf(page);
  const secret = await panel.getByLabel(label, { exact: true }).inputValue();
  await panel.getByRole('button', { name: 'Done' }).click();
  await panel.getByLabel(label, { exact: true }).waitFor({ state: 'detached' });
  const kept = () =>
    page.evaluate<string>('document.documentElement.outerHTML + JSON.stringify(localStorage) + location');
  expect(await kept()).not.toContain(secret);
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await kept()).not.toContain(secret);
  return secret;
}

/** Adds a condition of an action. */
export async function addCondition(panel: Locator, path: string, value: string): Promise<void> {
  const page = panel.page();
  const paths = panel.getByRole('combobox', { name: 'Path in the signal' });
  const at = await paths.count();
  await panel.getByRole('button', { name: 'Add condition' }).click();
  await paths.nth(at).fill(path);
  await page.getByRole('option', { name: path }).first().click();
  const values = panel.getByRole('textbox', { name: 'Values' }).nth(at);
  await values.fill(value);
  await values.press('Enter');
}

/** Chooses in the field with this label. */
export async function choose(panel: Locator, label: string, option: string | RegExp): Promise<void> {
  await panel.getByRole('combobox', { name: new RegExp(`^${label}`) }).click();
  await panel.page().getByRole('option', { name: option }).first().click();
  // While the list closes, it is a part of the page that has no name.
  await panel.page().getByRole('listbox').waitFor({ state: 'detached' });
}

/** Fails unless all of it is between the upper and the lower edge of the window. */
export async function expectInWindow(item: Locator): Promise<void> {
  const height = item.page().viewportSize()?.height ?? 0;
  const edges = async () => {
    const { y = -1, height: own = 0 } = (await item.boundingBox()) ?? {};
    return y >= 0 && y + own <= height;
  };
  await expect.poll(edges).toBe(true);
}

/** Fails unless the buttons are beside each other. */
export async function expectOneRow(page: Page, names: readonly string[]): Promise<void> {
  const boxes = names.map((name) => page.getByRole('button', { name, exact: true }).boundingBox());
  const tops = new Set((await Promise.all(boxes)).map((box) => box?.y));
  expect(tops.size, `${names.join(', ')} are in one row`).toBe(1);
}
