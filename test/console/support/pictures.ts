import type { Locator, Page } from 'playwright-core';
import type { Pixels } from './png.ts';

export const WIDTH = 1440;
export const HEIGHT = 900;

/** One cell is the mean of a square of this size: a line of text is about one cell high. */
const CELL = 20;
/** Cells whose brightness or colour differs by less are equal: letters of another font differ less. */
const CELL_DIFFERENCE = 40;

const FLAG = '/projects/mobile/features/mobile.dark-mode';

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state that is shown. */
  readonly show: (page: Page) => Promise<void>;
}

const production = (page: Page): Locator => page.getByRole('region', { name: 'production' });

async function editRollout(page: Page): Promise<void> {
  await production(page).getByRole('button', { name: /^Edit/ }).first().click();
  const editor = page.getByRole('complementary');
  const percent = editor.getByRole('textbox', { name: 'Rollout' });
  await percent.fill('75');
  await editor
    .getByText(/75\s?%/)
    .first()
    .waitFor();
}

/** What the documentation shows, from the data of the demo. */
export const PICTURES: readonly Picture[] = [
  {
    name: 'flags',
    path: '/features',
    show: (page) => page.getByRole('grid', { name: 'Flags' }).getByRole('link').first().waitFor(),
  },
  {
    name: 'flag',
    path: '/projects/shop/features/shop.new-checkout',
    show: (page) => production(page).getByText('The Nordic countries first').waitFor(),
  },
  { name: 'strategy', path: FLAG, show: editRollout },
  {
    name: 'review',
    path: FLAG,
    show: async (page) => {
      await editRollout(page);
      await page.getByRole('complementary').getByRole('button', { name: 'Done' }).click();
      await production(page).getByRole('button', { name: 'Review' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Why?' }).fill('Customers asked for it');
      await dialog.getByText(/off → on/).waitFor();
    },
  },
  {
    name: 'history',
    path: '/projects/platform/features/platform.new-cache/history',
    show: (page) => page.getByText('Sessions were lost after a failover').waitFor(),
  },
];

/** Runs in the browser: returns the pixels of an image, reduced to a size, in base64. */
const DECODE = `async ({ base64, width, height }) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const size = { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' };
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), size);
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let characters = '';
  for (let at = 0; at < data.length; at += 32768) characters += String.fromCharCode(...data.subarray(at, at + 32768));
  return btoa(characters);
}`;

async function decoded(page: Page, image: Buffer, width: number, height: number): Promise<Pixels> {
  const input = JSON.stringify({ base64: image.toString('base64'), width, height });
  const text = await page.evaluate<string>(`(${DECODE})(${input})`);
  return { width, height, data: Buffer.from(text, 'base64') };
}

export const pixelsOf = (page: Page, image: Buffer) => decoded(page, image, WIDTH, HEIGHT);

/** The part of the cells in which two pictures differ clearly, from 0 to 1. */
export async function differingPart(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const size = [WIDTH / CELL, HEIGHT / CELL] as const;
  const [a, b] = [await decoded(page, one, ...size), await decoded(page, other, ...size)];
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const distances = [0, 1, 2].map((channel) => Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)));
    if (Math.max(...distances) > CELL_DIFFERENCE) differing++;
  }
  return differing / (a.data.length / 4);
}
