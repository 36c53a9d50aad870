import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import type { Steps } from '../../../src/base/yield-control.ts';
import { archiveFeatures } from '../../../src/features/flags/archive/commands.ts';
import { createFeature, patchFeature, updateFeature } from '../../../src/features/flags/commands.ts';
import { bootstrap } from '../../../src/features/instance/bootstrap.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';

const CHILDREN = 300;

function world() {
  const draft = new Draft(new State());
  const caller = systemCaller();
  const rest = {
    now: '2026-01-01T00:00:00.000Z',
    newId: () => 'id',
    emit: () => {},
    limits: DEFAULT_LIMITS,
    whenRemoved: [],
  };
  const context = { draft, caller, by: caller.author, ...rest };
  bootstrap.decide(context, {});
  createFeature.decide(context, { project: 'default', name: 'parent' });
  const parent = draft.get('features', 'parent');
  if (!parent) throw new Error('there is no flag');
  const dependencies = [{ feature: 'parent', enabled: true, variants: [] }];
  for (let index = 0; index < CHILDREN; index++)
    draft.put('features', { ...parent, name: `child-${index}`, dependencies });
  return context;
}

describe('a flag with many children', () => {
  const project = 'default';
  const patch = [{ op: 'replace' as const, path: '/archived', value: true }];
  it.each([
    ['archived', () => archiveFeatures.decide(world(), { project, names: ['parent'] })],
    ['archived by an update', () => updateFeature.decide(world(), { project, name: 'parent', archived: true })],
    ['archived by a patch', () => patchFeature.decide(world(), { project, name: 'parent', patch })],
  ])('cannot be %s, and is refused in steps of at most one child', (_how, decide) => {
    const steps = decide() as Steps<unknown>;
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(step.value).toBeInstanceOf(Rejection);
    expect(count).toBeGreaterThanOrEqual(CHILDREN);
  });
});
