import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/features/modules.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { type CallOptions, CLIENT_TOKEN, startTestService, useService } from '../../support/service.ts';

const service = useService();
/** Edith is an editor, Mia a member of the private project `secret`, Vera a viewer who sees only public projects. */
let edith: string;
let mia: string;
let vera: string;

const REPOSITORY = 'acme/shop';
const place = (path: string, line: number) => ({ path, line });
const SHOP = [
  { flagName: 'open.flag', places: [place('src/a.ts', 3), place('src/b.ts', 12)] },
  { flagName: 'hidden.flag', places: [place('src/c.ts', 1)] },
  { flagName: 'old.flag', places: [place('src/d.ts', 7)] },
  { flagName: 'nowhere.flag', places: [place('src/e.ts', 9), place('src/f.ts', 10)] },
];

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'secret', name: 'Secret', mode: 'private' } });
  await putUser(service, 51, { rootRole: ROLE_ID.editor });
  await putUser(service, 52, { rootRole: ROLE_ID.viewer });
  await putUser(service, 53, { rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => {
    give(draft, 'secret', 'user', 52, [ROLE_ID.member]);
    draft.put('features', flag('open.flag'));
    draft.put('features', flag('quiet.flag'));
    draft.put('features', flag('hidden.flag', { project: 'secret' }));
    draft.put('features', flag('hidden.quiet', { project: 'secret' }));
    draft.put('features', flag('old.flag', { archived: true, archivedAt: '2026-01-02T00:00:00.000Z' }));
  });
  [edith, mia, vera] = await Promise.all(
    [51, 52, 53].map((id) => personalTokenOf(service, id)) as [Promise<string>, Promise<string>, Promise<string>],
  );
});

const send = (references: readonly object[], options: CallOptions & { repository?: string; fields?: object } = {}) => {
  const { repository = REPOSITORY, fields, ...rest } = options;
  return { params: { repository }, body: { ...fields, references }, ...rest };
};
const report = (...args: Parameters<typeof send>) => accepted(service, 'replaceCodeReferences', send(...args));
const read = async (operation: string, options: CallOptions = {}) => (await accepted(service, operation, options)).body;
const ofFlag = (featureName: string, projectId = 'default', token?: string) =>
  read('getCodeReferences', { params: { projectId, featureName }, ...(token !== undefined && { token }) });

describe('code references', () => {
  it('mean nothing before a repository has reported', async () => {
    expect(await ofFlag('open.flag')).toEqual({ repositoryCount: 0, repositories: [] });
    expect(await read('getFlagsWithoutCodeReferences')).toEqual({ repositoryCount: 0, flags: [] });
    expect(await read('getUnknownFlagsInCode')).toEqual({ isComplete: true, unknownFlags: [] });
    expect(await read('getCodeRepositories')).toEqual({ repositories: [] });
  });

  it('are stored for a repository, and shown on the flag', async () => {
    const fields = { commit: '4c1f0e9', branch: 'main', link: 'https://git.example.com/{commit}/{path}#L{line}' };
    const { body } = await report(SHOP, { fields, token: edith });
    const repository = { name: REPOSITORY, ...fields, reportedAt: expect.any(String), reportedBy: expect.any(String) };
    expect(body).toEqual({ ...repository, names: 4, references: 6 });
    expect(await ofFlag('open.flag')).toEqual({
      repositoryCount: 1,
      repositories: [{ ...repository, places: SHOP[0]?.places }],
    });
    expect((await ofFlag('old.flag')).repositories).toHaveLength(1);
    expect((await ofFlag('quiet.flag')).repositories).toEqual([]);
  });

  it('are replaced together: names that are missing in a new report are removed, also those of no flag', async () => {
    const { seq } = service.running.services.state;
    await report([{ flagName: 'quiet.flag', places: [place('x.ts', 1)] }, SHOP[0] as object], { token: edith });
    expect((await ofFlag('quiet.flag')).repositories).toHaveLength(1);
    expect((await ofFlag('old.flag')).repositories).toEqual([]);
    expect((await read('getUnknownFlagsInCode')).unknownFlags).toEqual([]);
    expect(service.running.services.state.seq).toBe(seq + 1);
    await report(SHOP, { token: edith });
  });

  it('store nothing but the time if nothing else has changed', async () => {
    const { state } = service.running.services;
    const stored = [...state.lookup('codeReferencesByRepository', REPOSITORY)];
    await report(SHOP, { token: edith });
    const now = [...state.lookup('codeReferencesByRepository', REPOSITORY)];
    expect(now.every((one, index) => one === stored[index])).toBe(true);
  });

  it('show which flags no code uses and which names no flag has', async () => {
    const { flags } = await read('getFlagsWithoutCodeReferences');
    expect(flags).toEqual([
      { name: 'quiet.flag', project: 'default' },
      { name: 'hidden.quiet', project: 'secret' },
    ]);
    expect((await read('getFlagsWithoutCodeReferences', { query: 'project=secret' })).flags).toEqual([
      { name: 'hidden.quiet', project: 'secret' },
    ]);
    expect(await read('getUnknownFlagsInCode')).toEqual({
      isComplete: true,
      unknownFlags: [
        {
          name: 'nowhere.flag',
          repositories: [{ repository: REPOSITORY, references: 2, first: place('src/e.ts', 9) }],
        },
      ],
    });
  });

  it('of flags in private projects are shown only to callers who see the project, and the numbers say nothing', async () => {
    const repository = async (token: string) => (await read('getCodeRepositories', { token })).repositories[0];
    expect((await ofFlag('hidden.flag', 'secret', mia)).repositories).toHaveLength(1);
    const hidden = { params: { projectId: 'secret', featureName: 'hidden.flag' }, token: vera };
    const missing = { params: { projectId: 'secret', featureName: 'no.flag' }, token: vera };
    const [one, other] = await Promise.all([
      refused(service, 'getCodeReferences', MISSING, hidden),
      refused(service, 'getCodeReferences', MISSING, missing),
    ]);
    expect(one.body.message).toBe(other.body.message);
    expect(await repository(mia)).toMatchObject({ flags: 3, references: 4, unknownFlags: null });
    expect(await repository(vera)).toMatchObject({ flags: 2, references: 3, unknownFlags: null });
    const unused = (token: string) => read('getFlagsWithoutCodeReferences', { token });
    expect((await unused(mia)).flags).toHaveLength(2);
    expect((await unused(vera)).flags).toEqual([{ name: 'quiet.flag', project: 'default' }]);
    const ofSecret = { query: 'project=secret', token: vera };
    await refused(service, 'getFlagsWithoutCodeReferences', MISSING, ofSecret);
    for (const token of [mia, vera])
      expect(await read('getUnknownFlagsInCode', { token })).toEqual({ isComplete: false, unknownFlags: [] });
  });

  it('of an unknown name, a hidden flag and a visible flag are answered alike to their sender', async () => {
    const answerFor = async (flagName: string) => {
      const options = { repository: 'acme/probe', token: edith };
      const { body } = await report([{ flagName, places: [place('a.ts', 1)] }], options);
      return { ...body, reportedAt: '' };
    };
    const answers = [await answerFor('hidden.flag'), await answerFor('nowhere.flag'), await answerFor('open.flag')];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    await accepted(service, 'deleteCodeRepository', { params: { repository: 'acme/probe' }, token: edith });
  });

  it('need the permission UPDATE_APPLICATION to be sent and deleted, and READ to be read', async () => {
    for (const token of [mia, vera]) {
      await refused(service, 'replaceCodeReferences', FORBIDDEN, send([], { token }));
      await refused(service, 'deleteCodeRepository', FORBIDDEN, { params: { repository: REPOSITORY }, token });
    }
    const operations = ['getCodeRepositories', 'getFlagsWithoutCodeReferences', 'getUnknownFlagsInCode'];
    for (const operation of operations)
      expect((await service.call(operation, { token: CLIENT_TOKEN })).status, operation).toBe(403);
  });

  it('record an event when a repository is added or deleted, without the names of flags', async () => {
    const options = { repository: 'acme/new', token: edith };
    const events = await eventsOf(service, async () => {
      await report(SHOP, options);
      await report([], options);
      await accepted(service, 'deleteCodeRepository', { params: { repository: 'acme/new' }, token: edith });
    });
    expect(events.map(({ type }) => type)).toEqual(['code-repository-created', 'code-repository-deleted']);
    expect(JSON.stringify(events)).not.toMatch(/hidden/);
    await refused(service, 'deleteCodeRepository', MISSING, { params: { repository: 'acme/new' }, token: edith });
  });

  it('are refused beyond the limits and with names, places and links that cannot be right', async () => {
    const refuse = (references: readonly object[], fields = {}) =>
      refused(service, 'replaceCodeReferences', INVALID, send(references, { fields, token: edith }));
    const { codeReferenceNames, codeReferencePlacesOfName, codeReferencePlaces, codePathLength } = LIMITS;
    const many = (count: number, places: readonly object[]) =>
      Array.from({ length: count }, (_, index) => ({ flagName: `f${index}`, places }));
    const one = [place('a.ts', 1)];
    await refuse(many(codeReferenceNames.max + 1, one));
    await refuse(many(1, Array(codeReferencePlacesOfName.max + 1).fill(place('a.ts', 1))));
    const { body } = await refuse(many(21, Array(1_000).fill(place('a.ts', 1))));
    expect(body.message).toContain(`at most ${codeReferencePlaces.max} places`);
    const long = 'p'.repeat(codePathLength.max);
    const large = await refuse(many(20, Array(1_000).fill(place(long, 1))));
    expect(large.body.message).toContain('bytes of the code references of a repository');
    await refuse([
      { flagName: 'a', places: one },
      { flagName: 'b', places: one },
      { flagName: 'a', places: one },
    ]);
    await refuse([{ flagName: 'a', places: [] }]);
    await refuse([{ flagName: 'a b', places: one }]);
    await refuse([{ flagName: 'a', places: [place('a\nb', 1)] }]);
    await refuse([{ flagName: 'a', places: [place('a', 0)] }]);
    for (const link of ['javascript:alert(1)', 'ftp://x/{path}', 'https://x y']) await refuse([], { link });
    expect((await ofFlag('open.flag')).repositories).toHaveLength(1);
  });

  it('are refused beyond the limits for all repositories, but may then still shrink', async () => {
    const small = await startTestService({
      env: { CODE_REPOSITORIES_LIMIT: '1', CODE_REFERENCES_LIMIT: '2', CODE_REFERENCE_BYTES_LIMIT: '400' },
    });
    try {
      const put = (count: number, repository = REPOSITORY, path = 'a.ts') => {
        const references = Array.from({ length: count }, (_, i) => ({ flagName: `f${i}`, places: [place(path, 1)] }));
        return send(references, { repository });
      };
      await accepted(small, 'replaceCodeReferences', put(2));
      for (const [request, limit] of [
        [put(0, 'acme/other'), 'CODE_REPOSITORIES_LIMIT'],
        [put(3), 'CODE_REFERENCES_LIMIT'],
        [put(2, REPOSITORY, 'a'.repeat(400)), 'CODE_REFERENCE_BYTES_LIMIT'],
      ] as const) {
        const { body } = await refused(small, 'replaceCodeReferences', INVALID, request);
        expect(body.message).toContain(limit);
      }
      await accepted(small, 'replaceCodeReferences', put(1));
    } finally {
      await small.close();
    }
  });

  it('are stored durably', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'burgee-code-references-'));
    try {
      const first = await startTestService({ directory: folder });
      await prepare(first, (draft) => draft.put('features', flag('open.flag')));
      await accepted(first, 'replaceCodeReferences', send(SHOP, {}));
      const options = { params: { projectId: 'default', featureName: 'open.flag' } };
      const before = (await accepted(first, 'getCodeReferences', options)).body;
      await first.close();
      const second = await startTestService({ directory: folder });
      expect((await accepted(second, 'getCodeReferences', options)).body).toEqual(before);
      await second.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
