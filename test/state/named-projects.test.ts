import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/base/yield-control.ts';
import type { AuditEvent } from '../../src/model/event.ts';
import { encodeEvent } from '../../src/state/commit.ts';
import { projectsInData, projectsNamedIn } from '../../src/state/named-projects.ts';

const id = fc.constantFrom('a', 'b', 'own', '*', 'project', 'çproject', 'x'.repeat(40));
const name = fc.constantFrom(
  'project',
  'projects',
  'projectId',
  'newProject',
  'usedInProjects',
  'name',
  'parameters',
  'çproject',
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    id,
    fc.constantFrom<unknown>(
      null,
      true,
      3,
      'a text of project§projects and çproject',
      'çproject\u0710',
      'çproject\u0750\u0700',
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

function eventOf(data: unknown, preData: unknown, project: string | null, createdBy = 'ada'): AuditEvent {
  const at = { createdAt: '2026-01-01T00:00:00.000Z', createdBy, createdByUserId: 1 };
  return {
    id: 1,
    type: 'setting-updated',
    ...at,
    environment: null,
    project,
    featureName: null,
    data,
    preData,
    tags: null,
  };
}

const own = fc.constantFrom(null, 'own', 'a,own', '*');
/** A user with the name `project` looks like a field: then the data of the event is always walked. */
const createdBy = fc.constantFrom('ada', 'ada', 'project');

describe('the projects that the data of an event names', () => {
  it('are the same in its bytes as in its values, without those of its own field', () => {
    fc.assert(
      fc.property(value, value, own, createdBy, (data, preData, project, by) => {
        const expected = new Set([...projectsNamedIn(data), ...projectsNamedIn(preData)]);
        for (const each of project?.split(',') ?? []) expected.delete(each);
        const before = { collection: 'features', key: 'x', part: '', before: { project: 'elsewhere' } } as const;
        for (const parts of [[], [before]]) {
          const bytes = encodeEvent(eventOf(data, preData, project, by), parts);
          expect(new Set(atOnce(projectsInData(bytes, project)))).toEqual(expected);
        }
      }),
    );
  });

  it.each([
    ['an object in place of an id', { project: { name: 'a' } }, []],
    ['an object with a list of ids', { project: { projects: ['a'] } }, ['a']],
    ['a list with an object', { projects: ['own', { projectId: 'a' }] }, ['a']],
    ['a text of a user that looks like a field with a list', { text: 'çproject\u0710', projectId: 'a' }, ['a']],
    ['only such a text', 'çproject\u0710', []],
    ['ids of which one is its own', { projects: ['own', '*', 'a'] }, ['a']],
    ['only its own', { projects: ['own', '*'] }, []],
  ])('are found in %s', (_name, data, expected) => {
    const bytes = encodeEvent(eventOf(data, null, 'own'));
    expect(atOnce(projectsInData(bytes, 'own'))).toEqual(expected);
    // An older version recorded no parts.
    bytes[0] = 0x92;
    expect(atOnce(projectsInData(bytes, 'own'))).toEqual(expected);
  });

  it('are found in steps', () => {
    const data = { list: Array.from({ length: 3_000 }, () => 'x'), project: 'a' };
    const steps = projectsInData(encodeEvent(eventOf(data, null, null)), null);
    expect([steps.next().done, steps.next().done, steps.next()]).toEqual([false, false, { done: true, value: ['a'] }]);
  });
});
