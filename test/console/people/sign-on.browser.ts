import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();

describe('journey 1K: signing on with a password, by keyboard alone', () => {
  it('shows the home page, and the session is the admin’s', async () => {
    const guarded = await world.browser.open(world.service.url, '/');
    const { page, context } = guarded;
    // The page finds out that nobody is signed on from this answer.
    guarded.allow(401);
    const keyboard = new Keyboard(page);
    const username = page.getByLabel('Username or email');
    await username.waitFor();
    await keyboard.fill(username, ADMIN.username);
    await keyboard.fill(page.getByLabel('Password'), ADMIN.password);
    await keyboard.press('Enter');
    await page.getByRole('navigation').first().waitFor();
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const me = await world.service.call('getMe', { token: null, headers: { cookie } });
    expect(me.body.user.username).toBe(ADMIN.username);
  });

  it('reports a wrong password in the page and to screen readers, and keeps the name', async () => {
    const guarded = await world.browser.open(world.service.url, '/');
    guarded.allow(401);
    const { page } = guarded;
    const keyboard = new Keyboard(page);
    await keyboard.fill(page.getByLabel('Username or email'), ADMIN.username);
    await keyboard.fill(page.getByLabel('Password'), 'wrong');
    await keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: 'The username or the password is wrong.' })
      .waitFor({ state: 'attached' });
    expect(await page.getByLabel('Username or email').inputValue()).toBe(ADMIN.username);
    await expectAccessible(page, 'the sign-on with an error');
    expect((await guarded.context.cookies()).length).toBe(0);
  });

  it('counts down the seconds after too many wrong passwords', async () => {
    const guarded = await world.browser.open(world.service.url, '/');
    guarded.allow(401, 429);
    const { page } = guarded;
    for (let count = 0; count < 10; count++)
      await world.service.call('login', { body: { username: 'somebody', password: `wrong ${count}` } });
    const keyboard = new Keyboard(page);
    await keyboard.fill(page.getByLabel('Username or email'), 'somebody');
    await keyboard.fill(page.getByLabel('Password'), 'wrong');
    await keyboard.press('Enter');
    const shown = async () => Number(/Try again in (\d+) s/.exec(await page.getByRole('main').innerText())?.[1]);
    await page
      .getByText(/Try again in \d+ s/)
      .first()
      .waitFor();
    const first = await shown();
    expect(first).toBeGreaterThan(0);
    await expect.poll(shown, { timeout: 60_000 }).toBeLessThan(first);
    await expectAccessible(page, 'the sign-on with a countdown');
  });
});
