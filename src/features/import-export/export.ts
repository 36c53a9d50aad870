import type { VisibleProjects } from '../../access/visibility.ts';
import { byText, sortedInSteps } from '../../base/lists/sorted.ts';
import { notFound, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { ContextField } from '../../model/context-field.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Variant } from '../../model/variant.ts';
import type { StateReader } from '../../state/collections.ts';
import { explicitParameters } from '../flags/strategies/validate.ts';
import type { TagType } from '../flags/tags/tag-type.ts';
import type { ExportQuery } from './schemas.ts';

/** Number of flags that are selected in one step. */
const STEP_FLAGS = 64;

/**
 * The flags that the query selects and the caller may see, in no particular order. A name that does not exist is rejected: a flag must not be missing
 * in a backup without an error. The state must not change between the steps.
 */
export function* selectForExport(
  state: StateReader,
  query: ExportQuery,
  visible: VisibleProjects,
): Steps<readonly Feature[] | Rejection> {
  const { features: names = [], tag, project } = query;
  if (names.length > 0) return yield* selectByName(state, names, visible);
  const candidates = project === undefined ? state.values('features') : state.lookup('featuresByProject', project);
  if (project !== undefined && !(state.get('projects', project) && visible.has(project)))
    return notFound(`The project ${project} does not exist.`);
  const selected: Feature[] = [];
  let visited = 0;
  for (const feature of candidates) {
    if (!feature.archived && visible.has(feature.project) && (tag === undefined || hasTag(feature, tag)))
      selected.push(feature);
    if (++visited % STEP_FLAGS === 0) yield;
  }
  return selected;
}

function* selectByName(
  state: StateReader,
  names: readonly string[],
  visible: VisibleProjects,
): Steps<readonly Feature[] | Rejection> {
  const selected: Feature[] = [];
  const missing: string[] = [];
  const asked = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (index % STEP_FLAGS === 0) yield;
    if (asked.has(name)) continue;
    asked.add(name);
    const feature = state.get('features', name);
    if (feature && visible.has(feature.project)) selected.push(feature);
    else missing.push(name);
  }
  if (missing.length > 0) return notFound(`These features do not exist: ${missing.join(', ')}.`);
  return selected;
}

function hasTag({ tags }: Feature, wanted: string): boolean {
  return tags.some(({ type, value }) => value === wanted || `${type}:${value}` === wanted);
}

/** The text of an export, and the names of its flags, sorted. */
export interface Export {
  readonly names: readonly string[];
  readonly pieces: Iterable<string>;
}

/**
 * The export as JSON, in pieces. Everything is read from the state in the steps, and the state must not change between them. Entities are immutable, so
 * the export shows one moment, even if its reader is slow. `withSortOrder`: whether strategies have their position, which exports of Unleash do not
 * have.
 */
export function* exportOf(
  state: StateReader,
  features: readonly Feature[],
  environment: string,
  { withSortOrder = false } = {},
): Steps<Export> {
  const sorted = yield* sortedInSteps(features, (one, other) => byText(one.name, other.name));
  const names: string[] = [];
  const projects = new Set<string>();
  for (const { name, project } of sorted) {
    names.push(name);
    projects.add(project);
    if (names.length % STEP_FLAGS === 0) yield;
  }
  const contextFields = applicableFields(state, projects);
  const tagTypes = [...state.values('tagTypes')].sort(byName);
  const segments = Array.from(state.values('segments'), ({ id, name }) => ({ id, name }));
  return {
    names,
    pieces: documentJson({ features: sorted, environment, withSortOrder, contextFields, tagTypes, segments }),
  };
}

/** The context fields that apply to flags of these projects. A field of another project does not apply, and the caller may not be allowed to see it. */
function applicableFields(state: StateReader, projects: ReadonlySet<string>): ContextField[] {
  const fields = [...state.values('contextFields')];
  return fields.filter(({ project }) => project === undefined || projects.has(project)).sort(byName);
}

interface ExportParts {
  readonly features: readonly Feature[];
  readonly environment: string;
  readonly withSortOrder: boolean;
  readonly contextFields: readonly ContextField[];
  readonly tagTypes: readonly TagType[];
  readonly segments: readonly { readonly id: number; readonly name: string }[];
}

function* documentJson(parts: ExportParts): Generator<string> {
  const { features, environment, withSortOrder, contextFields, tagTypes, segments } = parts;
  const references = new References();
  yield '{"features":[';
  yield* items(features, (feature) => [presentFeature(feature)]);
  yield '],"featureStrategies":[';
  yield* items(features, (feature) => presentStrategies(feature, environment, withSortOrder, references));
  yield '],"featureEnvironments":[';
  yield* items(features, (feature) => [presentEnvironment(feature, environment, references)]);
  yield '],"contextFields":[';
  yield* items(contextFields, (field) =>
    references.contextFields.has(field.name) ? [presentContextField(field)] : [],
  );
  yield '],"featureTags":[';
  yield* items(features, (feature) => presentTags(feature, references));
  yield '],"segments":[';
  yield* items(segments, (segment) => (references.segments.has(segment.id) ? [segment] : []));
  yield '],"tagTypes":[';
  yield* items(tagTypes, (tagType) => (references.tagTypes.has(tagType.name) ? [tagType] : []));
  yield '],"dependencies":[';
  yield* items(features, ({ name, dependencies }) =>
    dependencies.length > 0 ? [{ feature: name, dependencies }] : [],
  );
  yield '],"links":[';
  yield* items(features, ({ name, links = [] }) =>
    links.length > 0 ? [{ feature: name, links: links.map(({ id, url, title }) => ({ id, url, title })) }] : [],
  );
  yield ']}';
}

/** One piece per source, so that the caller can yield to the event loop even between sources without items. */
function* items<Source>(
  sources: readonly Source[],
  present: (source: Source) => readonly unknown[],
): Generator<string> {
  let separator = '';
  for (const source of sources) {
    let piece = '';
    for (const item of present(source)) {
      piece += separator + JSON.stringify(item);
      separator = ',';
    }
    yield piece;
  }
}

/**
 * The names and ids of the context fields, segments and tag types to which the exported flags refer. They are collected during the export, and only
 * these entities are exported with the flags.
 */
class References {
  readonly contextFields = new Set<string>();
  readonly segments = new Set<number>();
  readonly tagTypes = new Set<string>();

  addStrategy({ constraints, segments, parameters, variants }: Strategy): void {
    for (const { contextName } of constraints) this.contextFields.add(contextName);
    for (const id of segments) this.segments.add(id);
    if (Object.hasOwn(parameters, 'stickiness')) this.contextFields.add(parameters.stickiness ?? '');
    for (const { stickiness } of variants) this.contextFields.add(stickiness);
  }

  addVariant({ stickiness, overrides = [] }: Variant): void {
    if (stickiness !== undefined) this.contextFields.add(stickiness);
    for (const { contextName } of overrides) this.contextFields.add(contextName);
  }
}

function presentFeature({ name, description, type, project, stale, impressionData, archived }: Feature) {
  return { name, description, type, project, stale, impressionData, archived };
}

function presentStrategies(feature: Feature, environment: string, withSortOrder: boolean, references: References) {
  return featureEnvironment(feature, environment).strategies.map((strategy, index) => {
    references.addStrategy(strategy);
    const { name, id, title, constraints, variants, disabled, segments } = strategy;
    const position = withSortOrder ? { sortOrder: index } : {};
    return {
      name,
      id,
      featureName: feature.name,
      title,
      parameters: explicitParameters(strategy, feature.name),
      constraints,
      variants,
      disabled,
      segments,
      ...position,
    };
  });
}

function presentEnvironment(feature: Feature, environment: string, references: References) {
  const { enabled, variants } = featureEnvironment(feature, environment);
  for (const variant of variants) references.addVariant(variant);
  return { enabled, featureName: feature.name, environment, variants, name: feature.name };
}

function presentContextField({ name, description, stickiness, sortOrder, legalValues }: ContextField) {
  return { name, description, stickiness, sortOrder, legalValues };
}

function presentTags({ name, tags }: Feature, references: References) {
  return tags.map(({ type, value }) => {
    references.tagTypes.add(type);
    return { featureName: name, tagType: type, tagValue: value };
  });
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
