import Type, { type Static } from 'typebox';
import { converted } from '../../base/converted.ts';
import { shortened } from '../../base/shortened.ts';
import { conforms } from '../../base/validation.ts';
import { atOnce } from '../../base/yield-control.ts';
import { completeParameters, type StrategyOwner } from '../../features/flags/strategies/validate.ts';
import type { ImportedFlag } from '../../features/import-export/import-input.ts';
import { importPlan } from '../../features/import-export/plan.ts';
import { ImportData, ImportedFeature } from '../../features/import-export/schemas.ts';
import { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';
import { BootstrapError, type Content, checkShape } from './bootstrap-shape.ts';

/** The part of an export that affects SDKs. Flags may have any name here, because the name is not part of a URL. */
const SavedExport = Type.Object({
  ...Type.Pick(ImportData, ['featureStrategies', 'featureEnvironments', 'segments', 'dependencies']).properties,
  features: Type.Array(Type.Object({ ...ImportedFeature.properties, name: SourceFlag.properties.name })),
});

/** Converts an export of flags to the flags of one environment, as SDKs would get them. @throws BootstrapError */
export function readExport(value: Readonly<Record<string, unknown>>): Content {
  const { contextFields: _fields, tagTypes: _types, featureTags: _tags, links: _links, ...servedParts } = value;
  const sent = conforms(SavedExport, servedParts) ? servedParts : converted(SavedExport, servedParts);
  const data = withoutArchived(checkShape<Static<typeof SavedExport>>(SavedExport, sent, 'the export'));
  const plan = atOnce(importPlan('default', 'development', data));
  const [problem] = plan.problems;
  if (problem) throw new BootstrapError(`the export: ${problem.message} ${shortened(problem.item, 100)}`);
  const projects = new Map(data.features.map(({ name, project }) => [name, project]));
  return {
    flags: plan.flags.map((flag) => sourceFlag(flag, projects.get(flag.name))),
    segments: (data.segments ?? []).flatMap(sourceSegment),
    warnings: plan.flags
      .filter(({ setting }) => setting === undefined)
      .map(({ name }) => `the export does not say whether ${JSON.stringify(name)} is on: it is off`),
  };
}

/** Removes archived flags and everything that belongs to them. They are not served, and an import would refuse them. */
function withoutArchived(data: ImportData): ImportData {
  const archived = new Set(data.features.flatMap(({ name, archived }) => (archived ? [name] : [])));
  if (archived.size === 0) return data;
  const isNotArchived = ({ featureName }: { readonly featureName: string }) => !archived.has(featureName);
  return {
    ...data,
    features: data.features.filter(({ name }) => !archived.has(name)),
    featureStrategies: data.featureStrategies.filter(isNotArchived),
    featureEnvironments: (data.featureEnvironments ?? []).filter(isNotArchived),
    dependencies: (data.dependencies ?? []).filter(({ feature }) => !archived.has(feature)),
  };
}

function sourceFlag(flag: ImportedFlag, project: string | undefined): SourceFlag {
  const { name, type, description, stale, impressionData, dependencies, setting } = flag;
  const strategies = flag.strategies.filter(({ disabled }) => !disabled);
  // A flag without strategies is on for every context, so a flag whose strategies are all disabled must be off.
  const isAllDisabled = flag.strategies.length > 0 && strategies.length === 0;
  return {
    name,
    type: type ?? null,
    enabled: setting?.enabled === true && !isAllDisabled,
    project: project ?? null,
    stale,
    description,
    impressionData,
    strategies: strategies.map((strategy) => ({
      name: strategy.name,
      parameters: completeParameters(strategy, ownerOf(name), undefined),
      constraints: strategy.constraints,
      segments: strategy.segments,
      variants: strategy.variants,
    })),
    variants: setting?.variants ?? [],
    dependencies,
  };
}

/** An export does not contain the stickiness that its project has by default. */
function ownerOf(featureName: string): StrategyOwner {
  return { project: { id: '', defaultStickiness: 'default' }, featureName };
}

/** The segment, if the export contains its constraints; otherwise an empty list. Some exports contain only names of segments. */
function sourceSegment(segment: { readonly id: number; readonly name: string }): SourceSegment[] {
  return 'constraints' in segment
    ? [checkShape<SourceSegment>(SourceSegment, segment, `the segment ${segment.id}`)]
    : [];
}
