import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRequestEndpoints } from '../../../src/features/change-requests/routes.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { CHANGE_REQUEST_STATES } from '../../../src/model/change-request.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, type CallOptions, startTestService, type TestService } from '../../support/service.ts';

const PRODUCTION = { projectId: 'default', environment: 'production' };
const HOUR_MS = 3_600_000;

let service: TestService;
let clock: ManualClock;
/** Two members of the project, its owner, and a user who may only read. */
let people: Record<'ada' | 'grace' | 'owner' | 'viewer', { readonly id: number; readonly token: string }>;

/** Sets variants in the environments of the flag: a flag without any cannot get them for a single environment. */
async function haveVariants(): Promise<void> {
  const params = { projectId: 'default', featureName: 'flag' };
  await accepted(service, 'overwriteFeatureVariants', { params, body: [{ name: 'old', weight: 1000 }] });
}

beforeEach(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock });
  const entries = await Promise.all(
    (['ada', 'grace', 'owner', 'viewer'] as const).map(async (name, index) => {
      const id = 100 + index;
      await putUser(service, id, { rootRole: ROLE_ID.viewer, username: name, email: null });
      return [name, { id, token: await personalTokenOf(service, id) }] as const;
    }),
  );
  people = Object.fromEntries(entries) as typeof people;
  await prepare(service, (draft) => {
    for (const name of ['ada', 'grace'] as const) give(draft, 'default', 'user', people[name].id, [ROLE_ID.member]);
    give(draft, 'default', 'user', people.owner.id, [ROLE_ID.owner]);
  });
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'flag' } });
  const variants = { params: { projectId: 'default', featureName: 'flag' }, body: [{ name: 'blue', weight: 1000 }] };
  await accepted(service, 'overwriteFeatureVariants', variants);
  await protect(1);
});

afterEach(() => service.close());

const protect = (requiredApprovals: number, changeRequestsEnabled = true) =>
  accepted(service, 'updateProjectChangeRequestConfig', {
    params: PRODUCTION,
    body: { changeRequestsEnabled, requiredApprovals },
  });

type Person = keyof typeof people;

const as = (person: Person, options: CallOptions = {}): CallOptions => ({ ...options, token: people[person].token });

const ask = (person: Person, body: unknown) => as(person, { params: PRODUCTION, body });

const ON = { feature: 'flag', action: 'updateEnabled', payload: { enabled: true } };

/** Adds these changes to the draft of the person, and returns its id. */
async function draftOf(person: Person, body: unknown = ON): Promise<number> {
  return (await accepted(service, 'createChangeRequest', ask(person, body))).body.id;
}

const at = (id: number, more: object = {}) => ({ projectId: 'default', id, ...more });

const move = (person: Person, id: number, state: string, more: object = {}) =>
  accepted(service, 'changeChangeRequestState', as(person, { params: at(id), body: { state, ...more } }));

const mayNot = (
  person: Person,
  expected: Parameters<typeof refused>[2],
  id: number,
  state: string,
  more: object = {},
) => refused(service, 'changeChangeRequestState', expected, as(person, { params: at(id), body: { state, ...more } }));

const read = async (id: number) => (await accepted(service, 'getChangeRequest', { params: at(id) })).body;

async function approved(body: unknown = ON): Promise<number> {
  const id = await draftOf('ada', body);
  await move('ada', id, 'In review');
  await move('grace', id, 'Approved');
  return id;
}

const inHours = (hours: number) => new Date(clock.nowMs() + hours * HOUR_MS).toISOString();

async function scheduled(body: unknown = ON): Promise<number> {
  const id = await approved(body);
  await move('grace', id, 'Scheduled', { scheduledAt: inHours(2) });
  return id;
}

const isOn = async () => {
  const params = { ...PRODUCTION, featureName: 'flag' };
  return (await accepted(service, 'getFeatureEnvironment', { params })).body.enabled as boolean;
};

const TOGGLE = { params: { ...PRODUCTION, featureName: 'flag' } };

describe('the configuration', () => {
  it('lists every environment of the project, with its setting and its number of approvals', async () => {
    const { body } = await accepted(service, 'getProjectChangeRequestConfig', { params: { projectId: 'default' } });
    expect(body).toEqual([
      {
        environment: 'development',
        type: 'development',
        changeRequestEnabled: false,
        requiredApprovals: null,
        safeguardsSkipReview: false,
      },
      {
        environment: 'production',
        type: 'production',
        changeRequestEnabled: true,
        requiredApprovals: 1,
        safeguardsSkipReview: false,
      },
    ]);
    await protect(10);
    await protect(1, false);
    const approvalsFor = async (requiredApprovals: number) => {
      await protect(requiredApprovals);
      const answer = await accepted(service, 'getProjectChangeRequestConfig', { params: { projectId: 'default' } });
      return answer.body[1].requiredApprovals;
    };
    expect([await approvalsFor(0), await approvalsFor(-1), await approvalsFor(11)]).toEqual([1, 1, 10]);
    await protect(1, false);
    const bodies = [1.5, '1'].map((requiredApprovals) => ({ changeRequestsEnabled: true, requiredApprovals }));
    for (const wrong of bodies) {
      await refused(service, 'updateProjectChangeRequestConfig', INVALID, { params: PRODUCTION, body: wrong });
    }
    const params = { projectId: 'default', environment: 'nowhere' };
    const right = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await refused(service, 'updateProjectChangeRequestConfig', MISSING, { params, body: right });
    await refused(
      service,
      'updateProjectChangeRequestConfig',
      FORBIDDEN,
      as('grace', { params: PRODUCTION, body: right }),
    );
    await accepted(service, 'updateProjectChangeRequestConfig', as('owner', { params: PRODUCTION, body: right }));
  });

  it('must enable reviews before a change request can be created', async () => {
    await protect(1, false);
    await refused(service, 'createChangeRequest', INVALID, ask('ada', ON));
  });
});

describe('a change request', () => {
  it('is drafted, sent to review, approved, and then applied in one commit', async () => {
    const events = await eventsOf(service, async () => {
      const id = await draftOf('ada', [ON, { ...ON, action: 'patchVariant', payload: { variants: [] } }]);
      expect(await read(id)).toEqual({
        id,
        title: `Change request #${id}`,
        environment: 'production',
        project: 'default',
        minApprovals: 1,
        changesVersion: expect.stringMatching(/^[\w-]{22}$/),
        features: [
          {
            name: 'flag',
            changes: [
              expect.objectContaining({ action: 'updateEnabled', payload: { enabled: true }, id: expect.any(Number) }),
              expect.objectContaining({ action: 'patchVariant', payload: { variants: [] } }),
            ],
            defaultChange: { action: 'addStrategy', payload: expect.objectContaining({ name: 'flexibleRollout' }) },
          },
        ],
        segments: [],
        approvals: [],
        rejections: [],
        comments: [],
        state: 'Draft',
        createdBy: { id: people.ada.id, username: 'ada', imageUrl: expect.stringContaining('https://') },
        createdAt: new Date(clock.nowMs()).toISOString(),
      });
      // A user has one draft in an environment: the next change is added to it.
      expect(await draftOf('ada', { ...ON, payload: { enabled: false } })).toBe(id);
      expect(await draftOf('grace')).not.toBe(id);
      const { body } = await accepted(
        service,
        'getPendingChangeRequestsForUser',
        as('ada', { params: { projectId: 'default' } }),
      );
      expect(body.map((one: { id: number }) => one.id)).toEqual([id]);
      const [, , last] = (await read(id)).features[0].changes;
      await accepted(service, 'discardChange', as('ada', { params: at(id, { changeId: last.id }) }));
      await accepted(
        service,
        'updateChangeRequestTitle',
        as('ada', { params: at(id), body: { title: 'Switch it on' } }),
      );
      await move('ada', id, 'In review', { comment: 'please' });
      await accepted(
        service,
        'addChangeRequestComment',
        as('grace', { params: at(id), body: { text: 'I look at it' } }),
      );
      expect((await move('grace', id, 'Approved', { comment: 'fine' })).body.state).toBe('Approved');
      expect(await isOn()).toBe(false);
      const { seq } = service.running.services.state;
      const applied = await move('grace', id, 'Applied');
      expect(applied.headers.get('burgee-revision')).toBe(String(seq + 1));
      expect(applied.body).toMatchObject({
        state: 'Applied',
        title: 'Switch it on',
        approvals: [{ createdBy: { id: people.grace.id, username: 'grace' } }],
        comments: [
          { id: 1, text: 'please' },
          { id: 2, text: 'I look at it' },
          { id: 3, text: 'fine', createdBy: { username: 'grace' } },
        ],
      });
      expect(await isOn()).toBe(true);
    });
    expect(events.map(({ type }) => type)).toEqual([
      'change-request-created',
      'change-added',
      'change-added',
      'change-added',
      'change-request-created',
      'change-added',
      'change-discarded',
      'change-request-sent-to-review',
      'change-request-approval-added',
      'change-request-approved',
      'feature-strategy-add',
      'feature-environment-enabled',
      'feature-environment-variants-updated',
      'change-request-applied',
    ]);
    expect(events.at(-1)).toMatchObject({
      createdBy: 'grace',
      project: 'default',
      environment: 'production',
      data: { title: 'Switch it on', approvedBy: ['grace'] },
    });
  });

  it('has the reasons of its changes as comments, for its reviewers', async () => {
    await protect(1);
    const because = (reason: string) => ({ 'burgee-reason': encodeURIComponent(reason) });
    const id = await draftOf('ada');
    const params = { projectId: 'default', environment: 'production' };
    const body = [{ ...ON, payload: { enabled: false } }];
    const headers = because('Für 5 %');
    expect((await accepted(service, 'createChangeRequest', as('ada', { params, body, headers }))).body.id).toBe(id);
    const [change] = (await read(id)).features[0].changes;
    const edited = { action: change.action, payload: change.payload };
    await accepted(
      service,
      'editChange',
      as('ada', { params: at(id, { changeId: change.id }), body: edited, headers: because('Again') }),
    );
    expect((await read(id)).comments).toMatchObject([
      { text: 'Für 5 %', createdBy: { username: 'ada' } },
      { text: 'Again', createdBy: { username: 'ada' } },
    ]);
    const edit = (reason: string) =>
      accepted(
        service,
        'editChange',
        as('ada', { params: at(id, { changeId: change.id }), body: edited, headers: because(reason) }),
      );
    await edit('Again');
    expect((await read(id)).comments).toHaveLength(2);
    // A reason never makes an edit exceed the limit of comments.
    for (let count = 0; count < 102; count++) await edit(`Reason ${count}`);
    expect((await read(id)).comments).toHaveLength(100);
  });

  it('is reviewed by other users only, by the required number of them, and once by each', async () => {
    await protect(2);
    const id = await draftOf('ada');
    await mayNot('ada', INVALID, id, 'Applied');
    await mayNot('grace', MISSING, id, 'In review');
    await move('ada', id, 'In review');
    await mayNot('ada', FORBIDDEN, id, 'Approved');
    await mayNot('ada', FORBIDDEN, id, 'Rejected');
    await mayNot('viewer', FORBIDDEN, id, 'Approved');
    expect((await move('grace', id, 'Approved')).body.state).toBe('In review');
    await mayNot('grace', CONFLICT, id, 'Approved');
    await mayNot('grace', INVALID, id, 'Applied');
    await mayNot('grace', INVALID, id, 'Scheduled', { scheduledAt: inHours(1) });
    expect((await move('owner', id, 'Approved')).body).toMatchObject({ state: 'Approved', minApprovals: 2 });
    await mayNot('viewer', FORBIDDEN, id, 'Applied');
    await mayNot('ada', FORBIDDEN, 99, 'Applied').catch(() => mayNot('ada', MISSING, 99, 'Applied'));
    await move('ada', id, 'Applied');
    for (const state of ['In review', 'Approved', 'Applied', 'Cancelled', 'Rejected', 'Draft'])
      expect([400, 403]).toContain(
        (await service.call('changeChangeRequestState', as('owner', { params: at(id), body: { state } }))).status,
      );
    expect((await read(id)).state).toBe('Applied');
  });

  it('needs as many approvals as are required when it is applied, even if fewer were enough before', async () => {
    const [id, later] = [await approved(), await approved({ ...ON, payload: { enabled: false } })];
    await move('grace', later, 'Scheduled', { scheduledAt: inHours(1) });
    await protect(2);
    const { body } = await mayNot('grace', CONFLICT, id, 'Applied');
    expect(body.message).toContain('now needs 2 approvals, and has 1');
    await mayNot('grace', CONFLICT, id, 'Scheduled', { scheduledAt: inHours(1) });
    await mayNot('grace', CONFLICT, later, 'Applied');
    await mayNot('grace', CONFLICT, id, 'Approved');
    await mayNot('ada', FORBIDDEN, id, 'Approved');
    for (const [one, state] of [
      [id, 'Approved'],
      [later, 'Scheduled'],
    ] as const) {
      expect((await move('owner', one, 'Approved')).body).toMatchObject({ state, minApprovals: 2 });
      await mayNot('owner', INVALID, one, 'Approved');
      await move('grace', one, 'Applied');
    }
  });

  it('has to be approved again after it was edited', async () => {
    const id = await approved();
    const [change] = (await read(id)).features[0].changes;
    const params = at(id, { changeId: change.id });
    await refused(service, 'editChange', FORBIDDEN, as('grace', { params, body: { action: 'archiveFeature' } }));
    await refused(
      service,
      'editChange',
      INVALID,
      as('ada', { params, body: { action: 'updateEnabled', payload: {} } }),
    );
    await refused(service, 'discardChange', INVALID, as('ada', { params }));
    await refused(service, 'discardChange', MISSING, as('ada', { params: at(id, { changeId: 99 }) }));
    const answer = await accepted(
      service,
      'editChange',
      as('ada', { params, body: { action: 'updateEnabled', payload: { enabled: false } } }),
    );
    const edited = await read(id);
    expect(answer.body).toEqual(edited);
    expect([edited.state, edited.approvals]).toEqual(['In review', []]);
    expect(edited.features[0].changes).toEqual([
      expect.objectContaining({ id: change.id, payload: { enabled: false } }),
    ]);
    await mayNot('grace', INVALID, id, 'Applied');
  });

  it('is reviewed only in its current version, when the reviewer sends a changesVersion', async () => {
    const id = await draftOf('ada', [ON, { ...ON, action: 'addStrategy', payload: { name: 'default' } }]);
    const drafted = (await move('ada', id, 'In review')).body.changesVersion;
    expect((await read(id)).changesVersion).toBe(drafted);
    const [first, second] = (await read(id)).features[0].changes;
    // The author edits it just before the review.
    const off = { action: 'updateEnabled', payload: { enabled: false } };
    await accepted(service, 'editChange', as('ada', { params: at(id, { changeId: first.id }), body: off }));
    const edited = (await read(id)).changesVersion;
    for (const state of ['Approved', 'Rejected', 'Cancelled', 'Draft']) {
      const refusal = await mayNot('grace', CONFLICT, id, state, { changesVersion: drafted });
      expect(refusal.body.message).toContain('changesVersion');
    }
    await accepted(service, 'discardChange', as('ada', { params: at(id, { changeId: second.id }) }));
    await mayNot('grace', CONFLICT, id, 'Approved', { changesVersion: edited });
    const { changesVersion } = await read(id);
    expect(new Set([drafted, edited, changesVersion]).size).toBe(3);
    // Comments and the title are not part of the version.
    await accepted(service, 'addChangeRequestComment', as('grace', { params: at(id), body: { text: 'fine' } }));
    await accepted(service, 'updateChangeRequestTitle', as('ada', { params: at(id), body: { title: 'off' } }));
    expect((await move('grace', id, 'Approved', { changesVersion })).body).toMatchObject({
      state: 'Approved',
      changesVersion,
    });
    await mayNot('grace', CONFLICT, id, 'Applied', { changesVersion: drafted });
    await mayNot('grace', CONFLICT, id, 'Scheduled', { changesVersion: drafted, scheduledAt: inHours(1) });
    await mayNot('grace', INVALID, id, 'Applied', { changesVersion: '' });
    await move('grace', id, 'Scheduled', { changesVersion, scheduledAt: inHours(1) });
    await move('grace', id, 'Applied', { changesVersion });
    // A request that went back to draft and was edited has another version: no one has seen its new changes.
    const again = await draftOf('ada');
    const seen = (await move('ada', again, 'In review')).body;
    await move('ada', again, 'Draft');
    await draftOf('ada', { ...ON, action: 'addStrategy', payload: { name: 'default' } });
    await move('ada', again, 'In review');
    await mayNot('grace', CONFLICT, again, 'Approved', { changesVersion: seen.changesVersion });
    await move('grace', again, 'Approved');
  });

  it('does not reveal to other users whether a changesVersion is that of a draft', async () => {
    const id = await draftOf('ada');
    await mayNot('grace', MISSING, id, 'Approved', { changesVersion: 'a guess' });
  });

  it('lists the requested reviewers, with the decision of each', async () => {
    const id = await draftOf('ada');
    const asked = (reviewers: readonly number[]) => as('ada', { params: at(id), body: { reviewers } });
    const approvers = async (person: Person = 'viewer') =>
      (await accepted(service, 'getChangeRequestApprovers', as(person, { params: at(id) }))).body.reviewers;
    const available = (
      await accepted(service, 'getAvailableChangeRequestReviewers', as('viewer', { params: PRODUCTION }))
    ).body;
    const names = available.reviewers.map(({ username }: { username: string }) => username);
    expect(names).toEqual(expect.arrayContaining(['ada', 'grace', 'owner']));
    expect(names).not.toContain('viewer');
    const nowhere = { ...PRODUCTION, environment: 'nowhere' };
    await refused(service, 'getAvailableChangeRequestReviewers', MISSING, { params: nowhere });
    await accepted(service, 'addChangeRequestReviewers', asked([people.owner.id, people.grace.id, people.owner.id]));
    // Only its author can see a draft.
    await refused(service, 'getChangeRequestApprovers', MISSING, as('viewer', { params: at(id) }));
    await move('ada', id, 'In review');
    expect(await approvers()).toMatchObject([
      { id: people.owner.id, username: 'owner', status: 'unknown' },
      { id: people.grace.id, username: 'grace', status: 'unknown' },
    ]);
    await move('grace', id, 'Approved');
    expect((await approvers()).map(({ status }: { status: string }) => status)).toEqual(['unknown', 'approved']);
    for (const ids of [[people.viewer.id], [9999], Array.from({ length: 11 }, () => people.grace.id)]) {
      await refused(service, 'addChangeRequestReviewers', INVALID, asked(ids));
    }
    const foreign = as('grace', { params: at(id), body: { reviewers: [] } });
    await refused(service, 'addChangeRequestReviewers', FORBIDDEN, foreign);
    const found = async (query: string) =>
      (await accepted(service, 'searchChangeRequests', { query })).body.changeRequests.map(
        (one: { id: number }) => one.id,
      );
    expect(await found(`requestedApproverId=IS:${people.owner.id}`)).toEqual([id]);
    await accepted(service, 'addChangeRequestReviewers', asked([people.grace.id]));
    expect(await found(`requestedApproverId=${people.owner.id}`)).toEqual([]);
    await move('ada', id, 'Cancelled');
    await refused(service, 'addChangeRequestReviewers', INVALID, asked([]));
  });

  it('is found by those who may approve it and have not, and not by its author', async () => {
    const id = await draftOf('ada');
    const waitFor = async (person: Person) =>
      (
        await accepted(service, 'searchChangeRequests', as(person, { query: 'awaitsMyApproval=true' }))
      ).body.changeRequests.some((one: { id: number }) => one.id === id);
    expect(await waitFor('ada')).toBe(false);
    expect(await waitFor('grace')).toBe(false);
    await move('ada', id, 'In review');
    expect(await waitFor('grace')).toBe(true);
    expect(await waitFor('owner')).toBe(true);
    expect(await waitFor('viewer')).toBe(false);
    expect(await waitFor('ada')).toBe(false);
    await move('grace', id, 'Approved');
    expect(await waitFor('grace')).toBe(false);
    expect(await waitFor('owner')).toBe(false);
    await move('ada', id, 'Cancelled');
    await refused(service, 'searchChangeRequests', INVALID, { query: 'awaitsMyApproval=maybe' });
    const ofFlags = async (query: string) =>
      (await accepted(service, 'searchChangeRequests', { query })).body.changeRequests.map(
        (one: { id: number }) => one.id,
      );
    const request = (await accepted(service, 'getChangeRequest', { params: at(id) })).body;
    expect(Date.parse(request.closedAt)).toBeGreaterThanOrEqual(Date.parse(request.createdAt));
    const [{ name }] = request.features;
    expect(await ofFlags(`feature=nothing&feature=${name}`)).toContain(id);
    expect(await ofFlags('feature=nothing')).toEqual([]);
    expect(await ofFlags(`feature=${name}&environment=${request.environment}`)).toContain(id);
    expect(await ofFlags(`feature=${name}&environment=elsewhere`)).toEqual([]);
  });

  it('is rejected, cancelled, withdrawn and discarded', async () => {
    const first = await draftOf('ada');
    await mayNot('ada', INVALID, first, 'Cancelled');
    await refused(service, 'discardChangeRequest', MISSING, as('grace', { params: at(first) }));
    await accepted(service, 'discardChangeRequest', as('ada', { params: at(first) }));
    await refused(service, 'getChangeRequest', MISSING, { params: at(first) });
    const second = await approved();
    expect((await move('grace', second, 'Rejected', { comment: 'no' })).body).toMatchObject({
      state: 'Rejected',
      comments: [{ text: 'no' }],
      rejections: [{ createdBy: { username: 'grace' } }],
    });
    const third = await approved();
    await mayNot('grace', FORBIDDEN, third, 'Cancelled');
    expect((await move('ada', third, 'Draft')).body).toMatchObject({ state: 'Draft', approvals: [] });
    await move('ada', third, 'In review');
    await draftOf('ada');
    expect((await move('ada', third, 'Draft')).body.state).toBe('Draft');
    await move('ada', third, 'In review');
    expect((await move('owner', third, 'Cancelled')).body.state).toBe('Cancelled');
    const { body } = await accepted(service, 'getProjectChangeRequestCount', { params: { projectId: 'default' } });
    expect(body).toEqual({ total: 2, approved: 0, applied: 0, rejected: 1, reviewRequired: 0, scheduled: 0 });
  });

  it('is begun beside a draft, or a draft is named; the newest draft is the one without a choice', async () => {
    const first = await draftOf('ada');
    const chosen = (draft: string | number) => ({
      ...ask('ada', { ...ON, payload: { enabled: false } }),
      query: `draft=${draft}`,
    });
    const { body: second } = await accepted(service, 'createChangeRequest', chosen('new'));
    expect(second.id).toBeGreaterThan(first);
    expect((await accepted(service, 'createChangeRequest', chosen(first))).body.features[0].changes).toHaveLength(2);
    expect(await draftOf('ada')).toBe(second.id);
    const ofGrace = await draftOf('grace');
    for (const id of [ofGrace, 999_999]) await refused(service, 'createChangeRequest', MISSING, chosen(id));
    await refused(service, 'createChangeRequest', INVALID, chosen('newest'));
    await move('ada', first, 'In review');
    await refused(service, 'createChangeRequest', MISSING, chosen(first));
  });

  it('accepts no change that cannot be made, and none of the changes that are sent with it', async () => {
    const wrong: readonly (readonly [Parameters<typeof refused>[2], object])[] = [
      [MISSING, { ...ON, feature: 'nothing' }],
      [INVALID, { action: 'updateEnabled', payload: { enabled: true } }],
      [INVALID, { ...ON, payload: { enabled: 'yes' } }],
      [INVALID, { ...ON, action: 'createFeature' }],
      [MISSING, { ...ON, action: 'deleteStrategy', payload: { id: 'none' } }],
      [INVALID, { ...ON, action: 'deleteStrategy' }],
      [INVALID, { ...ON, action: 'addStrategy', payload: { name: 'no-such-strategy' } }],
      [FORBIDDEN, { ...ON, action: 'addDependency', payload: { feature: 'flag' } }],
      [FORBIDDEN, { action: 'updateSegment', payload: { id: 1, name: 'a', constraints: [] } }],
      [FORBIDDEN, { ...ON, action: 'archiveFeature' }],
    ];
    await accepted(service, 'createSegment', { body: { name: 'segment', constraints: [] } });
    for (const [expected, body] of wrong) {
      await refused(service, 'createChangeRequest', expected, ask('ada', body));
      if (expected !== INVALID) await refused(service, 'createChangeRequest', expected, ask('ada', [ON, body]));
    }
    await refused(service, 'createChangeRequest', FORBIDDEN, ask('viewer', ON));
    await refused(service, 'createChangeRequest', INVALID, ask('ada', []));
    const many = Array.from({ length: DEFAULT_LIMITS.changeRequestChanges + 1 }, () => ON);
    await refused(service, 'createChangeRequest', INVALID, ask('ada', many));
    expect(service.running.services.state.size('changeRequests')).toBe(0);
  });

  it('stores every kind of change, and returns it as it was requested', async () => {
    const strategies = { projectId: 'default', featureName: 'flag', environment: 'production' };
    const skip = { params: strategies };
    await haveVariants();
    const made = await Promise.all(
      ['default', 'flexibleRollout'].map((name) =>
        accepted(service, 'addFeatureStrategy', { ...skip, body: { name } }),
      ),
    );
    const [one, other] = made.map(({ body }) => body.id as string);
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'parent' } });
    const segment = (
      await accepted(service, 'createSegment', { body: { name: 'segment', constraints: [], project: 'default' } })
    ).body.id;
    const unused = (
      await accepted(service, 'createSegment', { body: { name: 'unused', constraints: [], project: 'default' } })
    ).body.id;
    const wanted = [
      { feature: 'flag', action: 'addStrategy', payload: { name: 'default', segments: [segment] } },
      { feature: 'flag', action: 'updateStrategy', payload: { id: one, title: 'first' } },
      { feature: 'flag', action: 'deleteStrategy', payload: { id: other } },
      { feature: 'flag', action: 'reorderStrategy', payload: [{ id: one, sortOrder: 7 }] },
      { feature: 'flag', action: 'patchVariant', payload: { variants: [{ name: 'red', weight: 1000 }] } },
      { feature: 'flag', action: 'addDependency', payload: { feature: 'parent', enabled: true, variants: [] } },
      { feature: 'flag', action: 'deleteDependency', payload: { feature: 'parent' } },
      { action: 'updateSegment', payload: { id: segment, name: 'renamed', project: 'default', constraints: [] } },
      { action: 'deleteSegment', payload: { id: unused } },
      { feature: 'parent', action: 'archiveFeature', payload: {} },
    ];
    const id = await draftOf('owner', wanted);
    const { features, segments } = await read(id);
    const returned = [...features, ...segments].flatMap(
      ({ changes }: { changes: { action: string; payload: unknown }[] }) => changes,
    );
    const plain = (changes: readonly { action: string; payload: unknown }[]) =>
      changes.map(({ action, payload }) => ({ action, payload })).sort((a, b) => (a.action < b.action ? -1 : 1));
    expect(plain(returned)).toEqual(plain(wanted));
    expect((await accepted(service, 'getSegment', { params: { id: segment } })).body).toMatchObject({
      usedInFeatures: 1,
      usedInProjects: 1,
    });
    expect((await accepted(service, 'getStrategiesBySegmentId', { params: { id: segment } })).body).toEqual({
      strategies: [],
      changeRequestStrategies: [
        {
          featureName: 'flag',
          projectId: 'default',
          environment: 'production',
          strategyName: 'default',
          changeRequest: { id, title: `Change request #${id}` },
        },
      ],
    });
    await move('owner', id, 'In review');
    await move('ada', id, 'Approved');
    await move('ada', id, 'Applied');
    const { body } = await accepted(service, 'getFeatureStrategies', { params: strategies });
    expect(body).toMatchObject([
      { name: 'default', segments: [segment] },
      { id: one, title: 'first', sortOrder: 7 },
    ]);
    expect(service.running.services.state.get('features', 'parent')?.archived).toBe(true);
    expect(service.running.services.state.get('segments', String(unused))).toBeUndefined();
  });

  it('reports conflicts with later changes, and is applied completely or not at all', async () => {
    const strategy = (await accepted(service, 'addFeatureStrategy', { ...TOGGLE, body: { name: 'default' } })).body.id;
    const id = await approved([ON, { ...ON, action: 'updateStrategy', payload: { id: strategy, title: 'mine' } }]);
    const conflicts = async () => {
      const [{ conflict, changes }] = (await read(id)).features;
      return [conflict, ...changes.map((change: { conflict?: string }) => change.conflict)];
    };
    expect(await conflicts()).toEqual([undefined, undefined, undefined]);
    await accepted(service, 'updateFeatureStrategy', {
      params: { ...TOGGLE.params, strategyId: strategy },
      body: { title: 'theirs' },
    });
    expect(await conflicts()).toEqual([
      undefined,
      undefined,
      expect.stringContaining('has been changed since the change was requested'),
    ]);
    await accepted(service, 'deleteFeatureStrategy', { params: { ...TOGGLE.params, strategyId: strategy } });
    expect(await conflicts()).toEqual([undefined, undefined, expect.stringContaining('has been removed')]);
    await mayNot('grace', CONFLICT, id, 'Applied');
    expect(await isOn()).toBe(false);
    await accepted(service, 'archiveFeature', { params: { projectId: 'default', featureName: 'flag' } });
    expect(await conflicts()).toEqual(Array(3).fill(expect.stringContaining('archived')));
    await mayNot('grace', CONFLICT, id, 'Applied');
  });

  it('is found by its flag, in its project and across projects; drafts of other users are not found', async () => {
    const [own, id] = [await draftOf('grace'), await approved()];
    const ids = async (operationId: string, params: Record<string, string>, query = '') => {
      const { body } = await accepted(service, operationId, as('ada', { params, query }));
      return (body.changeRequests ?? body).map((one: { id: number }) => one.id);
    };
    const project = { projectId: 'default' };
    expect(await ids('getPendingChangeRequestsForFeature', { ...project, featureName: 'flag' })).toEqual([id]);
    expect(await ids('getProjectChangeRequests', project)).toEqual([id]);
    expect(await ids('getOpenChangeRequests', project)).toEqual([id]);
    expect(await ids('searchChangeRequests', {})).toEqual([id]);
    expect(await ids('searchChangeRequests', {}, 'state=IS:Approved&project=IS:default&limit=1')).toEqual([id]);
    expect(await ids('searchChangeRequests', {}, 'state=closed')).toEqual([]);
    expect(await ids('searchChangeRequests', {}, `createdBy=IS:${people.grace.id}`)).toEqual([]);
    expect(await ids('searchChangeRequests', {}, 'offset=1')).toEqual([]);
    expect(await ids('searchChangeRequests', {}, 'limit=1000')).toEqual([id]);
    await refused(service, 'searchChangeRequests', INVALID, { query: 'limit=1001' });
    const later = await approved();
    expect(await ids('searchChangeRequests', {})).toEqual([later, id]);
    expect(await ids('searchChangeRequests', {}, 'offset=1&limit=1')).toEqual([id]);
    expect((await read(own)).state).toBe('Draft');
    await refused(service, 'getPendingChangeRequestsForFeature', MISSING, {
      params: { ...project, featureName: 'none' },
    });
    for (const operationId of ['getProjectChangeRequests', 'getOpenChangeRequests', 'getPendingChangeRequestsForUser'])
      await refused(service, operationId, MISSING, { params: { projectId: 'nowhere' } });
  });

  it('shows its effect in the playgrounds before it is applied', async () => {
    const id = await draftOf('ada');
    const context = { appName: 'a', userId: '1' };
    const plain = async (changeRequest?: number) => {
      const body = { environment: 'production', projects: ['default'], context, changeRequest };
      return (await accepted(service, 'getPlayground', { body })).body.features[0].isEnabled;
    };
    const advanced = async (changeRequest?: number) => {
      const body = { environments: ['production', 'development'], projects: ['default'], context, changeRequest };
      const { environments } = (await accepted(service, 'getAdvancedPlayground', { body })).body.features[0];
      return [environments.production[0].isEnabled, environments.development[0].isEnabled];
    };
    expect([await plain(), await plain(id)]).toEqual([false, true]);
    expect([await advanced(), await advanced(id)]).toEqual([
      [false, false],
      [true, false],
    ]);
    await refused(service, 'getPlayground', INVALID, {
      body: { environment: 'production', context, changeRequest: 99 },
    });
    expect(await isOn()).toBe(false);
  });

  it('is limited in its title, its comments and its bytes', async () => {
    const id = await draftOf('ada');
    const text = 'a'.repeat(DEFAULT_LIMITS.commentLength + 1);
    await refused(service, 'addChangeRequestComment', INVALID, as('ada', { params: at(id), body: { text } }));
    await refused(
      service,
      'updateChangeRequestTitle',
      INVALID,
      as('ada', { params: at(id), body: { title: 'a'.repeat(501) } }),
    );
    for (let count = 0; count < DEFAULT_LIMITS.changeRequestComments; count++)
      await accepted(service, 'addChangeRequestComment', as('ada', { params: at(id), body: { text: 'again' } }));
    await refused(
      service,
      'addChangeRequestComment',
      INVALID,
      as('ada', { params: at(id), body: { text: 'too much' } }),
    );
    const parameters = { groupId: 'x'.repeat(DEFAULT_LIMITS.changeRequestBytes / 2) };
    const large = { ...ON, action: 'addStrategy', payload: { name: 'default', parameters } };
    await refused(service, 'createChangeRequest', INVALID, ask('ada', large));
  });
});

describe('a protected environment', () => {
  it('shows how many approvals a change needs', async () => {
    const { body } = await accepted(service, 'getProjectEnvironments', { params: { projectId: 'default' } });
    const approvals = body.environments.map((one: Record<string, unknown>) => [one.name, one.requiredApprovals]);
    expect(approvals).toEqual([
      ['development', null],
      ['production', 1],
    ]);
  });

  it('refuses every operation that would change it without a review', async () => {
    const where = { projectId: 'default', environment: 'production' };
    const flag = { ...where, featureName: 'flag' };
    await haveVariants();
    const strategy = (await accepted(service, 'addFeatureStrategy', { params: flag, body: { name: 'default' } })).body
      .id;
    await accepted(service, 'createSegment', { body: { name: 'segment', constraints: [], project: 'default' } });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'parent' } });
    const refusals: readonly (readonly [string, CallOptions])[] = [
      ['toggleFeatureEnvironmentOn', { params: flag }],
      ['bulkToggleFeaturesEnvironmentOn', { params: where, body: { features: ['flag'] } }],
      ['addFeatureStrategy', { params: flag, body: { name: 'default' } }],
      ['updateFeatureStrategy', { params: { ...flag, strategyId: strategy }, body: { title: 'other' } }],
      [
        'patchFeatureStrategy',
        { params: { ...flag, strategyId: strategy }, body: [{ op: 'replace', path: '/title', value: 'other' }] },
      ],
      ['deleteFeatureStrategy', { params: { ...flag, strategyId: strategy } }],
      ['overwriteEnvironmentFeatureVariants', { params: flag, body: [{ name: 'red', weight: 1000 }] }],
      [
        'overwriteFeatureVariantsOnEnvironments',
        { params: flag, body: { environments: ['production'], variants: [{ name: 'red', weight: 1000 }] } },
      ],
      ['overwriteFeatureVariants', { params: flag, body: [{ name: 'red', weight: 1000 }] }],
      ['addFeatureDependency', { params: { projectId: 'default', child: 'flag' }, body: { feature: 'parent' } }],
      ['archiveFeature', { params: flag }],
      ['archiveFeatures', { params: { projectId: 'default' }, body: { features: ['flag'] } }],
      ['cloneFeature', { params: flag, body: { name: 'copy' } }],
      ['removeEnvironmentFromProject', { params: where }],
      [
        'updateSegment',
        {
          params: { id: 1 },
          body: {
            name: 'segment',
            project: 'default',
            constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
          },
        },
      ],
      ['removeSegment', { params: { id: 1 } }],
      [
        'importFeatures',
        {
          body: {
            project: 'default',
            environment: 'production',
            data: {
              features: [{ name: 'flag' }],
              featureStrategies: [{ featureName: 'flag', name: 'default', parameters: {}, constraints: [] }],
            },
          },
        },
      ],
    ];
    for (const [operationId, options] of refusals) {
      const { body } = await refused(service, operationId, FORBIDDEN, as('owner', options));
      expect(body.message, operationId).toContain('/environments/production/change-requests');
    }
    // Other environments are not restricted, nor are operations that change no environment.
    await accepted(
      service,
      'toggleFeatureEnvironmentOn',
      as('owner', { params: { ...flag, environment: 'development' } }),
    );
    await accepted(service, 'updateFeature', as('owner', { params: flag, body: { description: 'x' } }));
    await accepted(service, 'createFeature', as('owner', { params: flag, body: { name: 'new' } }));
    // A caller with the permission to skip reviews is not refused.
    for (const [operationId, options] of refusals.slice(0, 4)) await accepted(service, operationId, options);
    await protect(1, false);
    await accepted(service, 'toggleFeatureEnvironmentOff', as('owner', { params: flag }));
  });

  it('is deleted with its project and the project’s segments, also by an owner who needs a review to delete those segments', async () => {
    const params = { projectId: 'brief', environment: 'production' };
    await accepted(service, 'createProject', { body: { id: 'brief', name: 'brief' } });
    await prepare(service, (draft) => give(draft, 'brief', 'user', people.owner.id, [ROLE_ID.owner]));
    const segment = async (name: string) =>
      (await accepted(service, 'createSegment', { body: { name, constraints: [], project: 'brief' } })).body
        .id as number;
    const [used, unused] = [await segment('used'), await segment('unused')];
    const flag = { ...params, featureName: 'brief-flag' };
    await accepted(service, 'createFeature', { params, body: { name: flag.featureName } });
    await accepted(service, 'addFeatureStrategy', { params: flag, body: { name: 'default', segments: [used] } });
    await accepted(service, 'archiveFeature', { params: flag });
    const body = { changeRequestsEnabled: true };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body });
    const removal = as('owner', { params: { id: unused } });
    const { body: refusal } = await refused(service, 'removeSegment', FORBIDDEN, removal);
    expect(refusal.message).toContain('/environments/production/change-requests');
    await accepted(service, 'deleteProject', as('owner', { params: { projectId: 'brief' } }));
    const { state } = service.running.services;
    expect([state.get('projects', 'brief'), state.size('segments')]).toEqual([undefined, 0]);
  });

  it('needs its own approvals when a request in another environment changes it', async () => {
    const development = { projectId: 'default', environment: 'development' };
    const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params: development, body });
    await protect(3);
    const archive = { feature: 'flag', action: 'archiveFeature' };
    const wide = await accepted(service, 'createChangeRequest', as('owner', { params: development, body: archive }));
    expect(wide.body.minApprovals).toBe(3);
    const narrow = await accepted(service, 'createChangeRequest', as('ada', { params: development, body: ON }));
    expect(narrow.body.minApprovals).toBe(1);
  });
});

describe('a scheduled change request', () => {
  const statusOf = async (id: number) => (await read(id)).schedule;

  it('is applied at its scheduled time', async () => {
    const id = await scheduled();
    expect(await read(id)).toMatchObject({
      state: 'Scheduled',
      schedule: { status: 'pending', scheduledAt: inHours(2) },
    });
    await mayNot('grace', INVALID, id, 'Scheduled', { scheduledAt: inHours(-1) });
    await mayNot('grace', INVALID, id, 'Scheduled', { scheduledAt: inHours(24 * 400) });
    await mayNot('grace', INVALID, id, 'Scheduled');
    await move('grace', id, 'Scheduled', { scheduledAt: inHours(3) });
    clock.advance(2 * HOUR_MS);
    expect(await isOn()).toBe(false);
    const events = await eventsOf(service, async () => {
      clock.advance(HOUR_MS);
      await expect.poll(async () => (await read(id)).state, { timeout: 10_000 }).toBe('Applied');
    });
    expect(await isOn()).toBe(true);
    expect(await statusOf(id)).toBeUndefined();
    expect(events.map(({ type, createdBy }) => [type, createdBy])).toEqual([
      ...['feature-strategy-add', 'feature-environment-enabled', 'change-request-applied'].map((type) => [
        type,
        'grace',
      ]),
      ['change-request-scheduled-application-success', 'grace'],
    ]);
  });

  it('waits while the service is in maintenance mode, and is applied when that mode ends', async () => {
    const id = await scheduled();
    await accepted(service, 'toggleMaintenance', { body: { enabled: true } });
    clock.advance(3 * HOUR_MS);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([(await read(id)).schedule.status, await isOn()]).toEqual(['pending', false]);
    await accepted(service, 'toggleMaintenance', { body: { enabled: false } });
    await expect.poll(async () => (await read(id)).state, { timeout: 30_000 }).toBe('Applied');
  });

  it('is found by the flags and the strategies that it would change', async () => {
    const strategy = (await accepted(service, 'addFeatureStrategy', { ...TOGGLE, body: { name: 'default' } })).body.id;
    const id = await scheduled([ON, { ...ON, action: 'updateStrategy', payload: { id: strategy, title: 'mine' } }]);
    await draftOf('ada');
    const found = async (query: string) =>
      (await accepted(service, 'getScheduledChangeRequests', as('viewer', { params: { projectId: 'default' }, query })))
        .body;
    const expected = [{ id, title: `Change request #${id}`, environment: 'production' }];
    for (const query of [
      'feature=flag',
      `strategyId=${strategy}`,
      `feature=other&feature=flag`,
      `feature=no&strategyId=${strategy}`,
    ])
      expect(await found(query), query).toEqual(expected);
    for (const query of ['', 'feature=other', 'strategyId=flag']) expect(await found(query), query).toEqual([]);
    await refused(service, 'getScheduledChangeRequests', MISSING, { params: { projectId: 'nowhere' } });
  });

  it('fails with the reason, and can be scheduled again', async () => {
    const strategy = (await accepted(service, 'addFeatureStrategy', { ...TOGGLE, body: { name: 'default' } })).body.id;
    const id = await scheduled([ON, { ...ON, action: 'updateStrategy', payload: { id: strategy, title: 'mine' } }]);
    await accepted(service, 'deleteFeatureStrategy', { params: { ...TOGGLE.params, strategyId: strategy } });
    clock.advance(3 * HOUR_MS);
    await expect.poll(async () => (await statusOf(id)).status, { timeout: 10_000 }).toBe('failed');
    const reason = expect.stringContaining('has no strategy');
    expect(await statusOf(id)).toEqual({ status: 'failed', scheduledAt: inHours(0), reason, failureReason: reason });
    expect(await isOn()).toBe(false);
    await move('grace', id, 'Scheduled', { scheduledAt: inHours(1) });
    expect((await statusOf(id)).status).toBe('pending');
    expect((await move('ada', id, 'Cancelled')).body.state).toBe('Cancelled');
  });

  it('is suspended when its flag is archived, or when the user who scheduled it may no longer apply it', async () => {
    const [archived, scheduledAt] = [await scheduled(), inHours(2)];
    await accepted(service, 'archiveFeature', { params: { projectId: 'default', featureName: 'flag' } });
    expect(await statusOf(archived)).toEqual({
      status: 'suspended',
      scheduledAt,
      reason: expect.stringContaining('archived'),
    });
    await accepted(service, 'reviveFeature', { params: { featureName: 'flag' } });
    await move('grace', archived, 'Rejected');
    const [revoked, at2] = [await scheduled(), inHours(2)];
    await prepare(service, (draft) => give(draft, 'default', 'user', people.grace.id, []));
    clock.advance(3 * HOUR_MS);
    await expect.poll(async () => (await statusOf(revoked)).status, { timeout: 10_000 }).toBe('suspended');
    expect(await statusOf(revoked)).toMatchObject({
      scheduledAt: at2,
      reason: expect.stringContaining('may not apply'),
    });
    expect(await isOn()).toBe(false);
    await move('owner', revoked, 'Applied');
    expect(await isOn()).toBe(true);
  });
});

describe('access through a change request', () => {
  it('gives only the author a draft: other users get the same answers as for a missing request', async () => {
    const id = await draftOf('ada');
    const without = await refused(service, 'getChangeRequest', MISSING, as('grace', { params: at(99) }));
    for (const person of ['grace', 'owner', 'viewer'] as const) {
      const { text } = await refused(service, 'getChangeRequest', MISSING, as(person, { params: at(id) }));
      expect(JSON.parse(text).message).toBe(JSON.parse(without.text).message.replace('99', String(id)));
    }
    const body = { text: 'not yet' };
    const [change] = (await read(id)).features[0].changes;
    const inside = { changeId: change.id };
    const writes: [string, CallOptions][] = [
      ['addChangeRequestComment', { body }],
      ['updateChangeRequestTitle', { body: { title: 'mine' } }],
      ['addChangeRequestReviewers', { body: { reviewers: [] } }],
      ['editChange', { params: inside, body: { action: ON.action, payload: ON.payload } }],
      ['discardChange', { params: inside }],
      ['discardChangeRequest', {}],
      ...CHANGE_REQUEST_STATES.map((state): [string, CallOptions] => [
        'changeChangeRequestState',
        { body: { state, scheduledAt: inHours(1) } },
      ]),
    ];
    for (const person of ['grace', 'owner'] as const) {
      for (const [operation, options] of writes) {
        const asked = async (which: number) => {
          const params = at(which, options.params as object);
          const { text } = await refused(service, operation, MISSING, as(person, { ...options, params }));
          return JSON.parse(text).message as string;
        };
        expect(await asked(id), operation).toBe((await asked(99)).replace('99', String(id)));
      }
    }
    const context = { appName: 'test' };
    const playground = { environment: 'production', context, changeRequest: id };
    await refused(service, 'getPlayground', INVALID, as('grace', { body: playground }));
    await accepted(service, 'getPlayground', as('ada', { body: playground }));
    await accepted(service, 'getChangeRequest', as('ada', { params: at(id) }));
    expect((await read(id)).comments).toEqual([]);
    await move('ada', id, 'In review');
    await accepted(service, 'getChangeRequest', as('viewer', { params: at(id) }));
    await accepted(service, 'addChangeRequestComment', as('grace', { params: at(id), body }));
  });

  it('does not reach a segment of another project, nor one that moved there after the request', async () => {
    await accepted(service, 'createProject', { body: { id: 'other', name: 'other' } });
    const make = async (name: string, project?: string) =>
      (await accepted(service, 'createSegment', { body: { name, constraints: [], project } })).body.id as number;
    const [theirs, shared] = [await make('theirs', 'other'), await make('shared')];
    const ofAdmin = (changes: unknown) => ({ params: PRODUCTION, body: changes });
    for (const change of [
      { action: 'updateSegment', payload: { id: theirs, name: 'ours', project: 'other', constraints: [] } },
      { action: 'updateSegment', payload: { id: theirs, name: 'ours', constraints: [] } },
      { action: 'updateSegment', payload: { id: shared, name: 'given', project: 'other', constraints: [] } },
      { action: 'deleteSegment', payload: { id: theirs } },
    ])
      await refused(service, 'createChangeRequest', CONFLICT, ofAdmin(change));
    const payload = { id: shared, name: 'renamed', constraints: [] };
    const { body } = await accepted(service, 'createChangeRequest', ofAdmin({ action: 'updateSegment', payload }));
    await accepted(service, 'changeChangeRequestState', { params: at(body.id), body: { state: 'In review' } });
    await move('owner', body.id, 'Approved');
    const moved = { name: 'shared', project: 'other', constraints: [] };
    await accepted(service, 'updateSegment', { params: { id: shared }, body: moved });
    await mayNot('owner', CONFLICT, body.id, 'Applied');
    const { body: segment } = await accepted(service, 'getSegment', { params: { id: shared } });
    expect(segment).toMatchObject({ name: 'shared', project: 'other' });
  });

  it('ends with its token: a request that a token scheduled is not applied after the token was deleted', async () => {
    const id = await approved();
    const scheduledAt = inHours(2);
    await accepted(service, 'changeChangeRequestState', { params: at(id), body: { state: 'Scheduled', scheduledAt } });
    await accepted(service, 'deleteApiToken', { params: { token: ADMIN_TOKEN } });
    clock.advance(3 * HOUR_MS);
    const statusNow = async () =>
      (await accepted(service, 'getChangeRequest', as('owner', { params: at(id) }))).body.schedule.status;
    await expect.poll(statusNow, { timeout: 10_000 }).toBe('suspended');
    const { state } = service.running.services;
    expect(state.get('features', 'flag')?.environments.some(({ enabled }) => enabled)).toBe(false);
  });

  it('shows reviewers the default strategy that the flag would get, as the project defines it', async () => {
    const body = { name: 'flexibleRollout', parameters: { rollout: '7', stickiness: 'default', groupId: '' } };
    await accepted(service, 'addDefaultStrategyToProjectEnvironment', as('owner', { params: PRODUCTION, body }));
    const id = await approved();
    const shown = (await read(id)).features[0].defaultChange.payload;
    await move('grace', id, 'Applied');
    const [strategy] = (await accepted(service, 'getFeatureStrategies', TOGGLE)).body;
    expect(shown.parameters).toEqual(strategy.parameters);
    expect(shown.parameters).toEqual({ rollout: '7', stickiness: 'default', groupId: 'flag' });
  });
});

describe('change requests of something that is deleted or archived', () => {
  it('of a deleted user: drafts are discarded, schedules are suspended, and other requests stay', async () => {
    const [pending, draft] = [await scheduled(), await draftOf('grace')];
    await accepted(service, 'deleteUser', { params: { id: people.grace.id } });
    await refused(service, 'getChangeRequest', MISSING, { params: at(draft) });
    expect((await read(pending)).schedule).toMatchObject({
      status: 'suspended',
      reason: expect.stringContaining('grace'),
    });
    await accepted(service, 'deleteUser', { params: { id: people.ada.id } });
    expect((await read(pending)).createdBy).toMatchObject({ id: people.ada.id, username: 'ada' });
  });

  it('of a removed environment: drafts are discarded, others cancelled, and it is unprotected when it is added again', async () => {
    const [pending, draft] = [await scheduled(), await draftOf('grace')];
    await accepted(service, 'removeEnvironmentFromProject', { params: PRODUCTION });
    await refused(service, 'getChangeRequest', MISSING, { params: at(draft) });
    expect((await read(pending)).state).toBe('Cancelled');
    await accepted(service, 'addEnvironmentToProject', {
      params: { projectId: 'default' },
      body: { environment: 'production' },
    });
    await accepted(service, 'toggleFeatureEnvironmentOn', as('owner', TOGGLE));
  });

  it('of a deleted flag: approved changes are not applied to a new flag with the same name', async () => {
    const params = { projectId: 'default', featureName: 'flag' };
    await accepted(service, 'createFeature', { params, body: { name: 'other' } });
    const other = { ...ON, feature: 'other' };
    const alone = await approved();
    const both = await scheduled([ON, other]);
    const parent = await draftOf('owner', [
      { feature: 'other', action: 'addDependency', payload: { feature: 'flag' } },
      other,
    ]);
    const draft = await draftOf('grace');
    const events = await eventsOf(service, async () => {
      await accepted(service, 'archiveFeature', { params });
      await accepted(service, 'deleteFeature', { params });
    });
    const lastEvents = events.slice(-4).map(({ type, data }) => ({ type, ...(data as object) }));
    expect(lastEvents).toHaveLength(4);
    expect(lastEvents).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'change-request-cancelled', changeRequestId: alone }),
        expect.objectContaining({ type: 'change-discarded', changeRequestId: both, feature: 'flag' }),
        expect.objectContaining({ type: 'change-discarded', changeRequestId: parent, feature: 'other' }),
        expect.objectContaining({ type: 'change-request-discarded', changeRequestId: draft }),
      ]),
    );
    // The clock has not moved since the deletion.
    await accepted(service, 'createFeature', { params, body: { name: 'flag' } });
    expect((await read(alone)).state).toBe('Cancelled');
    await mayNot('grace', INVALID, alone, 'Applied');
    await refused(service, 'getChangeRequest', MISSING, as('grace', { params: at(draft) }));
    const left = await read(both);
    expect(left).toMatchObject({ state: 'In review', approvals: [], features: [{ name: 'other' }] });
    expect(left.schedule).toBeUndefined();
    expect((await read(parent)).features[0].changes).toMatchObject([{ action: 'updateEnabled' }]);
    clock.advance(3 * HOUR_MS);
    await mayNot('grace', INVALID, both, 'Applied');
    await move('grace', both, 'Approved');
    await move('grace', both, 'Applied');
    expect(await isOn()).toBe(false);
    expect(service.running.services.state.get('features', 'other')?.environments).toMatchObject([{ enabled: true }]);
  });

  it('of an archived project: schedules are suspended, and change nothing, not even a segment of all projects', async () => {
    const protectedParams = { projectId: 'away', environment: 'production' };
    await accepted(service, 'createProject', { body: { id: 'away', name: 'away' } });
    await prepare(service, (draft) => give(draft, 'away', 'user', people.owner.id, [ROLE_ID.owner]));
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: protectedParams,
      body: { changeRequestsEnabled: true },
    });
    const segment = (await accepted(service, 'createSegment', { body: { name: 'shared', constraints: [] } })).body.id;
    const payload = { id: segment, name: 'renamed', constraints: [] };
    const asked = { params: protectedParams, body: { action: 'updateSegment', payload } };
    const { id } = (await accepted(service, 'createChangeRequest', asked)).body;
    const params = { projectId: 'away', id };
    const to = (state: string, more: object = {}) => ({ params, body: { state, ...more } });
    await accepted(service, 'changeChangeRequestState', to('In review'));
    await accepted(service, 'changeChangeRequestState', as('owner', to('Approved')));
    const scheduledAt = inHours(1);
    await accepted(service, 'changeChangeRequestState', to('Scheduled', { scheduledAt }));
    const later = await scheduled();
    await accepted(service, 'archiveProject', { params });
    clock.advance(3 * HOUR_MS);
    await expect.poll(async () => (await read(later)).state, { timeout: 30_000 }).toBe('Applied');
    expect((await accepted(service, 'getSegment', { params: { id: segment } })).body.name).toBe('shared');
    await accepted(service, 'reviveProject', { params });
    const { body } = await accepted(service, 'getChangeRequest', { params });
    const reason = 'The project away was archived.';
    expect(body).toMatchObject({ state: 'Scheduled', schedule: { status: 'suspended', scheduledAt, reason } });
    await accepted(service, 'changeChangeRequestState', to('Applied'));
    expect((await accepted(service, 'getSegment', { params: { id: segment } })).body.name).toBe('renamed');
  });

  it('of a deleted project: all of them are deleted', async () => {
    await accepted(service, 'createProject', { body: { id: 'gone', name: 'gone' } });
    await accepted(service, 'createFeature', { params: { projectId: 'gone' }, body: { name: 'theirs' } });
    const params = { projectId: 'gone', environment: 'production' };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: { changeRequestsEnabled: true } });
    await accepted(service, 'createChangeRequest', { params, body: { ...ON, feature: 'theirs' } });
    await accepted(service, 'archiveFeature', { params: { projectId: 'gone', featureName: 'theirs' } });
    await accepted(service, 'deleteProject', { params: { projectId: 'gone' } });
    const { state } = service.running.services;
    expect([state.size('changeRequests'), state.size('changeRequestConfigs')]).toEqual([0, 1]);
  });
});

it('every operation on a change request refuses the path of another project', async () => {
  await accepted(service, 'createProject', { body: { id: 'other', name: 'other' } });
  const id = await draftOf('ada');
  const bodies: Record<string, unknown> = {
    changeChangeRequestState: { state: 'In review' },
    updateChangeRequestTitle: { title: 'a' },
    addChangeRequestComment: { text: 'a' },
    addChangeRequestReviewers: { reviewers: [] },
    editChange: { action: 'archiveFeature' },
  };
  for (const { operationId, path } of changeRequestEndpoints) {
    if (!path.includes('/:id')) continue;
    const params = { projectId: 'other', id, changeId: 1 };
    await refused(service, operationId, MISSING, { params, body: bodies[operationId] });
  }
});
