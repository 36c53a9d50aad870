import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { isOn, resolve } from '../../src/evaluation/evaluate.ts';
import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import { OFF } from '../../src/evaluation/variant.ts';
import { readDelta } from '../../src/products/relay/read-delta.ts';
import { applied, type DeltaEvent, EMPTY_LIST } from '../support/http/delta.ts';
import { explain } from './explain.ts';
import { compileFlags, evaluationContext, type WireContext, type WireFlag } from './wire.ts';

interface Case<Expected> {
  readonly description: string;
  readonly context: WireContext;
  readonly toggleName: string;
  readonly expectedResult: Expected;
}

interface Specification {
  readonly name: string;
  readonly state: {
    readonly features?: readonly WireFlag[];
    readonly segments?: readonly SegmentDefinition[];
    /** Present in the two files that describe how SDKs apply changes. */
    readonly events?: readonly DeltaEvent[];
  };
  readonly tests?: readonly Case<boolean>[];
  readonly variantTests?: readonly Case<Record<string, unknown>>[];
}

const folder = join(
  dirname(createRequire(import.meta.url).resolve('@unleash/client-specification/package.json')),
  'specifications',
);
const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));

const files = read('index.json') as string[];

const noFlag = () => ({ isOn: false, resolved: OFF, explained: { isEnabled: false, variant: OFF.variant } });

function evaluate(
  flag: CompiledFlag | undefined,
  context: EvaluationContext,
  flags: (name: string) => CompiledFlag | undefined,
) {
  if (flag === undefined) return noFlag();
  return {
    isOn: isOn(flag, context, flags),
    resolved: resolve(flag, context, flags),
    explained: explain(flag, context, flags),
  };
}

it('the specification has all the files this suite was written for', () => {
  expect(files).toHaveLength(22);
});

/** The flags and segments. Where the file has events: the result of a relay that reads these events from its upstream. */
async function listOf({ features, segments, events }: Specification['state']) {
  if (!events) return { features: features ?? [], segments };
  const delta = await readDelta(Buffer.from(JSON.stringify({ events })));
  if (delta instanceof Rejection) throw new Error(delta.message);
  return { features: delta.features as WireFlag[], segments: delta.segments as SegmentDefinition[] };
}

const specifications = await Promise.all(
  files.map(async (file) => {
    const specification = read(file) as Specification;
    return { file, specification, list: await listOf(specification.state) };
  }),
);

it('a relay applies events with the same result as SDKs', () => {
  const ofEvents = specifications.filter(({ specification }) => specification.state.events);
  expect(ofEvents).toHaveLength(2);
  for (const { specification, list } of ofEvents) {
    const { features, segments } = applied(EMPTY_LIST, specification.state.events ?? []);
    expect(list).toEqual({ features: [...features.values()], segments: [...segments.values()] });
  }
});

describe.each(specifications)('the client specification $file holds', ({ specification, list }) => {
  const { features, segments } = list;
  const flags = compileFlags(features, segments);

  it.each((specification.tests ?? []).map((test) => [test.description, test] as const))('%s', (_, test) => {
    const { isOn, resolved, explained } = evaluate(flags(test.toggleName), evaluationContext(test.context), flags);
    expect(isOn).toBe(test.expectedResult);
    expect(resolved.on).toBe(test.expectedResult);
    expect(explained.isEnabled).toBe(test.expectedResult);
  });

  it.each((specification.variantTests ?? []).map((test) => [test.description, test] as const))('%s', (_, test) => {
    const { resolved, explained } = evaluate(flags(test.toggleName), evaluationContext(test.context), flags);
    const expected = { ...test.expectedResult, featureEnabled: test.expectedResult.feature_enabled };
    expect(resolved.variant).toEqual(expected);
    expect(explained.variant).toEqual(expected);
    expect(JSON.parse(resolved.variantJson)).toEqual(expected);
  });
});
