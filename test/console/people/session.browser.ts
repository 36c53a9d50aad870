import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const PARAMS = { projectId: 'default', featureName: 'edited', environment: 'development' };

beforeAll(async () => {
  await accepted(world.service, 'createFeature', { params: PARAMS, body: { name: 'edited' } });
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: PARAMS });
});

const endSessions = () =>
  prepare(world.service, (draft) => {
    for (const { secret } of [...draft.values('sessions')]) draft.remove('sessions', secret);
  });
const rollouts = async () =>
  (await accepted(world.service, 'getFeatureEnvironment', { params: PARAMS })).body.strategies.map(
    ({ parameters }: { parameters: { rollout: string } }) => parameters.rollout,
  );

describe('journey 4K: the session ends while editing, by keyboard alone', () => {
  it('is signed on in place, the draft is intact, and saving works', async () => {
    const before = await rollouts();
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const signedOn = await browserOf(world.service, ADMIN.id);
    const guarded = await world.browser.open(world.service.url, '/projects/default/features/edited', { signedOn });
    guarded.allow(401);
    const { page } = guarded;
    const keyboard = new Keyboard(page);
    const card = page.getByRole('region', { name: 'development' });
    await keyboard.activate(card.getByRole('button', { name: 'Add strategy' }));
    const rollout = page.getByRole('complementary').getByRole('textbox', { name: 'Rollout' });
    await keyboard.fill(rollout, '0');
    const address = page.url();

    await keyboard.tabTo(card.getByRole('button', { name: 'Review' }));
    await endSessions();
    await keyboard.press('Enter');
    const ended = page.getByRole('dialog', { name: 'Your session ended' });
    await ended.waitFor();
    await expectAccessible(page, 'the sign-on over a page');
    await keyboard.fill(ended.getByLabel('Username or email'), ADMIN.username);
    await keyboard.fill(ended.getByLabel('Password'), 'wrong');
    await keyboard.press('Enter');
    await ended.getByText('The username or the password is wrong.').first().waitFor();
    await keyboard.fill(ended.getByLabel('Password'), ADMIN.password);
    await keyboard.press('Enter');
    await ended.waitFor({ state: 'detached' });

    expect(page.url()).toBe(address);
    expect(await rollouts()).toEqual(before);
    const review = page.getByRole('dialog');
    await review.getByText('What changes').waitFor();
    expect(await review.innerText()).toMatch(/0\s?%/);
    // The counts were asked for without a session: they are asked for again.
    await review.getByText(/the same/).waitFor();
    const saving = review.getByRole('button', { name: 'Save', exact: true });
    await keyboard.tabTo(saving);
    expect(await isFocused(saving)).toBe(true);
    await keyboard.press('Enter');
    await review.waitFor({ state: 'detached' });
    await expect.poll(rollouts).toEqual([...before, '0']);
    await expect.poll(() => sdk.isEnabled('edited')).toBe(before.length > 0);
    sdk.end();
  });
});
