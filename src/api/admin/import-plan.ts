import type { ImportedFlag, ImportInput } from '../../commands/import.ts';
import type { ImportProblems } from '../../commands/import-problems.ts';
import type { StrategyContent } from '../../commands/validate-strategy.ts';
import type { StrategyInput } from '../../model/strategy.ts';
import type { ImportData } from './features-batch-schemas.ts';

/** Tags of exports from before tag types had names. */
const DEFAULT_TAG_TYPE = 'simple';

/** An export's flat lists, gathered flag by flag, as the command takes them. */
export function importPlan(project: string, environment: string, data: ImportData): ImportInput {
  const strategies = groupByFlag(data.featureStrategies);
  const settings = groupByFlag(data.featureEnvironments ?? []);
  const tags = groupByFlag(data.featureTags ?? []);
  const dependencies = groupByFlag(
    (data.dependencies ?? []).map((entry) => ({ ...entry, featureName: entry.feature })),
  );
  const flags = new Map<string, ImportedFlag>();
  for (const { name, type, description, stale, impressionData } of data.features) {
    const setting = settings.get(name)?.[0];
    flags.set(name, {
      name,
      type,
      description: description ?? null,
      stale: stale ?? false,
      impressionData: impressionData ?? false,
      strategies: inOrder(strategies.get(name) ?? []),
      setting: setting && { enabled: setting.enabled, variants: setting.variants ?? [] },
      tags: (tags.get(name) ?? []).map(({ tagType, tagValue }) => ({
        type: tagType ?? DEFAULT_TAG_TYPE,
        value: tagValue,
      })),
      dependencies: (dependencies.get(name) ?? []).flatMap((entry) =>
        entry.dependencies.map(({ feature, enabled = true, variants = [] }) => ({ feature, enabled, variants })),
      ),
    });
  }
  return {
    project,
    environment,
    flags: [...flags.values()],
    segments: new Map((data.segments ?? []).map(({ id, name }) => [id, name])),
    contextFields: (data.contextFields ?? []).map(contextFieldInput),
    tagTypes: (data.tagTypes ?? []).map(({ name, description, icon, color }) => ({
      name,
      ...(description !== undefined && { description }),
      ...(icon !== undefined && { icon }),
      ...(color !== undefined && { color }),
    })),
    findProblems: (errors) => findProblems(data, flags, errors),
  };
}

function groupByFlag<Item extends { readonly featureName: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.featureName);
    if (group) group.push(item);
    else groups.set(item.featureName, [item]);
  }
  return groups;
}

/** By sort order where the export tells it, else as listed. */
function inOrder(strategies: readonly StrategyInput[]): StrategyContent[] {
  const order = ({ sortOrder }: StrategyInput) => sortOrder ?? 0;
  return [...strategies].sort((left, right) => order(left) - order(right)).map(strategyContent);
}

function strategyContent({
  name,
  title,
  disabled,
  parameters,
  constraints,
  segments,
  variants,
}: StrategyInput): StrategyContent {
  return {
    name,
    title: title ?? null,
    disabled: disabled ?? false,
    parameters: parameters ?? {},
    constraints: constraints ?? [],
    segments: segments ?? [],
    variants: variants ?? [],
  };
}

function contextFieldInput({
  name,
  description,
  stickiness,
  sortOrder,
  legalValues,
}: NonNullable<ImportData['contextFields']>[number]) {
  return {
    name,
    description: description ?? null,
    stickiness: stickiness ?? false,
    ...(sortOrder !== undefined && { sortOrder }),
    legalValues: (legalValues ?? []).map(({ value, description: text }) => ({
      value,
      ...(text !== undefined && { description: text }),
    })),
  };
}

/** What is wrong with an export whatever the state is. */
function findProblems(data: ImportData, flags: ReadonlyMap<string, ImportedFlag>, errors: ImportProblems): void {
  const seen = new Set<string>();
  for (const { name, archived } of data.features) {
    if (seen.has(name)) errors.add('These features are in the import more than once:', name);
    seen.add(name);
    if (archived) errors.add('These features are archived in the import:', name);
  }
  const settings = new Set<string>();
  for (const { featureName } of data.featureEnvironments ?? []) {
    if (settings.has(featureName))
      errors.add('These features have more than one environment in the import:', featureName);
    settings.add(featureName);
  }
  const owners = [data.featureStrategies, data.featureEnvironments ?? [], data.featureTags ?? []].flat();
  const referred = new Set([
    ...owners.map((item) => item.featureName),
    ...(data.dependencies ?? []).map((item) => item.feature),
  ]);
  for (const name of referred) {
    if (!flags.has(name)) errors.add('The import refers to these features, but does not hold them:', name);
  }
  const segments = new Set((data.segments ?? []).map(({ id }) => id));
  const unnamed = new Set(
    data.featureStrategies.flatMap((strategy) => strategy.segments ?? []).filter((id) => !segments.has(id)),
  );
  for (const id of unnamed) errors.add('The import refers to these segments, but does not name them:', String(id));
}
