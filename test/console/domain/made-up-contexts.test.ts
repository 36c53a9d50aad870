import { describe, expect, it } from 'vitest';
import { contextsFor, meetingContexts } from '../../../console/src/domain/made-up-contexts.ts';
import type {
  ChangeRequest,
  Constraint,
  ContextField,
  FeatureEnvironment,
  StrategyDraft,
} from '../../../console/src/domain/model.ts';
import {
  type RequestedChange,
  requestedSegments,
  rulesOfSegments,
  trialOf,
} from '../../../console/src/domain/requested.ts';

const COUNTRIES = ['NO', 'SE', 'DK', 'FI'];
const FIELDS = [
  { name: 'country', legalValues: COUNTRIES.map((value) => ({ value })) },
  { name: 'plan', legalValues: [] },
] as unknown as ContextField[];

const constraint = (contextName: string, values: string[], more: Partial<Constraint> = {}): Constraint => ({
  contextName,
  operator: 'IN',
  values,
  ...more,
});
const strategy = (constraints: Constraint[], more: Partial<StrategyDraft> = {}): StrategyDraft => ({
  id: 'one',
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  variants: [],
  segments: [],
  parameters: { rollout: '10', stickiness: 'default', groupId: 'one' },
  constraints,
  ...more,
});
const settings = (strategies: StrategyDraft[]) => ({ enabled: true, strategies, variants: [] });

function met(strategies: StrategyDraft[], segments: { id: number; constraints: Constraint[] }[] = []) {
  const contexts = contextsFor([settings(strategies)], FIELDS, segments, 1_000);
  return meetingContexts(contexts, strategies, segments)?.count;
}

const flag = (changes: RequestedChange[]) => ({ name: 'flag', changes }) as ChangeRequest['features'][number];

describe('the contexts on which a change is tried', () => {
  it('are made-up ids, combined with the legal values of a field, and say how many are in one country', () => {
    const norway = strategy([constraint('country', ['NO'])]);
    const contexts = contextsFor([settings([norway])], FIELDS, [], 1_000);
    expect(contexts.sent).toEqual({
      madeUp: { count: 250, field: 'userId' },
      legalValuesOf: ['country'],
      seed: 1,
    });
    expect(contexts.combined).toEqual([{ field: 'country', values: COUNTRIES }]);
    expect(met([norway])).toBe(250);
  });

  it('count what a list of two fields, an inverted list and a segment leave', () => {
    expect(met([strategy([constraint('country', ['NO'], { operator: 'NOT_IN' })])])).toBe(750);
    expect(met([strategy([constraint('country', ['NO'], { inverted: true })])])).toBe(750);
    expect(met([strategy([constraint('country', ['NO', 'XX'])])])).toBe(250);
    // 4 countries × (2 named plans and another one): 83 ids.
    const plans = constraint('plan', ['pro', 'team']);
    expect(met([strategy([constraint('country', ['NO', 'SE']), plans])])).toBe(83 * 2 * 2);
    expect(met([strategy([], { segments: [7] })], [{ id: 7, constraints: [constraint('country', ['FI'])] }])).toBe(250);
  });

  it('have no values for a field that is not defined, also if rollouts are spread by it, and name it', () => {
    const sticky = { parameters: { rollout: '10', stickiness: 'tenant', groupId: 'one' } };
    const mistyped = strategy([constraint('contry', ['NO']), constraint('country', ['NO'])], sticky);
    const contexts = contextsFor([settings([mistyped])], FIELDS, [], 1_000);
    expect(contexts.sent).toEqual({ madeUp: { count: 250, field: 'userId' }, legalValuesOf: ['country'], seed: 1 });
    expect(contexts.undefinedFields).toEqual(['contry', 'tenant']);
    expect(met([mistyped])).toBeUndefined();
    expect(contextsFor([settings([strategy([constraint('appName', ['shop'])])])], [], [], 1_000)).toMatchObject({
      undefinedFields: [],
      combined: [{ field: 'appName', values: ['shop', 'another value'] }],
    });
  });

  it('do not say how many meet rules that only an evaluation decides', () => {
    const norway = strategy([constraint('country', ['NO'])]);
    expect(met([strategy([])])).toBeUndefined();
    expect(met([norway, strategy([])])).toBeUndefined();
    expect(met([norway, strategy([], { disabled: true })])).toBe(250);
    expect(met([strategy([constraint('userId', ['7'])])])).toBeUndefined();
    expect(met([strategy([constraint('country', ['N'], { operator: 'STR_STARTS_WITH' })])])).toBeUndefined();
  });

  it('of a change request meet its rules before and after, those of its segments as it sets them, and those of milestones', () => {
    const change = (action: string, payload: object) => ({ id: 1, action, payload }) as unknown as RequestedChange;
    const milestone = { ...strategy([constraint('plan', ['pro'])]), strategyName: 'flexibleRollout' };
    const now = {
      enabled: true,
      variants: [],
      strategies: [{ ...strategy([], { segments: [7] }), sortOrder: 0 }],
      releasePlans: [{ milestones: [{ strategies: [milestone] }] }],
    } as unknown as FeatureEnvironment;
    const updated = change('updateStrategy', { id: 'one', parameters: { rollout: '50' } });
    const segments = requestedSegments({
      segments: [
        { name: 'nordic', changes: [change('updateSegment', { id: 7, constraints: [constraint('country', ['FI'])] })] },
      ] as unknown as ChangeRequest['segments'],
    });
    expect(contextsFor(trialOf(flag([updated]), now).rules, FIELDS, segments, 1_000).sent).toMatchObject({
      legalValuesOf: ['country'],
      given: [{ properties: { plan: 'pro' } }, { properties: { plan: 'another value' } }],
    });
    const added = change('addStrategy', { name: 'default', constraints: [constraint('country', ['NO'])] });
    expect(contextsFor(trialOf(flag([added]), undefined).rules, FIELDS, [], 1_000).sent.legalValuesOf).toEqual([
      'country',
    ]);
    expect(contextsFor([rulesOfSegments(segments)], FIELDS, segments, 1_000).sent.legalValuesOf).toEqual(['country']);
  });

  it('meet the rules of the template whose plan a request adds', () => {
    const milestone = (country: string) => {
      const { name: strategyName, ...stored } = strategy([constraint('country', [country])]);
      return { strategies: [{ ...stored, strategyName }] };
    };
    const templates = [
      { id: 'wanted', milestones: [milestone('NO'), milestone('SE')] },
      {
        id: 'other',
        milestones: [{ strategies: [{ ...strategy([constraint('plan', ['pro'])]), strategyName: 'x' }] }],
      },
    ] as unknown as Parameters<typeof trialOf>[2];
    const added = { action: 'addReleasePlan', payload: { templateId: 'wanted' } } as unknown as RequestedChange;
    const { sent } = contextsFor(trialOf(flag([added]), undefined, templates).rules, FIELDS, [], 1_000);
    expect(sent).toEqual({ madeUp: { count: 250, field: 'userId' }, legalValuesOf: ['country'], seed: 1 });
  });
});
