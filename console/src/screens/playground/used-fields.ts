import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { featureQuery } from '../../data/feature.ts';
import { useSegments } from '../../data/settings.ts';
import { type Context, fieldsOf } from '../../domain/contexts.ts';
import type { Constraint, Feature, Segment } from '../../domain/model.ts';
import type { Result, Verdict } from './evaluate.ts';

/** The server knows them without being given them. */
const ALWAYS_GIVEN = ['environment', 'currentTime'];

const FIELD_OF_KIND: Readonly<Record<string, string>> = {
  userWithId: 'userId',
  gradualRolloutUserId: 'userId',
  gradualRolloutSessionId: 'sessionId',
  remoteAddress: 'remoteAddress',
};

/** The fields of which one decides the parameters of a strategy; empty: the parameters need none. */
function parameterFields({ name, parameters }: Pick<Verdict, 'name' | 'parameters'>): readonly string[] {
  const field = FIELD_OF_KIND[name];
  if (field !== undefined) return [field];
  const { stickiness = 'default', rollout = '100' } = parameters;
  if (name !== 'flexibleRollout' || stickiness === 'random' || Number(rollout) === 0) return [];
  if (stickiness !== 'default') return [stickiness];
  return Number(rollout) >= 100 ? [] : ['userId', 'sessionId'];
}

/** A constraint without values has the same answer for every context. */
const hasValue = ({ values, value }: Constraint) => Boolean(values?.length || value);

/** The fields that could change what the strategy returned. */
function openFields(verdict: Verdict, isGiven: (field: string) => boolean): readonly string[] {
  const { constraints, segments, rollout } = verdict;
  const all = [...constraints, ...segments.flatMap((segment) => segment.constraints)];
  const isOpen = (one: Constraint) => hasValue(one) && !isGiven(one.contextName);
  const deciding = parameterFields(verdict);
  const areParametersOpen = deciding.length > 0 && !deciding.some(isGiven);
  const isFalse = all.some((one) => !one.result && !isOpen(one));
  const isOutside = !areParametersOpen && rollout !== undefined && rollout.position > rollout.percentage;
  if (isFalse || isOutside) return [];
  return [
    ...all.filter(isOpen).map(({ contextName }) => contextName),
    ...(areParametersOpen ? deciding.slice(0, 1) : []),
  ];
}

/** The fields that are not given and could change the answer. */
export function decidingNotGiven({
  isEnabledInCurrentEnvironment,
  hasUnsatisfiedDependency,
  strategies,
  variant,
  context,
}: Result): readonly string[] {
  if (!isEnabledInCurrentEnvironment || hasUnsatisfiedDependency) return [];
  const given = new Set([...ALWAYS_GIVEN, ...fieldsOf(context as Context).map(({ name }) => name)]);
  const missing = new Set<string>();
  for (const verdict of strategies.data) {
    if (verdict.disabled) continue;
    const open = openFields(verdict, (field) => given.has(field));
    for (const field of open) missing.add(field);
    // The flag is on whatever the others return. The first strategy that is true chooses the variant.
    if (open.length === 0 && verdict.result.enabled === true) return variant?.enabled ? [...missing] : [];
  }
  return [...missing];
}

/** The fields that the strategies of a flag use; those of the first environment come first. */
function fieldsOfFlag({ environments }: Feature, segments: readonly Segment[], first: string): readonly string[] {
  const ordered = [...environments].sort((a, b) => Number(b.name === first) - Number(a.name === first));
  const used = ordered.flatMap(({ strategies }) =>
    strategies
      .filter(({ disabled }) => !disabled)
      .flatMap((strategy) => {
        const ofSegments = segments.filter(({ id }) => strategy.segments.includes(id));
        const constraints = [...strategy.constraints, ...ofSegments.flatMap((segment) => segment.constraints)];
        return [...constraints.map(({ contextName }) => contextName), ...parameterFields(strategy).slice(0, 1)];
      }),
  );
  return [...new Set(used)].filter((name) => !ALWAYS_GIVEN.includes(name));
}

/** The fields that the explained flag uses, to offer them in the form. */
export function useFieldsOfFlag(project: string, flag: string, environment: string): readonly string[] {
  const { data } = useQuery({ ...featureQuery(project, flag), enabled: project !== '' && flag !== '' });
  const { data: segments } = useSegments();
  return useMemo(
    () => (data ? fieldsOfFlag(data.value, segments ?? [], environment) : []),
    [data, segments, environment],
  );
}
