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

function eventOf(data: unknown, preData: unknown, project: string | null): AuditEvent {
  const at = { createdAt: '2026-01-01T00:00:00.000Z', createdBy: 'project', createdByUserId: 1 };
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

describe('the projects that the data of an event names', () => {
  it('are the same in its bytes as in its values, without those of its own field', () => {
    fc.assert(
      fc.property(value, value, fc.constantFrom(null, 'own', 'a,own', '*'), (data, preData, project) => {
        const expected = new Set([...projectsNamedIn(data), ...projectsNamedIn(preData)]);
        for (const own of project?.split(',') ?? []) expected.delete(own);
        const before = { collection: 'features', key: 'x', part: '', before: { project: 'elsewhere' } } as const;
        for (const parts of [[], [before]]) {
          const bytes = encodeEvent(eventOf(data, preData, project), parts);
          expect(new Set(atOnce(projectsInData(bytes, project)))).toEqual(expected);
        }
      }),
    );
  });
});
