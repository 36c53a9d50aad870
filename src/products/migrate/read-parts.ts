import type { Imported } from '../../features/import-export/instance/input.ts';
import { type Constraint, OPERATORS, type Operator } from '../../model/constraint.ts';
import { FEATURE_TYPES, type FeatureType } from '../../model/feature.ts';
import { isFetchMode } from '../../model/fetch-mode.ts';
import { inEvaluationOrder } from '../../model/strategy.ts';
import { integer, isTrue, type Loose, list, number, object, text, textOrNull, texts, time } from './loose-json.ts';

type ImportedFeature = Imported<'features'>;
type ImportedEnvironment = ImportedFeature['environments'][number];
type ImportedStrategy = ImportedEnvironment['strategies'][number];
type Variant = ImportedEnvironment['variants'][number];
type StrategyVariant = ImportedStrategy['variants'][number];

/** The sort order of environments that have no sort order in the source: they come last. */
const LAST_SORT_ORDER = 9_999;

export function readEnvironment(sent: Loose): Imported<'environments'> {
  return {
    name: text(sent.name),
    type: text(sent.type, 'production'),
    enabled: sent.enabled !== false,
    protected: isTrue(sent.protected),
    sortOrder: integer(sent.sortOrder, LAST_SORT_ORDER),
    ...(isTrue(sent.requireReason) && { requireReason: true }),
    ...(isFetchMode(sent.fetchMode) && { fetchMode: sent.fetchMode }),
  };
}

export function readConstraint(sent: Loose): Constraint {
  const { contextName, operator, values, value, inverted, caseInsensitive } = sent;
  return {
    contextName: text(contextName),
    // The import refuses an unknown operator and reports its name.
    operator: (OPERATORS as readonly unknown[]).includes(operator)
      ? (operator as Operator)
      : (text(operator) as Operator),
    ...(Array.isArray(values) && { values: values.map((each) => text(each)) }),
    ...(value !== undefined && value !== null && { value: text(value) }),
    ...(inverted !== undefined && inverted !== null && { inverted: isTrue(inverted) }),
    ...(caseInsensitive !== undefined && caseInsensitive !== null && { caseInsensitive: isTrue(caseInsensitive) }),
  };
}

export function readSegment(sent: Loose): Imported<'segments'> {
  const createdAt = time(sent.createdAt);
  return {
    id: integer(sent.id, 0),
    name: text(sent.name),
    description: textOrNull(sent.description),
    project: textOrNull(sent.project),
    constraints: list(sent.constraints).map(readConstraint),
    ...(createdAt && { createdAt }),
    createdBy: authorName(sent.createdBy),
  };
}

function authorName(sent: unknown): string | null {
  return textOrNull(sent) ?? textOrNull(object(sent).name) ?? textOrNull(object(sent).username);
}

export function readContextField(sent: Loose): Imported<'contextFields'> {
  const createdAt = time(sent.createdAt);
  return {
    name: text(sent.name),
    description: textOrNull(sent.description),
    stickiness: isTrue(sent.stickiness),
    sortOrder: integer(sent.sortOrder, 10),
    legalValues: list(sent.legalValues).map(({ value, description }) => ({
      value: text(value),
      ...(typeof description === 'string' && { description }),
    })),
    ...(createdAt && { createdAt }),
    project: textOrNull(sent.project),
  };
}

export function readTagType({ name, description, icon, color }: Loose): Imported<'tagTypes'> {
  return { name: text(name), description: textOrNull(description), icon: textOrNull(icon), color: textOrNull(color) };
}

export function readStrategyType(sent: Loose): Imported<'strategyTypes'> {
  return {
    name: text(sent.name),
    title: textOrNull(sent.title) ?? textOrNull(sent.displayName),
    description: textOrNull(sent.description),
    deprecated: isTrue(sent.deprecated),
    parameters: list(sent.parameters).map(({ name, type, description, required }) => ({
      name: text(name),
      type: text(type, 'string') as Imported<'strategyTypes'>['parameters'][number]['type'],
      description: text(description),
      required: isTrue(required),
    })),
  };
}

export function readApiToken(sent: Loose): Imported<'apiTokens'> {
  const { secret, tokenName, username, type, environment, projects, project, expiresAt, alias } = sent;
  const createdAt = time(sent.createdAt);
  const projectIds = texts(projects);
  return {
    secret: text(secret),
    tokenName: text(tokenName) || text(username) || 'token',
    type: type === 'admin' || type === 'frontend' ? type : 'client',
    ...(type === 'backend' && { isBackend: true }),
    environment: text(environment, '*'),
    projects: projectIds.length > 0 ? projectIds : [text(project, '*')],
    ...(createdAt && { createdAt }),
    expiresAt: time(expiresAt) ?? null,
    alias: textOrNull(alias),
  };
}

export function readStrategyContent(sent: Loose): Omit<ImportedStrategy, 'id'> {
  const parameters = Object.entries(object(sent.parameters)).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return {
    name: text(sent.name) || text(sent.strategyName),
    title: textOrNull(sent.title),
    disabled: isTrue(sent.disabled),
    parameters: Object.fromEntries(parameters.map(([name, value]) => [name, text(value)])),
    constraints: list(sent.constraints).map(readConstraint),
    // Sorted, because Unleash sends segments in any order and their order has no meaning.
    segments: Array.isArray(sent.segments)
      ? sent.segments.filter((id) => Number.isInteger(id)).sort((left, right) => left - right)
      : [],
    variants: list(sent.variants).map(readStrategyVariant),
  };
}

export function readStrategy(sent: Loose): ImportedStrategy {
  return { id: text(sent.id), ...readStrategyContent(sent) };
}

function readStrategyVariant(sent: Loose): StrategyVariant {
  const { overrides: _none, weightType = 'variable', stickiness = 'default', ...variant } = readVariant(sent);
  return { ...variant, weightType, stickiness };
}

export function readVariant({ name, weight, weightType, stickiness, payload, overrides }: Loose): Variant {
  const { type, value } = object(payload);
  return {
    name: text(name),
    // A weight that is no number stays none: the import then refuses the flag.
    weight: weight === undefined ? 0 : number(weight, Number.NaN),
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

/** The strategies, in the order in which SDKs evaluate them. */
export function readStrategies(sent: unknown): ImportedStrategy[] {
  return inEvaluationOrder(list(sent)).map(readStrategy);
}

export function readFeatureType(sent: unknown): FeatureType | undefined {
  return (FEATURE_TYPES as readonly unknown[]).includes(sent) ? (sent as FeatureType) : undefined;
}

/** Fields of a flag that do not depend on the environment. */
type FeatureDetails = Omit<ImportedFeature, 'environments' | 'tags'>;

/** Same as `FeatureDetails`, but with all fields. Missing fields get the values of a new flag. */
type CompleteDetails = FeatureDetails & Required<Omit<FeatureDetails, 'createdAt' | 'createdBy' | 'keepsOthers'>>;

export function readFeatureDetails(sent: Loose, project: string): CompleteDetails {
  const createdAt = time(sent.createdAt);
  return {
    name: text(sent.name),
    project,
    type: readFeatureType(sent.type) ?? 'release',
    description: textOrNull(sent.description),
    stale: isTrue(sent.stale),
    impressionData: isTrue(sent.impressionData),
    ...(createdAt && { createdAt }),
    archivedAt: time(sent.archivedAt ?? undefined) ?? null,
    createdBy: authorName(sent.createdBy),
    dependencies: list(sent.dependencies).map(({ feature, enabled, variants }) => ({
      feature: text(feature),
      enabled: enabled !== false,
      variants: texts(variants),
    })),
    links: list(sent.links).map(({ id, url, title }) => ({
      ...(typeof id === 'string' && { id }),
      url: text(url),
      title: textOrNull(title),
    })),
  };
}

export function readTags(sent: unknown): NonNullable<ImportedFeature['tags']> {
  return list(sent).map(({ type, value }) => ({ type: text(type, 'simple'), value: text(value) }));
}

/** The configurations of a flag in its environments, as a running source evaluates them. In older versions, a flag has one list of variants, which applies to every environment. */
export function readFeatureEnvironments(sent: Loose): ImportedEnvironment[] {
  return list(sent.environments).map(({ name, enabled, strategies, variants }) => ({
    environment: text(name),
    enabled: isTrue(enabled),
    strategies: readStrategies(strategies),
    variants: list(variants ?? sent.variants).map(readVariant),
    isServed: true,
  }));
}
