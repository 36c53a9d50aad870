import { beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { type FieldChange, fieldChanges } from '../../../src/features/shared/field-changes.ts';
import { REVISION_HEADER } from '../../../src/http/answer.ts';
import { accepted, FORBIDDEN, INVALID, MISSING, refused } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { changeAtRandom, PLACE, prepareProjects } from '../../support/random-changes.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();

beforeAll(async () => {
  await prepareProjects(service);
});

/** Flags and segments as they are stored, without who changed them and when. */
function stored(): Map<string, string> {
  const { state } = service.running.services;
  const found = new Map<string, string>();
  for (const { collaborators: _collaborators, changedAt: _changedAt, ...feature } of state.values('features')) {
    found.set(`feature ${feature.name}`, JSON.stringify(feature));
  }
  for (const segment of state.values('segments')) found.set(`segment ${segment.id}`, JSON.stringify(segment));
  return found;
}

const seq = () => service.running.services.state.seq;

const undo = (revision: number, body?: object) =>
  service.call('undoRevision', { params: { revision }, ...(body && { body }) });

/** Makes a random change that changes a flag or a segment, and returns the states before and after it. */
async function changed(random: Mulberry32) {
  for (;;) {
    const before = stored();
    // Not the newest revision: the service makes commits of its own, such as one for each minute in which tokens were used.
    const revision = await changeAtRandom(service, random);
    const after = stored();
    if (JSON.stringify([...before]) !== JSON.stringify([...after])) return { before, after, revision };
  }
}

const sorted = (states: ReadonlyMap<string, string>) => [...states].sort();

describe('an undo', () => {
  it('gives the same bytes as before, and an undo of the undo the same as after the change', async () => {
    const random = new Mulberry32(11);
    const kinds = new Set<number>();
    for (let step = 0; step < atDepth({ quick: 40, full: 1_000 }); step++) {
      const { before, after, revision } = await changed(random);
      const { status, body, text, headers } = await undo(revision);
      expect(status, text).toBe(200);
      expect(body.undone).toBeGreaterThan(0);
      expect(sorted(stored()), `undo of ${revision}`).toEqual(sorted(before));
      const again = await undo(Number(headers.get(REVISION_HEADER)));
      expect(again.status, again.text).toBe(200);
      expect(sorted(stored()), `undo of the undo of ${revision}`).toEqual(sorted(after));
      kinds.add(before.size - after.size);
    }
    expect([...kinds].sort()).toEqual(expect.arrayContaining([-1, 0, 1]));
  });

  it('changes only the fields of its commit, and nothing if one of them was changed again', async () => {
    const random = new Mulberry32(12);
    const recent: { before: Map<string, string>; after: Map<string, string>; revision: number }[] = [];
    const seen = { undone: 0, conflict: 0, refused: 0 };
    for (let step = 0; step < atDepth({ quick: 100, full: 1_000 }); step++) {
      recent.push(await changed(random));
      if (recent.length <= 3) continue;
      const { before, after, revision } = recent.shift() as (typeof recent)[number];
      const current = stored();
      const { status, body } = await undo(revision);
      if (status !== 200) {
        expect(sorted(stored())).toEqual(sorted(current));
        if (body.details.some(({ path }: { path?: string }) => path?.startsWith('/features/'))) seen.conflict++;
        else seen.refused++;
        continue;
      }
      seen.undone++;
      for (const name of new Set([...before.keys(), ...after.keys(), ...current.keys()])) {
        const parsed = [before, after, current, stored()].map((states) => JSON.parse(states.get(name) ?? 'null'));
        const [old, changedTo, now, result] = parsed.map((value) => value ?? undefined);
        const wanted = fieldChanges(old, changedTo).map(reversed);
        expect(withoutOrder(fieldChanges(now, result)), `undo of ${revision}`).toEqual(
          withoutOrder(wanted.filter(({ path, after: value }) => !isAt(now, path, value))),
        );
      }
    }
    expect(seen.undone).toBeGreaterThan(20);
    expect(seen.conflict).toBeGreaterThan(5);
  });

  /** The random changes before may have taken the environment from the project. */
  const hasEnvironment = () =>
    service.call('addEnvironmentToProject', { params: PLACE, body: { environment: 'development' } });

  it('needs the permissions of the edits, something to undo, and known objects', async () => {
    await hasEnvironment();
    const params = { ...PLACE, featureName: 'undo.rights' };
    await accepted(service, 'createFeature', { params, body: { name: 'undo.rights' } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const revision = seq();
    await putUser(service, 901, { rootRole: 3 });
    const viewer = await browserOf(service, 901);
    const answer = await fetch(`${service.url}/api/admin/history/${revision}/undo`, {
      method: 'POST',
      headers: { ...viewer, 'content-type': 'application/json' },
      body: '{}',
    });
    const body = (await answer.json()) as { name: string };
    expect([answer.status, body.name]).toEqual(FORBIDDEN);
    await refused(service, 'undoRevision', MISSING, { params: { revision: revision + 1_000 } });
    const entities = [{ type: 'feature', id: 'another' }];
    await refused(service, 'undoRevision', MISSING, { params: { revision }, body: { entities } });
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'deleteFeature', { params });
    await accepted(service, 'createFeature', { params, body: { name: 'undo.rights' } });
    // The new flag of the same name is as the other one was before the commit.
    const { body: again } = await accepted(service, 'undoRevision', { params: { revision } });
    expect(again.undone).toBe(0);
  });

  it('becomes a draft change request where the environment is protected', async () => {
    await hasEnvironment();
    const params = { ...PLACE, featureName: 'undo.protected' };
    await accepted(service, 'createFeature', { params, body: { name: 'undo.protected' } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const revision = seq();
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params,
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const body = { changeRequest: { environment: 'development' } };
    const { body: answer } = await accepted(service, 'undoRevision', { params: { revision }, body });
    const { body: request } = await accepted(service, 'getChangeRequest', {
      params: { ...params, id: answer.changeRequest },
    });
    expect(request.state).toBe('Draft');
    expect(request.features[0].changes.map(({ action }: { action: string }) => action).sort()).toEqual([
      'deleteStrategy',
      'updateEnabled',
    ]);
    const begun = { changeRequest: { environment: 'development', draft: 'new' } };
    const { body: other } = await accepted(service, 'undoRevision', { params: { revision }, body: begun });
    expect(other.changeRequest).toBeGreaterThan(answer.changeRequest);
  });

  it('of a segment alone becomes a change request of the named project', async () => {
    await hasEnvironment();
    const params = { ...PLACE, featureName: 'undo.segmented' };
    const segment = { name: 'undo.shops', constraints: [] };
    const { body: made } = await accepted(service, 'createSegment', { body: segment });
    const constraints = [{ contextName: 'appName', operator: 'IN', values: ['shop'] }];
    await accepted(service, 'updateSegment', { params: { id: made.id }, body: { ...segment, constraints } });
    const revision = seq();
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params,
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const asked = (more: object) => ({
      params: { revision },
      body: { changeRequest: { environment: 'development', ...more } },
    });
    await refused(service, 'undoRevision', INVALID, asked({}));
    const { body: answer } = await accepted(service, 'undoRevision', asked({ project: 'default', draft: 'new' }));
    const { body: request } = await accepted(service, 'getChangeRequest', {
      params: { ...params, id: answer.changeRequest },
    });
    expect(request.segments).toMatchObject([{ changes: [{ action: 'updateSegment', payload: { constraints: [] } }] }]);
  });
});

const reversed = ({ path, before, after }: FieldChange): FieldChange => ({
  path,
  ...(after !== undefined && { before: after }),
  ...(before !== undefined && { after: before }),
});

const withoutOrder = (changes: readonly FieldChange[]) =>
  changes.filter(({ path }) => !path.endsWith('#order')).sort((left, right) => (left.path < right.path ? -1 : 1));

/** Whether the field has the value already: somebody has undone the change by hand. */
function isAt(entity: unknown, path: string, value: unknown): boolean {
  return fieldChanges(entity, undefined).length === 0
    ? value === undefined && path === ''
    : !fieldChanges({ x: entity }, { x: entity }).some(() => true) &&
        JSON.stringify(at(entity, path)) === JSON.stringify(value);
}

function at(entity: unknown, path: string): unknown {
  let found: unknown = entity;
  for (const token of path.split('/').slice(1)) {
    if (Array.isArray(found))
      found = found.find((item) =>
        [item.environment, item.id, item.feature, item.name, `${item.type}:${item.value}`].includes(token),
      );
    else found = (found as Record<string, unknown> | undefined)?.[token];
  }
  return found;
}
