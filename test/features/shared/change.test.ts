import { afterAll, beforeAll, expect, it } from 'vitest';
import { AskerEnded } from '../../../src/base/asking/asker.ts';
import { createProject } from '../../../src/features/projects/commands.ts';
import { change } from '../../../src/features/shared/change.ts';
import { REVISION_HEADER } from '../../../src/http/answer.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = (id: string, answerOf: () => never) =>
  change(service.running.services, systemCaller(), createProject, { id, name: id }, answerOf);

it('has an answer with its revision, although its caller has left during the answer', async () => {
  const answer = await create('left', () => {
    throw new AskerEnded();
  });
  const { state } = service.running.services;
  expect(answer).toMatchObject({ status: 200, headers: { [REVISION_HEADER]: String(state.seq) } });
  expect(state.get('projects', 'left')).toBeDefined();
});

it('fails with any other error of its answer', async () => {
  const failing = create('failing', () => {
    throw new Error('a defect');
  });
  await expect(failing).rejects.toThrow('a defect');
});
