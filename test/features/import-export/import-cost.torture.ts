import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { prepareImport } from '../../../src/features/import-export/import.ts';
import { importPlan } from '../../../src/features/import-export/plan.ts';
import type { ImportData } from '../../../src/features/import-export/schemas.ts';
import { importWarnings } from '../../../src/features/import-export/warnings.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { flag } from '../../support/admin.ts';
import { seedWorld } from '../../support/command-world.ts';
import { WorkCounter } from '../../support/work-counter.ts';

const SMALL = 1_000;
const FACTOR = 4;

const counter = new WorkCounter();
beforeAll(() => counter.start());
afterAll(() => counter.stop());

const list = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** Imports with many items of one kind, where naive code compares every item with all the others. */
const MANY: Readonly<Record<string, (count: number) => Partial<ImportData>>> = {
  flags: (count) => ({ features: list(count, (index) => ({ name: `flag-${index}` })) }),
  'segments of one name': (count) => ({ segments: list(count, (id) => ({ id, name: 'segment-1' })) }),
  'entries for one context field': (count) => ({
    contextFields: list(count, () => ({ name: 'large', legalValues: [{ value: `value-${count - 1}` }] })),
  }),
  'tags of one flag': (count) => ({
    features: [{ name: 'f' }],
    featureTags: list(count, (index) => ({ featureName: 'f', tagValue: `tag-${index}` })),
  }),
  'dependencies of one flag': (count) => ({
    features: [{ name: 'dependent' }],
    dependencies: [
      { feature: 'dependent', dependencies: list(count, (index) => ({ feature: `parent-${count - index - 1}` })) },
    ],
  }),
  'strategies of one flag': (count) => ({
    features: [{ name: 'f' }],
    featureStrategies: list(count, () => ({ featureName: 'f', name: 'default' })),
  }),
};

/** A state in which a context field has as many values, and a flag as many parents, as the import has items. */
function stateFor(count: number): Draft {
  const world = seedWorld(new State());
  const legalValues = list(count, (index) => ({ value: `value-${index}` }));
  const field = { description: null, stickiness: false, sortOrder: 1, createdAt: '' };
  world.put('contextFields', { ...field, name: 'large', legalValues });
  const dependencies = list(count, (index) => ({ feature: `parent-${index}`, enabled: true, variants: [] }));
  world.put('features', flag('dependent', { dependencies }));
  for (const { feature } of dependencies) world.put('features', flag(feature));
  return world;
}

/** The work of an import's plan, dry run and warnings. */
function workOf(reader: Draft, data: ImportData): number {
  const caller = systemCaller();
  const rest = {
    caller,
    by: caller.author,
    now: '',
    newId: () => '',
    emit: () => {},
    limits: DEFAULT_LIMITS,
    whenRemoved: [],
  };
  return counter.during(() => {
    const plan = atOnce(importPlan('default', 'development', data));
    expect(atOnce(prepareImport({ draft: new Draft(reader), ...rest }, plan))).not.toBeInstanceOf(Rejection);
    atOnce(importWarnings(reader, plan, data));
  });
}

describe('an import', () => {
  it.each(Object.entries(MANY))('has a constant cost per item with many %s', (_, many) => {
    const work = (count: number) =>
      workOf(stateFor(count), { features: [], featureStrategies: [], ...many(count) } as ImportData);
    const small = work(SMALL);
    expect(small).toBeGreaterThan(SMALL);
    // Quadratic work would be sixteen times as much here.
    expect(work(SMALL * FACTOR) / small).toBeLessThan(FACTOR * 1.1);
  });
});
