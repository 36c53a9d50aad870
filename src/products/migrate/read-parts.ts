import type { Taken } from '../../features/import-export/instance/input.ts';
import { type Constraint, OPERATORS, type Operator } from '../../model/constraint.ts';
import { FEATURE_TYPES, type FeatureType } from '../../model/feature.ts';
import { inAskedOrder } from '../../model/strategy.ts';
import { flag, type Loose, list, object, text, textOrNull, texts, time, whole } from './loose-json.ts';

type TakenFeature = Taken<'features'>;
type TakenEnvironment = TakenFeature['environments'][number];
type TakenStrategy = TakenEnvironment['strategies'][number];
type Variant = TakenEnvironment['variants'][number];
type StrategyVariant = TakenStrategy['variants'][number];

/** Where environments stand that do not say. */
const LAST = 9_999;

export function readEnvironment(told: Loose): Taken<'environments'> {
  return {
    name: text(told.name),
    type: text(told.type, 'production'),
    enabled: told.enabled !== false,
    protected: flag(told.protected),
    sortOrder: whole(told.sortOrder, LAST),
  };
}

export function readConstraint(told: Loose): Constraint {
  const { contextName, operator, values, value, inverted, caseInsensitive } = told;
  return {
    contextName: text(contextName),
    // One that is not known is refused where it is taken, with its name.
    operator: (OPERATORS as readonly unknown[]).includes(operator)
      ? (operator as Operator)
      : (text(operator) as Operator),
    ...(Array.isArray(values) && { values: values.map((each) => text(each)) }),
    ...(value !== undefined && value !== null && { value: text(value) }),
    ...(inverted !== undefined && inverted !== null && { inverted: flag(inverted) }),
    ...(caseInsensitive !== undefined && caseInsensitive !== null && { caseInsensitive: flag(caseInsensitive) }),
  };
}

export function readSegment(told: Loose): Taken<'segments'> {
  const createdAt = time(told.createdAt);
  return {
    id: whole(told.id, 0),
    name: text(told.name),
    description: textOrNull(told.description),
    project: textOrNull(told.project),
    constraints: list(told.constraints).map(readConstraint),
    ...(createdAt && { createdAt }),
    createdBy: nameOfMaker(told.createdBy),
  };
}

function nameOfMaker(told: unknown): string | null {
  return textOrNull(told) ?? textOrNull(object(told).name) ?? textOrNull(object(told).username);
}

export function readContextField(told: Loose): Taken<'contextFields'> {
  const createdAt = time(told.createdAt);
  return {
    name: text(told.name),
    description: textOrNull(told.description),
    stickiness: flag(told.stickiness),
    sortOrder: whole(told.sortOrder, 10),
    legalValues: list(told.legalValues).map(({ value, description }) => ({
      value: text(value),
      ...(typeof description === 'string' && { description }),
    })),
    ...(createdAt && { createdAt }),
    project: textOrNull(told.project),
  };
}

export function readTagType({ name, description, icon, color }: Loose): Taken<'tagTypes'> {
  return { name: text(name), description: textOrNull(description), icon: textOrNull(icon), color: textOrNull(color) };
}

export function readStrategyType(told: Loose): Taken<'strategyTypes'> {
  return {
    name: text(told.name),
    title: textOrNull(told.title) ?? textOrNull(told.displayName),
    description: textOrNull(told.description),
    deprecated: flag(told.deprecated),
    parameters: list(told.parameters).map(({ name, type, description, required }) => ({
      name: text(name),
      type: text(type, 'string') as Taken<'strategyTypes'>['parameters'][number]['type'],
      description: text(description),
      required: flag(required),
    })),
  };
}

export function readApiToken(told: Loose): Taken<'apiTokens'> {
  const { secret, tokenName, username, type, environment, projects, project, expiresAt, alias } = told;
  const createdAt = time(told.createdAt);
  const several = texts(projects);
  return {
    secret: text(secret),
    tokenName: text(tokenName) || text(username) || 'token',
    type: type === 'admin' || type === 'frontend' ? type : 'client',
    ...(type === 'backend' && { isBackend: true }),
    environment: text(environment, '*'),
    projects: several.length > 0 ? several : [text(project, '*')],
    ...(createdAt && { createdAt }),
    expiresAt: time(expiresAt) ?? null,
    alias: textOrNull(alias),
  };
}

export function readStrategyContent(told: Loose): Omit<TakenStrategy, 'id'> {
  const parameters = Object.entries(object(told.parameters)).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return {
    name: text(told.name) || text(told.strategyName),
    title: textOrNull(told.title),
    disabled: flag(told.disabled),
    parameters: Object.fromEntries(parameters.map(([name, value]) => [name, text(value)])),
    constraints: list(told.constraints).map(readConstraint),
    // Their order means nothing, and Unleash sends them in any order.
    segments: Array.isArray(told.segments)
      ? told.segments.filter((id) => Number.isInteger(id)).sort((left, right) => left - right)
      : [],
    variants: list(told.variants).map(readStrategyVariant),
  };
}

export function readStrategy(told: Loose): TakenStrategy {
  return { id: text(told.id), ...readStrategyContent(told) };
}

function readStrategyVariant(told: Loose): StrategyVariant {
  const { overrides: _none, weightType = 'variable', stickiness = 'default', ...variant } = readVariant(told);
  return { ...variant, weightType, stickiness };
}

export function readVariant({ name, weight, weightType, stickiness, payload, overrides }: Loose): Variant {
  const { type, value } = object(payload);
  return {
    name: text(name),
    weight: typeof weight === 'number' ? weight : 0,
    weightType: weightType === 'fix' ? 'fix' : 'variable',
    stickiness: text(stickiness, 'default'),
    ...(type !== undefined && {
      payload: { type: text(type) as NonNullable<Variant['payload']>['type'], value: text(value) },
    }),
    ...(Array.isArray(overrides) &&
      overrides.length > 0 && {
        overrides: list(overrides).map(({ contextName, values }) => ({
          contextName: text(contextName),
          values: texts(values),
        })),
      }),
  };
}

/** Strategies in the order in which they are asked. */
export function readStrategies(told: unknown): TakenStrategy[] {
  return inAskedOrder(list(told)).map(readStrategy);
}

export function readFeatureType(told: unknown): FeatureType | undefined {
  return (FEATURE_TYPES as readonly unknown[]).includes(told) ? (told as FeatureType) : undefined;
}

/** What a flag is whatever the environment. */
type FeatureFacts = Omit<TakenFeature, 'environments' | 'tags'>;

/** As `FeatureFacts`, all of them: what is not set is as of a new flag. */
type WholeFacts = FeatureFacts & Required<Omit<FeatureFacts, 'createdAt' | 'createdBy' | 'keepsOthers'>>;

export function readFeatureFacts(told: Loose, project: string): WholeFacts {
  const createdAt = time(told.createdAt);
  return {
    name: text(told.name),
    project,
    type: readFeatureType(told.type) ?? 'release',
    description: textOrNull(told.description),
    stale: flag(told.stale),
    impressionData: flag(told.impressionData),
    ...(createdAt && { createdAt }),
    archivedAt: time(told.archivedAt ?? undefined) ?? null,
    createdBy: nameOfMaker(told.createdBy),
    dependencies: list(told.dependencies).map(({ feature, enabled, variants }) => ({
      feature: text(feature),
      enabled: enabled !== false,
      variants: texts(variants),
    })),
    links: list(told.links).map(({ id, url, title }) => ({
      ...(typeof id === 'string' && { id }),
      url: text(url),
      title: textOrNull(title),
    })),
  };
}

export function readTags(told: unknown): NonNullable<TakenFeature['tags']> {
  return list(told).map(({ type, value }) => ({ type: text(type, 'simple'), value: text(value) }));
}

/** The environments of a flag. Before environments had variants of their own, the flag's were those of each. */
export function readFeatureEnvironments(told: Loose): TakenEnvironment[] {
  return list(told.environments).map(({ name, enabled, strategies, variants }) => ({
    environment: text(name),
    enabled: flag(enabled),
    strategies: readStrategies(strategies),
    variants: list(variants ?? told.variants).map(readVariant),
  }));
}
