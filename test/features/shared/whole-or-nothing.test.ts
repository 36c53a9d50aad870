import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const FLAGS = 200;

const service = useService();

/** A project with archived flags, each with a configuration in both environments. */
async function projectOfArchived(id: string): Promise<void> {
  await accepted(service, 'createProject', { body: { id, name: id } });
  await prepare(service, (draft) => {
    for (let index = 0; index < FLAGS; index++) {
      const environments = [switchedOn('development'), switchedOn('production')];
      draft.put('features', flag(`${id}-${index}`, { project: id, archived: true, environments }));
    }
  });
}

/** The number of commits that `work` makes. */
async function commitsOf(work: () => Promise<unknown>): Promise<number> {
  const { state } = service.running.services;
  const before = state.seq;
  await work();
  return state.seq - before;
}

const flagsOf = (project: string) => service.running.services.state.count('featuresByProject', project);

describe('a change of many entities', () => {
  it('is one commit when it deletes a project with all its flags', async () => {
    await projectOfArchived('one-commit');
    const params = { projectId: 'one-commit' };
    expect(await commitsOf(() => accepted(service, 'deleteProject', { params }))).toBe(1);
    expect(flagsOf('one-commit')).toBe(0);
  });

  it('is one commit when it removes an environment from a project, with the flag configurations there', async () => {
    await projectOfArchived('disconnected');
    const params = { projectId: 'disconnected', environment: 'production' };
    expect(await commitsOf(() => accepted(service, 'removeEnvironmentFromProject', { params }))).toBe(1);
    const body = { environment: 'production' };
    expect(await commitsOf(() => accepted(service, 'addEnvironmentToProject', { params, body }))).toBe(1);
    const { environments } = service.running.services.state.get('features', 'disconnected-0') ?? {};
    expect(environments?.map(({ environment }) => environment)).toEqual(['development']);
  });

  it('is one commit when it deletes an environment, with the configurations of every project there', async () => {
    await accepted(service, 'createEnvironment', { body: { name: 'passing', type: 'test' } });
    for (const id of ['first', 'second']) {
      await projectOfArchived(id);
      await prepare(service, (draft) => {
        const features = [...draft.lookup('featuresByProject', id)];
        for (const feature of features) draft.put('features', { ...feature, environments: [switchedOn('passing')] });
      });
    }
    expect(await commitsOf(() => accepted(service, 'removeEnvironment', { params: { name: 'passing' } }))).toBe(1);
    const { state } = service.running.services;
    for (const id of ['first', 'second']) {
      expect(state.get('projects', id)?.environments).not.toContain('passing');
      for (const feature of state.lookup('featuresByProject', id)) expect(feature.environments).toEqual([]);
    }
  });

  it.each([0, 1, 2, 3])('is applied completely or refused during another change, try %i', async (count) => {
    const projectId = `raced-${count}`;
    await projectOfArchived(projectId);
    const revive = () => service.call('reviveFeature', { params: { featureName: `${projectId}-150` } });
    const remove = () => service.call('deleteProject', { params: { projectId } });
    const [removed, revived] =
      count % 2 === 0
        ? await Promise.all([remove(), revive()])
        : await Promise.all([revive(), remove()]).then(([first, second]) => [second, first] as const);
    if (removed.status === 200) {
      expect([revived.status, flagsOf(projectId)]).toEqual([404, 0]);
    } else {
      expect([removed.status, revived.status, flagsOf(projectId)]).toEqual([409, 200, FLAGS]);
    }
  });
});

describe('handlers', () => {
  it('submit at most once per request: through `change`, or to record an export', () => {
    const folder = new URL('../../../src/features/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?:routes|shared\/change)\.ts$/.test(name),
    );
    const submitting = files.filter((name) => readFileSync(new URL(name, folder), 'utf8').includes('writer.submit('));
    expect(submitting.sort()).toEqual(['import-export/routes.ts', 'shared/change.ts']);
    let handlers = 0;
    for (const name of files) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      for (const handler of text.split(/\bhandle[(:]/).slice(1)) {
        handlers++;
        expect(handler.split(/\bchange\(/).length, `${name} changes twice in a handler`).toBeLessThanOrEqual(2);
      }
    }
    expect(handlers).toBeGreaterThan(300);
  });
});
