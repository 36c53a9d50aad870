import type { Services } from '../../src/features/services.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { RunningService } from '../../src/products/server/service.ts';
import type { Draft } from '../../src/state/draft.ts';
import { startInProcess } from './in-process.ts';
import { BY } from './service.ts';

export const PROJECTS = 100;
export const COMMIT_FLAGS = 100;

/** Commits a change of the state itself. */
export const changing =
  ({ writer }: Services) =>
  (work: (draft: Draft) => void) =>
    writer.submit({ decide: ({ draft }) => work(draft) }, undefined, BY);

/** A service in this process with 100 projects, `project-0` and so on, and these flags. */
export async function startWithProjects(features: readonly Feature[]): Promise<RunningService> {
  const running = await startInProcess([]);
  const change = changing(running.services);
  await change((draft) => {
    const project = draft.get('projects', 'default');
    for (let index = 0; project && index < PROJECTS; index++)
      draft.put('projects', { ...project, id: `project-${index}`, name: `Project ${index}` });
  });
  for (let start = 0; start < features.length; start += COMMIT_FLAGS)
    await change((draft) => {
      for (const feature of features.slice(start, start + COMMIT_FLAGS)) draft.put('features', feature);
    });
  return running;
}
