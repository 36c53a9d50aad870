import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const PROJECT = 'default';
const FLAG = 'launch';
const [AUTHOR, REVIEWER] = [201, 202];
let author: Record<string, string>;
let reviewer: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, AUTHOR, { name: 'Grace', username: 'grace' });
  await putUser(service, REVIEWER, { name: 'Margaret', username: 'margaret' });
  const { body } = await accepted(service, 'getProjectAccess', { params: { projectId: PROJECT } });
  const owner = body.roles.find(({ name }: { name: string }) => name === 'Owner').id;
  await accepted(service, 'addAccessToProject', {
    params: { projectId: PROJECT },
    body: { roles: [owner], groups: [], users: [AUTHOR, REVIEWER] },
  });
  await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name: FLAG } });
  await accepted(service, 'updateProjectChangeRequestConfig', {
    params: { projectId: PROJECT, environment: 'production' },
    body: { changeRequestsEnabled: true, requiredApprovals: 1 },
  });
  author = await browserOf(service, AUTHOR);
  reviewer = await browserOf(service, REVIEWER);
});

/** A draft that adds a strategy and switches the flag on. */
async function draft(): Promise<number> {
  const { body } = await accepted(world.service, 'createChangeRequest', {
    token: null,
    headers: author,
    params: { projectId: PROJECT, environment: 'production' },
    body: [
      {
        feature: FLAG,
        action: 'addStrategy',
        payload: {
          name: 'flexibleRollout',
          parameters: { rollout: '50', stickiness: 'userId', groupId: FLAG },
          constraints: [],
        },
      },
      { feature: FLAG, action: 'updateEnabled', payload: { enabled: true } },
    ],
  });
  return body.id;
}

const request = async (id: number) =>
  (await accepted(world.service, 'getChangeRequest', { params: { projectId: PROJECT, id } })).body;
const pathOf = (id: number) => `/projects/${PROJECT}/change-requests/${id}`;
const move = (id: number, state: string, headers: Record<string, string>) =>
  accepted(world.service, 'changeChangeRequestState', {
    token: null,
    headers,
    params: { projectId: PROJECT, id },
    body: { state },
  });

describe('journey 25K: the author of a change request, by keyboard alone', () => {
  it('makes its draft, sends it to review, takes it back, and sends it again', async () => {
    const { page } = await world.browser.open(world.service.url, `/projects/${PROJECT}/features/${FLAG}`, {
      signedOn: author,
    });
    const keyboard = new Keyboard(page);
    const production = page.getByRole('region', { name: 'production' });
    await keyboard.activate(production.getByRole('switch', { name: `${FLAG} in production` }), 'Space');
    const review = page.getByRole('dialog');
    await keyboard.activate(review.getByRole('button', { name: 'Add to a change request' }));
    await review.waitFor({ state: 'detached' });
    const pending = { token: null, headers: author, params: { projectId: PROJECT } };
    const [{ id, state }] = (await accepted(world.service, 'getPendingChangeRequestsForUser', pending)).body;
    expect(state).toBe('Draft');
    await page.goto(world.service.url + pathOf(id));
    await page.getByText('Switched on').first().waitFor();
    await expectAccessible(page, 'a draft');
    const send = async () => {
      await keyboard.activate(page.getByRole('main').getByRole('button', { name: 'Send to review' }));
      const dialog = page.getByRole('dialog');
      await keyboard.fill(dialog.getByLabel('Comment'), 'Ready');
      await keyboard.activate(dialog.getByRole('button', { name: 'Send to review' }));
      await page.getByRole('heading', { level: 1 }).getByText('In review').waitFor();
    };
    await send();
    expect(await request(id)).toMatchObject({ state: 'In review', comments: [{ text: 'Ready' }] });

    await keyboard.activate(page.getByRole('button', { name: 'More actions' }));
    await page.getByRole('menuitem', { name: 'Take back' }).waitFor();
    for (let count = 0; count < 5; count++) {
      const isThere = await page
        .getByRole('menuitem', { name: 'Take back' })
        .evaluate((element) => element.matches(':focus, [data-highlighted]'));
      if (isThere) break;
      await keyboard.press('ArrowDown');
    }
    await keyboard.press('Enter');
    await keyboard.activate(page.getByRole('dialog').getByRole('button', { name: 'Take back' }));
    await page.getByRole('heading', { level: 1 }).getByText('Draft').waitFor();
    expect((await request(id)).state).toBe('Draft');
    await send();
    expect((await request(id)).state).toBe('In review');
    const { body } = await accepted(world.service, 'getFeatureEnvironment', {
      params: { projectId: PROJECT, featureName: FLAG, environment: 'production' },
    });
    expect(body.enabled).toBe(false);
    await move(id, 'Cancelled', author);
  });
});

describe('journey 26K: the reviewer of a change request, by keyboard alone', () => {
  it('sees the difference and its effects, and approves; the author cannot', async () => {
    const id = await draft();
    await move(id, 'In review', author);
    const mine = await world.browser.open(world.service.url, pathOf(id), { signedOn: author });
    const blocked = mine.page.getByRole('button', { name: 'Approve' });
    await blocked.waitFor();
    expect(await blocked.getAttribute('aria-disabled')).toBe('true');

    const { page } = await world.browser.open(world.service.url, pathOf(id), { signedOn: reviewer });
    const keyboard = new Keyboard(page);
    await page.getByText('Strategy added: 50% by userId').first().waitFor();
    const preview = await accepted(world.service, 'previewChanges', {
      body: { changeRequest: id, contexts: { madeUp: { count: 1000 }, seed: 1 }, examples: 0 },
    });
    const { offToOn } = preview.body.flags[0].counts;
    expect(offToOn).toBeGreaterThan(0);
    await page.getByText(`${offToOn} off → on`).waitFor();
    await expectAccessible(page, 'a request in review');
    await keyboard.activate(page.getByRole('main').getByRole('button', { name: 'Approve' }));
    await expectAccessible(page, 'the dialog that approves');
    await keyboard.activate(page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
    await page.getByRole('heading', { level: 1 }).getByText('Approved').waitFor();
    expect((await request(id)).approvals).toHaveLength(1);

    await keyboard.activate(page.getByRole('main').getByRole('button', { name: 'Apply now' }));
    await keyboard.activate(page.getByRole('dialog').getByRole('button', { name: 'Apply now' }));
    await page.getByRole('heading', { level: 1 }).getByText('Applied').waitFor();
    await page
      .getByRole('region', { name: 'The last save' })
      .getByText(/^Applied: /)
      .waitFor();
    // It says what it changed, not what differs now.
    await page.reload();
    await page.getByText('Switched on').first().waitFor();
    await page.getByText('Strategy added: 50% by userId').first().waitFor();
    expect(await page.getByText('Set to on').count()).toBe(0);
    const { body } = await accepted(world.service, 'getFeatureEnvironment', {
      params: { projectId: PROJECT, featureName: FLAG, environment: 'production' },
    });
    expect(body).toMatchObject({ enabled: true, strategies: [{ parameters: { rollout: '50' } }] });
  });

  it('sees the effects in the countries of a segment, the reason, and later who approved', async () => {
    const { service } = world;
    const legalValues = ['NO', 'SE', 'FR', 'DE'].map((value) => ({ value }));
    await accepted(service, 'createContextField', { body: { name: 'country', legalValues } });
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }];
    const segment = (await accepted(service, 'createSegment', { body: { name: 'nordic', constraints } })).body.id;
    const feature = 'delivery-slots';
    await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name: feature } });
    const requested = async (changes: object[], reason: string) => {
      const { body } = await accepted(service, 'createChangeRequest', {
        token: null,
        params: { projectId: PROJECT, environment: 'production' },
        headers: { ...author, 'burgee-reason': encodeURIComponent(reason) },
        body: changes.map((change) => ({ feature, ...change })),
      });
      await move(body.id, 'In review', author);
      return body.id as number;
    };
    const payload = (rollout: string) => ({
      name: 'flexibleRollout',
      segments: [segment],
      constraints: [],
      parameters: { rollout, stickiness: 'userId', groupId: feature },
    });
    const first = await requested(
      [
        { action: 'addStrategy', payload: payload('40') },
        { action: 'updateEnabled', payload: { enabled: true } },
      ],
      'First customers',
    );
    await move(first, 'Approved', reviewer);
    await move(first, 'Applied', reviewer);
    const params = { projectId: PROJECT, featureName: feature, environment: 'production' };
    const [strategy] = (await accepted(service, 'getFeatureEnvironment', { params })).body.strategies;
    const { groupId: _default, ...parameters } = payload('50').parameters;
    const changes = [
      { action: 'updateStrategy', payload: { id: strategy.id, ...payload('50'), parameters } },
      { action: 'updateEnabled', payload: { enabled: true } },
    ];
    const id = await requested(changes, 'The slots are empty');

    const { page } = await world.browser.open(service.url, pathOf(id), { signedOn: reviewer });
    const main = page.getByRole('main');
    await main.getByText('250 made-up values of userId, combined with 4 values of country').waitFor();
    const offToOn = Number.parseInt(await main.getByText(/^\d+ off → on$/).innerText(), 10);
    // A tenth of the half of the contexts.
    expect(offToOn).toBeGreaterThan(20);
    expect(offToOn).toBeLessThan(100);
    await main.getByText('500 contexts meet the constraints: country').waitFor();
    await main.getByText('The slots are empty').waitFor();
    await main.getByText('It is already on').waitFor();
    // The group that is left out is the name of the flag, as before.
    expect(await main.getByText(/Group:/).count()).toBe(0);

    await move(id, 'Approved', reviewer);
    await move(id, 'Applied', reviewer);
    await page.reload();
    await main.getByText('It is already on').waitFor();
    expect(await main.getByText('No one was asked yet').count()).toBe(0);
    await page.goto(`${service.url}/projects/${PROJECT}/features/${feature}/history`);
    await main.getByRole('link', { name: `Change request #${id}` }).waitFor();
    const query = 'type=IS:change-request-applied&limit=1';
    const { data } = (await accepted(service, 'searchEventsByQuery', { query })).body.events[0];
    expect(data).toMatchObject({ changeRequestId: id, approvedBy: [expect.any(String)] });
    await main.getByText(`approved by ${data.approvedBy[0]}`).first().waitFor();
    await page.goto(`${service.url}/history?feature=${feature}&type=feature-strategy-update`);
    await page.getByRole('row').filter({ hasText: feature }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByRole('link', { name: `Change request #${id}` }).waitFor();
  });

  it('reads that another strategy covers the contexts already', async () => {
    const { service } = world;
    const feature = 'covered';
    const params = { projectId: PROJECT, featureName: feature, environment: 'production' };
    await accepted(service, 'createFeature', { params, body: { name: feature } });
    await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints: [] } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const parameters = { rollout: '10', stickiness: 'userId', groupId: feature };
    const { body } = await accepted(service, 'createChangeRequest', {
      token: null,
      headers: author,
      params,
      query: 'draft=new',
      body: { feature, action: 'addStrategy', payload: { name: 'flexibleRollout', constraints: [], parameters } },
    });
    await move(body.id, 'In review', author);
    const { page } = await world.browser.open(service.url, pathOf(body.id), { signedOn: reviewer });
    await page.getByText('1,000 the same').waitFor();
    await page.getByText('The flag is already on for 1,000 of these 1,000, by another strategy.').waitFor();
    await move(body.id, 'Cancelled', author);
  });

  it('an edit in between is explained, and nothing is approved', async () => {
    const id = await draft();
    await move(id, 'In review', author);
    const guarded = await world.browser.open(world.service.url, pathOf(id), { signedOn: reviewer });
    guarded.allow(409);
    const { page } = guarded;
    const keyboard = new Keyboard(page);
    await keyboard.activate(page.getByRole('main').getByRole('button', { name: 'Approve' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Comment').waitFor();
    const { features } = await request(id);
    await accepted(world.service, 'discardChange', {
      token: null,
      headers: author,
      params: { projectId: PROJECT, id, changeId: features[0].changes[0].id },
    });
    await keyboard.activate(dialog.getByRole('button', { name: 'Approve' }));
    await dialog.getByText('The request was changed since you looked at it.').waitFor();
    expect(await request(id)).toMatchObject({ state: 'In review', approvals: [] });
  });
});

/** A request in review that switches a new flag on. */
async function inReview(feature: string): Promise<number> {
  const { service } = world;
  const { body } = await accepted(service, 'createChangeRequest', {
    token: null,
    headers: author,
    query: 'draft=new',
    params: { projectId: PROJECT, environment: 'production' },
    body: { feature, action: 'updateEnabled', payload: { enabled: true } },
  });
  await move(body.id, 'In review', author);
  return body.id;
}

const createFlag = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: PROJECT }, body: { name } });

describe('a change request among others', () => {
  it('waits for those who may approve it until they did, and not for its author', async () => {
    await createFlag('wait-for-me');
    const id = await inReview('wait-for-me');
    const waiting = async (signedOn: Record<string, string>) =>
      (await world.browser.open(world.service.url, '/change-requests?forMe=1', { signedOn })).page;
    const page = await waiting(reviewer);
    const row = page.getByRole('row').filter({ hasText: `Change request #${id}` });
    await row.waitFor();
    const none = 'No request that matches waits for your review.';
    const own = await waiting(author);
    await own.getByText(none).waitFor();
    expect(await own.getByText('curl').count()).toBe(0);
    await move(id, 'Approved', reviewer);
    await row.waitFor({ state: 'detached' });
    await move(id, 'Cancelled', author);
  });

  it('names the other open requests of its flag, and the dialog that saves names them', async () => {
    await createFlag('contested');
    const first = await inReview('contested');
    const second = await inReview('contested');
    const { page } = await world.browser.open(world.service.url, pathOf(second), { signedOn: reviewer });
    const main = page.getByRole('main');
    await main.getByText(`Change request #${first} (in review) also changes this flag.`).waitFor();
    expect(await main.getByText(`Change request #${second} (in review)`).count()).toBe(0);
    // The title has the number once, and the side bar shows where the page belongs.
    const heading = await page.getByRole('heading', { level: 1 }).innerText();
    expect(heading.match(/#\d+/g)).toEqual([`#${second}`]);
    const current = page.getByRole('navigation', { name: 'Screens' }).locator('[aria-current=page]');
    expect(await current.allInnerTexts()).toEqual(['Change requests']);
    await expectAccessible(page, 'a request beside another one');
    await main.getByRole('link', { name: `Change request #${first} (in review)` }).click();
    await main.getByText(`Change request #${second} (in review) also changes this flag.`).waitFor();

    await page.goto(`${world.service.url}/projects/${PROJECT}/features/contested`);
    await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    const dialog = page.getByRole('dialog');
    for (const id of [first, second])
      await dialog.getByText(`Change request #${id} (in review) also changes this flag.`).waitFor();
    await expectAccessible(page, 'a save beside other requests');
    for (const id of [first, second]) await move(id, 'Cancelled', author);
  });

  it('keeps what it would have changed after it was rejected, and what it added after it was applied', async () => {
    await createFlag('kept');
    const rejected = await inReview('kept');
    await move(rejected, 'Rejected', reviewer);
    const applied = await inReview('kept');
    await move(applied, 'Approved', reviewer);
    await move(applied, 'Applied', reviewer);
    const { page } = await world.browser.open(world.service.url, pathOf(rejected), { signedOn: reviewer });
    await page.getByText('Switched on').first().waitFor();
    await page.goto(world.service.url + pathOf(applied));
    await page.getByText('Switched on').first().waitFor();
    await page
      .getByText(/^Strategy added: /)
      .first()
      .waitFor();
  });
});

describe('the dialog that saves', () => {
  it('neither saves nor requests by a key while it is not known whether a review is needed', async () => {
    await accepted(world.service, 'createFeature', { params: { projectId: PROJECT }, body: { name: 'waiting' } });
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn: author });
    const reviews = `**/api/admin/projects/${PROJECT}/change-requests/config`;
    const held: Route[] = [];
    let isHeld = true;
    await page.route(reviews, (route) => (isHeld ? void held.push(route) : route.continue()));
    const written: string[] = [];
    page.on('request', (one) => {
      const { pathname } = new URL(one.url());
      if (one.method() !== 'GET' && !pathname.endsWith('/preview')) written.push(pathname);
    });
    await page.goto(`${world.service.url}/projects/${PROJECT}/features/waiting`);
    await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why?').fill('The launch');
    await page.keyboard.press('Control+Enter');
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    await dialog.getByRole('button', { name: 'Add to a change request', disabled: false }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    expect(written.filter((path) => path.includes('/production/'))).toEqual([
      `/api/admin/projects/${PROJECT}/environments/production/change-requests`,
    ]);
    // The notice is gone where it leads to, and the reason is there.
    const notices = page.getByRole('region', { name: 'Notices' });
    await notices.getByRole('button', { name: 'Open' }).hover();
    const [{ id }] = (
      await accepted(world.service, 'getPendingChangeRequestsForUser', {
        token: null,
        headers: author,
        params: { projectId: PROJECT },
      })
    ).body;
    const opening = `history.pushState(null, '', '${pathOf(id)}'); window.dispatchEvent(new PopStateEvent('popstate'));`;
    await page.evaluate(opening);
    await page.getByRole('main').getByText('The launch').waitFor();
    await expect.poll(() => notices.getByText('Added to change request').count()).toBe(0);
  });

  it('begins another change request beside a draft, or adds to the one that is chosen', async () => {
    const { service } = world;
    const name = 'beside';
    await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name } });
    const first = await draft();
    const open = async () => {
      const { page } = await world.browser.open(service.url, `/projects/${PROJECT}/features/${name}`, {
        signedOn: author,
      });
      await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`This adds yours to your draft “Change request #${first}”`).waitFor();
      return { page, dialog, way: dialog.getByRole('combobox', { name: 'How to save it' }) };
    };
    const save = async ({ page, dialog }: Awaited<ReturnType<typeof open>>) => {
      await dialog.getByRole('button', { name: 'Add to a change request' }).click();
      await page
        .getByText(/^Added to change request/)
        .first()
        .waitFor();
    };
    const opened = await open();
    await opened.dialog.getByRole('button', { name: 'Cancel' }).click();
    // While it is not known which drafts there are, the dialog says nothing of them, and saves nothing.
    let answer = () => {};
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await opened.page.route('**/api/admin/search/change-requests?state=Draft**', async (route) => {
      await isHeld;
      await route.continue();
    });
    await opened.page.reload();
    await opened.page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    await opened.dialog.getByRole('button', { name: 'Add to a change request' }).waitFor();
    await opened.dialog.getByText('1,000').first().waitFor();
    expect(await opened.dialog.getByText('This makes a draft of a change request').count()).toBe(0);
    const button = opened.dialog.getByRole('button', { name: 'Add to a change request' });
    expect(await button.getAttribute('aria-busy')).toBe('true');
    answer();
    await opened.way.click();
    await opened.page.getByRole('option', { name: 'New change request' }).click();
    await opened.dialog.getByText('This makes a draft of a change request').waitFor();
    await expectAccessible(opened.page, 'the choice of a change request');
    await save(opened);
    const query = `state=Draft&project=${PROJECT}&createdBy=${AUTHOR}`;
    const asked = { query, token: null, headers: author };
    const { changeRequests } = (await accepted(service, 'searchChangeRequests', asked)).body;
    const [second] = changeRequests as { id: number }[];
    expect(second?.id).toBeGreaterThan(first);
    const flagsOf = async (id: number) => (await request(id)).features.map((flag: { name: string }) => flag.name);
    expect(await flagsOf(first)).not.toContain(name);
    expect(await flagsOf(second?.id ?? 0)).toEqual([name]);

    const { page } = await world.browser.open(service.url, `/projects/${PROJECT}/features/${name}`, {
      signedOn: author,
    });
    await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'How to save it' }).click();
    await page.getByRole('option', { name: `Add to “Change request #${first}”` }).click();
    await save({ ...opened, page, dialog });
    expect(await flagsOf(first)).toContain(name);
    for (const { id } of changeRequests) {
      await accepted(service, 'discardChangeRequest', { params: { projectId: PROJECT, id } });
    }
  });

  it('offers a request first to a person who may skip the review, and says so', async () => {
    const { service } = world;
    const name = 'skipped';
    await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name } });
    const params = { projectId: PROJECT, featureName: name, environment: 'production' };
    const isOn = async () => (await accepted(service, 'getFeatureEnvironment', { params })).body.enabled;
    const signedOn = await browserOf(service, ADMIN.id);
    const open = async () => {
      const { page } = await world.browser.open(service.url, `/projects/${PROJECT}/features/${name}`, { signedOn });
      const region = page.getByRole('region', { name: 'production' });
      await region.getByRole('img', { name: 'Changes need a review' }).waitFor();
      await region.getByRole('switch').click();
      await page
        .getByRole('dialog')
        .getByText(
          /^This environment asks for a review\. This (makes a|adds yours to your) draft .* Or choose “Save without a review”/,
        )
        .waitFor();
      return page;
    };
    const page = await open();
    await expectAccessible(page, 'a save that may skip the review');
    await page.getByRole('dialog').getByRole('button', { name: 'Add to a change request' }).click();
    await page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    expect(await isOn()).toBe(false);

    const again = await open();
    await again.getByRole('combobox', { name: 'How to save it' }).click();
    await again.getByRole('option', { name: 'Save without a review' }).click();
    await again.getByText('It is saved at once, without a review.').waitFor();
    await again.getByRole('dialog').getByRole('button', { name: 'Save to production' }).click();
    await expect.poll(isOn).toBe(true);
  });
});
