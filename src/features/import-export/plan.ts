import type { Steps } from '../../base/yield-control.ts';
import { inEvaluationOrder, parametersAsText, type SentStrategy } from '../../model/strategy.ts';
import type { StrategyContent } from '../flags/strategies/validate.ts';
import type { ImportedFlag, ImportInput } from './import-input.ts';
import { flagsLeftOutOf } from './mended-import.ts';
import type { ImportData } from './schemas.ts';

/** The type of tags without a type. Old exports contain such tags. */
const DEFAULT_TAG_TYPE = 'simple';

/** Groups the flat lists of an export by flag, as the input of `importFeatures`. In steps, because an export may have tens of thousands of flags. */
export function* importPlan(project: string, environment: string, data: ImportData): Steps<ImportInput> {
  const strategies = yield* groupByFlag(data.featureStrategies, flagNameOf);
  const settings = yield* groupByFlag(data.featureEnvironments ?? [], flagNameOf);
  const tags = yield* groupByFlag(data.featureTags ?? [], flagNameOf);
  const dependencies = yield* groupByFlag(data.dependencies ?? [], ({ feature }) => feature);
  const links = yield* groupByFlag(data.links ?? [], ({ feature }) => feature);
  const flags = new Map<string, ImportedFlag>();
  for (const { name, type, description, stale, impressionData } of data.features) {
    const setting = settings.get(name)?.[0];
    flags.set(name, {
      name,
      type,
      description: description ?? null,
      stale: stale ?? false,
      impressionData: impressionData ?? false,
      strategies: inEvaluationOrder(strategies.get(name) ?? []).map(strategyContent),
      setting: setting && { enabled: setting.enabled, variants: setting.variants ?? [] },
      tags: (tags.get(name) ?? []).map(({ tagType, tagValue }) => ({
        type: tagType ?? DEFAULT_TAG_TYPE,
        value: tagValue,
      })),
      dependencies: (dependencies.get(name) ?? []).flatMap((entry) =>
        entry.dependencies.map(({ feature, enabled = true, variants = [] }) => ({ feature, enabled, variants })),
      ),
      links: (links.get(name) ?? []).flatMap((entry) => entry.links.map(({ url, title = null }) => ({ url, title }))),
    });
    yield;
  }
  return {
    project,
    environment,
    flags: [...flags.values()],
    segments: yield* mapped(data.segments ?? [], ({ id, name }) => ({ id, name })),
    contextFields: yield* mapped(data.contextFields ?? [], contextFieldInput),
    tagTypes: yield* mapped(data.tagTypes ?? [], tagTypeInput),
    leftOut: [...flagsLeftOutOf(data)],
    problems: yield* findProblems(data, flags),
  };
}

/** Items that are processed in one step. */
const STEP_ITEMS = 256;

function* mapped<Item, Result>(items: readonly Item[], of: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(of(item));
    if (results.length % STEP_ITEMS === 0) yield;
  }
  return results;
}

const flagNameOf = ({ featureName }: { readonly featureName: string }) => featureName;

function* groupByFlag<Item>(
  items: readonly Item[],
  flagOf: (item: Item) => string,
): Steps<ReadonlyMap<string, readonly Item[]>> {
  const groups = new Map<string, Item[]>();
  for (const [index, item] of items.entries()) {
    const name = flagOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
    if (index % STEP_ITEMS === 0) yield;
  }
  return groups;
}

function strategyContent({
  name,
  title,
  disabled,
  parameters,
  constraints,
  segments,
  variants,
}: SentStrategy): StrategyContent {
  return {
    name,
    title: title ?? null,
    disabled: disabled ?? false,
    parameters: parametersAsText(parameters ?? {}),
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

function tagTypeInput({ name, description, icon, color }: NonNullable<ImportData['tagTypes']>[number]) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
  };
}

/**
 * Members that exist only in state exports of Unleash before version 5. These exports have another format, with the segments of strategies in another
 * list.
 */
const STATE_EXPORT_PARTS = ['version', 'featureStrategySegments'];

type Problems = ImportInput['problems'];

/** Problems of an export that do not depend on the state. */
function* findProblems(data: ImportData, flags: ReadonlyMap<string, ImportedFlag>): Steps<Problems> {
  const problems: Problems = [];
  for (const part of STATE_EXPORT_PARTS) {
    if (!Object.hasOwn(data, part)) continue;
    const message =
      'This is a state export of an older Unleash, which cannot be imported. Export features from that Unleash instead. Found:';
    problems.push({ message, item: part });
  }
  const names = new Set<string>();
  for (const { name, archived } of data.features) {
    if (names.has(name)) {
      problems.push({ message: 'These features are in the import more than once:', item: name, isConflict: true });
    }
    names.add(name);
    if (archived) problems.push({ message: 'These features are archived in the import:', item: name });
    yield;
  }
  const settings = new Set<string>();
  for (const { featureName } of data.featureEnvironments ?? []) {
    if (settings.has(featureName)) {
      problems.push({ message: 'These features have more than one environment in the import:', item: featureName });
    }
    settings.add(featureName);
    yield;
  }
  for (const item of yield* missingFlags(data, flags)) {
    problems.push({ message: 'The import refers to these features, but does not contain them:', item });
  }
  for (const id of yield* unnamedSegments(data)) {
    problems.push({ message: 'The import refers to these segments, but does not name them:', item: String(id) });
  }
  return problems;
}

/** Names of flags to which the lists refer, but which the import does not contain. */
function* missingFlags(data: ImportData, flags: ReadonlyMap<string, ImportedFlag>): Steps<ReadonlySet<string>> {
  const missing = new Set<string>();
  for (const owners of [data.featureStrategies, data.featureEnvironments ?? [], data.featureTags ?? []]) {
    for (const { featureName } of owners) {
      if (!flags.has(featureName)) missing.add(featureName);
      yield;
    }
  }
  for (const { feature } of [...(data.dependencies ?? []), ...(data.links ?? [])]) {
    if (!flags.has(feature)) missing.add(feature);
    yield;
  }
  return missing;
}

function* unnamedSegments(data: ImportData): Steps<ReadonlySet<number>> {
  const named = new Set(yield* mapped(data.segments ?? [], ({ id }) => id));
  const unnamed = new Set<number>();
  for (const { segments = [] } of data.featureStrategies) {
    for (const id of segments) if (!named.has(id)) unnamed.add(id);
    yield;
  }
  return unnamed;
}
