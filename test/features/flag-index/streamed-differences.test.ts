import { afterEach, expect, it, vi } from 'vitest';
import { prepareAllPermissions } from '../../../src/access/effective-permissions.ts';
import { SliceClock } from '../../../src/base/yield-control.ts';
import { userCaller } from '../../../src/model/caller.ts';
import type { Project } from '../../../src/model/project.ts';
import { flag, prepare } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const service = useService();
const PROJECTS = 400;

afterEach(() => vi.restoreAllMocks());

/** Makes a viewer with a role in each of many private projects. */
async function viewerOfMany(id: number) {
  const { state } = service.running.services;
  const base = state.get('projects', 'default') as Project;
  for (let from = 0; from < PROJECTS; from += 50) {
    await prepare(service, (draft) => {
      for (let index = from; index < from + 50; index++) {
        const project = `den-${index}`;
        if (!draft.get('projects', project))
          draft.put('projects', { ...base, id: project, name: project, mode: 'private' });
        draft.put('projectRoles', { project, holder: 'user', holderId: id, roles: [5], createdAt: base.createdAt });
      }
    });
  }
  const user = await putUser(service, id, { rootRole: 3 });
  return userCaller(user, null);
}

it('what differs is streamed with a few reads, however many private projects the reader sees', async () => {
  const { state, indexAnswers } = service.running.services;
  const caller = await viewerOfMany(4_101);
  indexAnswers.follow();
  const streamed = async (project: string) => {
    await prepare(service, (draft) =>
      draft.put('features', flag(`flag-of-${project}`, { project, description: `${state.seq}` })),
    );
    const reads = vi.spyOn(state, 'get');
    const text = indexAnswers.streamed(caller, state.seq - 1, 'details');
    const count = reads.mock.calls.length;
    reads.mockRestore();
    return { text, count };
  };
  vi.spyOn(SliceClock.prototype, 'spent', 'get').mockReturnValue(true);
  // What the reader sees takes more than one slice to find: they make a request instead.
  const unknown = await streamed('default');
  expect(unknown.text).toBe('null');
  expect(unknown.count).toBeLessThan(20);
  vi.restoreAllMocks();
  const authorization = await personalTokenOf(service, 4_101);
  const url = `${service.url}/api/admin/flag-index`;
  const answer = await fetch(url, { headers: { authorization } });
  await answer.text();
  await streamed('default');
  const known = await streamed('den-7');
  expect(known.text).toContain('flag-of-den-7');
  expect(known.count).toBeLessThan(20);
  const differences = await fetch(`${url}?since=${answer.headers.get('burgee-index-revision')}`, {
    headers: { authorization },
  });
  expect(JSON.parse(known.text).revision).toBe(differences.headers.get('burgee-index-revision'));
  expect(await differences.json()).toMatchObject({ isWhole: false });
});

it('the rows are made once for all who see the same of the changed flags, whatever other projects they see', async () => {
  const { state, indexAnswers } = service.running.services;
  const few = await putUser(service, 4_102, { rootRole: 3 });
  const callers = [await viewerOfMany(4_103), userCaller(few, null)];
  for (const { user } of callers) await prepareAllPermissions(state, user ?? '');
  indexAnswers.follow();
  await prepare(service, (draft) => draft.put('features', flag('shown-to-both')));
  const made = vi.spyOn(Date, 'parse');
  const answers = callers.map((caller) => {
    made.mockClear();
    const { revision, blocks } = JSON.parse(indexAnswers.streamed(caller, state.seq - 1, 'details'));
    return { revision, blocks, count: made.mock.calls.length };
  });
  expect(answers.map(({ count }) => count > 0)).toEqual([true, false]);
  expect(answers[1]?.blocks).toEqual(answers[0]?.blocks);
  expect(answers[1]?.revision).not.toBe(answers[0]?.revision);
});
