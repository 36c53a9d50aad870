import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/features/modules.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import { give } from '../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, flag, INVALID, MISSING, prepare, refused } from '../support/admin.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { type CallOptions, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
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
  service = await startTestService();
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

afterAll(() => service.close());

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
});
