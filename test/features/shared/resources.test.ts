import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitEntries } from '../../../src/model/limits.ts';
import { type CollectionName, collectionNames } from '../../../src/state/collections.ts';
import { accepted, CONFLICT, eventsOf, INVALID, MISSING, refused } from '../../support/admin.ts';
import { ADDON_ENV } from '../../support/http/receiver.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import {
  changeOf,
  createOne,
  exampleOf,
  keyOf,
  objectIn,
  operationsOf,
  paramsOf,
  uniqueOf,
} from '../../support/resource-calls.ts';
import { type Fields, RESOURCES } from '../../support/resources.ts';
import { startTestService, type TestService, useService } from '../../support/service.ts';

/** Collections whose objects are not in the table. */
const NOT_IN_TABLE: Readonly<Record<string, readonly CollectionName[]>> = {
  'have more operations than these, with suites of their own': ['features', 'changeRequests', 'actionSets'],
  'have keys that are secret': [
    'apiTokens',
    'personalTokens',
    'signupTokens',
    'scimTokens',
    'passwordLinks',
    'sessions',
  ],
  'are created and deleted, and never changed': ['tags', 'favorites'],
  'are settings: they are changed, and never created': [
    ...(['settings', 'signOnSettings', 'scimSettings', 'featureTypes'] as const),
    ...(['changeRequestConfigs', 'defaultStrategies', 'preferences'] as const),
  ],
  'are changed with what they are part of': ['groupMembers', 'projectRoles'],
  'are reported by SDKs, scanners, monitors and browsers': [
    ...(['applications', 'codeRepositories', 'codeReferences', 'signals', 'feedback', 'seenSplashes'] as const),
  ],
  'are written by the service': [
    ...(['counters', 'surplusMarks', 'mirroredScopes', 'staleMarks', 'lifecycles'] as const),
    ...(['spentAttempts', 'addonDeliveries', 'addonAttempts', 'actionRuns', 'adoptedTokens'] as const),
  ],
};

it('every collection is in the table, or it is stated why not', () => {
  const stated = [...new Set(RESOURCES.map(({ collection }) => collection)), ...Object.values(NOT_IN_TABLE).flat()];
  expect(stated.sort()).toEqual([...collectionNames()].sort());
});

const service = useService({ env: ADDON_ENV });
let person: string;
/** Of the collections of a new instance. */
let sizes: ReadonlyMap<CollectionName, number>;

beforeAll(async () => {
  const { state } = service.running.services;
  sizes = new Map(collectionNames().map((name) => [name, state.size(name)]));
  await putUser(service, 900, { username: 'person' });
  person = await personalTokenOf(service, 900);
});

const without = (names: readonly string[] = [], fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

describe.each(RESOURCES)('$what', (resource) => {
  const { at = {}, event, place, shown = {}, notAudited } = resource;
  const [keyField, unique] = [keyOf(resource), uniqueOf(resource)];
  const { create, list: listAll, read, update, remove, validate, ofOne, changeable } = operationsOf(resource);
  const caller = () => (resource.isPersonal ? { token: person } : {});
  let known: Awaited<ReturnType<typeof createOne>>;
  beforeAll(async () => {
    known = await make();
  });

  const make = () => createOne(service, resource, caller());
  const unknown = () => paramsOf(resource, keyField === 'id' && unique !== 'id' ? 987_654 : 'nowhere');

  async function listed(key: unknown): Promise<Fields[]> {
    const { body } = await accepted(service, listAll, { params: at, ...caller() });
    return (Array.isArray(body) ? body : Object.values(body).filter(Array.isArray).flat()).filter(
      (object: Fields) => object[keyField] === key,
    );
  }

  /** The object is shown with these fields, alone and in the list. */
  async function expectShown({ key, params }: Awaited<ReturnType<typeof make>>, fields: Fields): Promise<void> {
    expect(await listed(key)).toMatchObject([read ? { [keyField]: key } : fields]);
    if (!read) return;
    const { body } = await accepted(service, read, { params, ...caller() });
    expect(objectIn(resource, body)).toMatchObject(fields);
  }

  it('is created, read, listed, changed and deleted, each with its event', async () => {
    const sent = [exampleOf(resource)];
    let made = known;
    const events = await eventsOf(service, async () => {
      made = await createOne(service, resource, { ...caller(), body: sent[0] });
      const address = `${resource.path.replace(/:(\w+)/, (_match, name: string) => at[name] ?? '')}/${made.key}`;
      const { status, headers } = made.answer;
      expect([status, headers.get('location')]).toEqual(resource.hasNoLocation ? [200, null] : [201, address]);
      expect(made.object).toMatchObject(without(resource.onlyRead, { ...sent[0], ...shown }));
      await expectShown(made, { ...sent[0], ...shown });
      const options = { params: made.params, ...caller() };
      for (const change of resource.changes) {
        const body = { ...sent.at(-1), ...change };
        await accepted(service, update, { ...options, body: changeOf(resource, body, change) });
        await expectShown(made, { ...body, ...shown, ...change });
        sent.push(body);
      }
      await accepted(service, remove, options);
      expect(await listed(made.key)).toEqual([]);
      await refused(service, remove, MISSING, options);
    });
    const where = { project: at.projectId ?? null, environment: null, ...(place && { [place]: made.key }) };
    const was = [null, ...sent.map((fields) => without(notAudited, { ...fields, ...shown })), null];
    const expected = ['created', 'updated', 'updated', 'deleted'].map((verb, step) => ({
      type: `${event}-${verb}`,
      ...where,
      createdBy: 'init-admin-1',
      preData: was[step],
      data: was[step + 1],
    }));
    expect(events).toMatchObject(event === undefined ? [] : expected);
    if (typeof made.key === 'number') expect((await make()).key, 'an id is used once').toBeGreaterThan(made.key);
  });

  it('has defaults for what is not sent', async () => {
    const body = { ...without(Object.keys(resource.defaults), exampleOf(resource)) };
    const made = await createOne(service, resource, { params: at, body, ...caller() });
    await expectShown(made, { ...body, ...shown, ...resource.defaults });
  });

  it('does not exist under an unknown address', async () => {
    for (const { operationId, hasBody } of ofOne) {
      if (resource.notMissing?.includes(operationId) || (hasBody && operationId !== update)) continue;
      const body = changeOf(resource, exampleOf(resource), resource.changes[0]);
      await refused(service, operationId, MISSING, { params: unknown(), ...(hasBody && { body }), ...caller() });
    }
    if (read && typeof known.key === 'number')
      await refused(service, read, INVALID, { params: paramsOf(resource, 'word'), ...caller() });
    if (!ofOne.some(({ operationId }) => operationId === update)) {
      await refused(service, update, MISSING, { params: unknown(), body: resource.changes[0] });
    }
  });

  it('has a unique name', async () => {
    if (unique === null) {
      expect((await make()).key).not.toBe((await make()).key);
      return;
    }
    const [first, second] = [await make(), await make()];
    const taken = { ...second.body, [unique]: first.body[unique] };
    await refused(service, create, CONFLICT, { params: at, body: taken, ...caller() });
    if (changeable.has(unique)) {
      const body = changeOf(resource, second.body, { [unique]: first.body[unique] });
      await refused(service, update, CONFLICT, { params: second.params, body, ...caller() });
    }
    if (!validate) return;
    await refused(service, validate, CONFLICT, { params: at, body: { [unique]: first.body[unique] } });
    await accepted(service, validate, { params: at, body: { [unique]: exampleOf(resource)[unique] } });
  });

  it.each(Object.entries(resource.invalid))('is not created, changed or validated with %s', async (_what, wrong) => {
    await refused(service, create, INVALID, { params: at, body: { ...exampleOf(resource), ...wrong }, ...caller() });
    const [name] = Object.keys(wrong);
    if (validate && name === unique) await refused(service, validate, INVALID, { params: at, body: wrong });
    if (name === undefined || wrong[name] === undefined || !changeable.has(name)) return;
    const body = changeOf(resource, known.body, wrong);
    await refused(service, update, INVALID, { params: known.params, body, ...caller() });
  });

  if (resource.takesAnyName) {
    it('has a name that is special in JavaScript', async () => {
      for (const name of ['__proto__', 'constructor', 'toString', "a!b*c'd(e)"]) {
        const body = { ...exampleOf(resource), [keyField]: name };
        const made = await createOne(service, resource, { params: at, body });
        await expectShown(made, { ...body, ...shown });
      }
    });
  }
});

describe('the number of objects', () => {
  const limits = limitEntries().flatMap(([, { counts, env, ofUser }]) =>
    counts && env && !ofUser ? [{ counts, env }] : [],
  );
  const bounded = RESOURCES.flatMap((resource) =>
    limits.filter(({ counts }) => counts === resource.collection).map(({ env }) => ({ ...resource, env })),
  );
  let small: TestService;

  beforeAll(async () => {
    const oneMore = bounded.map(({ env, collection }) => [env, String((sizes.get(collection) ?? 0) + 1)]);
    small = await startTestService({ env: { ...ADDON_ENV, ...Object.fromEntries(oneMore) } });
  });

  afterAll(() => small.close());

  it('is bounded for every kind; personal objects have a fixed limit for each user', () => {
    const shared = RESOURCES.filter(({ isPersonal }) => !isPersonal);
    expect(bounded.map(({ what }) => what)).toEqual(shared.map(({ what }) => what));
  });

  it.each(bounded)('is bounded by $env: $what', async ({ env, ...resource }) => {
    const { state } = small.running.services;
    // Kinds of one collection share its limit.
    if (state.size(resource.collection) === sizes.get(resource.collection)) await createOne(small, resource);
    const more = { params: resource.at ?? {}, body: exampleOf(resource) };
    const { body } = await refused(small, operationsOf(resource).create, INVALID, more);
    expect(body.message).toContain(`The option ${env} sets this limit.`);
  });
});
