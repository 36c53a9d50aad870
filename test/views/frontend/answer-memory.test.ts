import { expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { workAtOnce } from '../../../src/base/work.ts';
import { State } from '../../../src/state/state.ts';
import { FlagViews } from '../../../src/views/flags/flag-views.ts';
import { AnswerChanges, REMEMBERED_CHARS_MAX } from '../../../src/views/frontend/answer-changes.ts';
import { StreamContext } from '../../../src/views/frontend/stream-context.ts';
import { flag, projectOf, switchedOn } from '../../support/admin.ts';

/** `count` new flags that are on for all users, each with one of two variants for each user. */
async function changesOf(count: number, payloadLength: number): Promise<AnswerChanges> {
  const state = new State();
  const development = { name: 'development', type: 'development', enabled: true, protected: false, sortOrder: 1 };
  state.load('environments', 'development', development);
  state.load('projects', 'default', projectOf('default'));
  const share = { weight: 500, weightType: 'variable' as const, stickiness: 'userId' };
  const payload = { type: 'string' as const, value: 'p'.repeat(payloadLength) };
  const variants = ['one', 'other'].map((name) => ({ ...share, name, payload }));
  const names = Array.from({ length: count }, (_, index) => `flag-${index}`);
  for (const name of names) {
    const environments = [{ ...switchedOn('development'), variants }];
    state.load('features', name, flag(name, { environments }));
  }
  const snapshot = await new FlagViews(state).snapshotOf({ environment: 'development', projects: null });
  workAtOnce(snapshot.compileAll());
  const differences = names.map((name) => ({ name, before: undefined, after: snapshot.cell(name) }));
  return new AnswerChanges(differences, undefined, { snapshot, nowMs: 0 });
}

function user(index: number): StreamContext {
  const reader = { environment: 'development', remoteAddress: '127.0.0.1', draw: index };
  const context = StreamContext.of({ userId: `user-${index}` }, reader);
  if (context instanceof Rejection) throw new Error(context.message);
  return context;
}

it('limits the characters of remembered answers, however many contexts get different answers', async () => {
  const changes = await changesOf(30, 1_000);
  const texts = new Map<string, number>();
  for (let index = 0; index < 300; index++) {
    const bytes = Buffer.from(changes.of(user(index)) as Uint8Array).toString();
    texts.set(bytes, index);
    expect(changes.rememberedChars).toBeLessThanOrEqual(REMEMBERED_CHARS_MAX);
  }
  const chars = [...texts.keys()].reduce((sum, { length }) => sum + length, 0);
  expect(chars).toBeGreaterThan(REMEMBERED_CHARS_MAX);
  // A forgotten answer is evaluated again, with the same result.
  for (const [text, index] of texts) expect(Buffer.from(changes.of(user(index)) as Uint8Array).toString()).toBe(text);
});

it('remembers nothing of answers that are too long to be sent as changes', async () => {
  const changes = await changesOf(100, 1_000);
  for (let index = 0; index < 50; index++) expect(changes.of(user(index))).toBeNull();
  expect(changes.rememberedChars).toBeLessThan(10_000);
});
