import type { Taken } from '../commands/take-over-input.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import { type Loose, list, object, text, textOrNull } from './loose-json.ts';
import { MigrateError } from './migrate-error.ts';
import {
  readContextField,
  readEnvironment,
  readFeatureFacts,
  readFeatureType,
  readSegment,
  readStrategies,
  readStrategyType,
  readTagType,
  readVariant,
} from './read-parts.ts';

type TakenFeature = Taken<'features'>;

/** A file that somebody saved, and its name for messages. */
export interface SavedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads what Unleash writes into files: exports of one environment each (`features-batch/export`), the answer of `GET /api/admin/segments`, and state
 * exports of version 4 of that format. Several files are one instance: an export names segments, and another file holds them. What a flag does in an
 * environment that no file tells of stays as it is here.
 */
export function readFiles(files: readonly SavedFile[]): Holdings {
  const reader = new FileReader();
  for (const file of files) reader.add(file);
  return reader.read();
}

class FileReader {
  readonly #holdings = noHoldings();
  readonly #features = new Map<string, TakenFeature>();
  /** Environments that flags of a project are told in. */
  readonly #places = new Map<string, Set<string>>();
  readonly #projects = new Map<string, Loose>();

  add({ name, text: told }: SavedFile): void {
    const file = object(parsed(name, told));
    const version = Number(file.version ?? 0);
    if (Array.isArray(file.features) && Array.isArray(file.featureStrategies)) this.#addFlags(file);
    else if (Array.isArray(file.segments) && file.features === undefined) this.#addSegments(file.segments);
    else if (Array.isArray(file.features) && version > 0) {
      throw new MigrateError(
        `${name} is a state export of version ${version}, from before Unleash had environments: import it into an Unleash 4 or 5 and move from there`,
      );
    } else
      throw new MigrateError(
        `${name} is neither an export of flags, nor a list of segments, nor a state export of Unleash`,
      );
  }

  read(): Holdings {
    const { projects, features, environments } = this.#holdings;
    for (const flag of this.#features.values()) {
      const places = this.#places.get(flag.project);
      features.push({ ...flag, environments: flag.environments.filter(({ environment }) => places?.has(environment)) });
    }
    for (const [id, names] of this.#places) {
      const told = this.#projects.get(id) ?? {};
      projects.push({
        ...{ id, name: text(told.name) || id, description: textOrNull(told.description), mode: 'open' },
        ...{ defaultStickiness: 'default', featureLimit: null, environments: [...names], archivedAt: null },
      });
    }
    const known = new Set(environments.map(({ name }) => name));
    for (const name of new Set([...this.#places.values()].flatMap((names) => [...names]))) {
      if (!known.has(name)) environments.push(readEnvironment({ name, type: typeOf(name) }));
    }
    return this.#holdings;
  }

  #addFlags(file: Loose): void {
    const { contextFields, tagTypes, strategyTypes, environments } = this.#holdings;
    contextFields.push(...list(file.contextFields).map(readContextField));
    tagTypes.push(...list(file.tagTypes).map(readTagType));
    strategyTypes.push(
      ...list(file.strategies)
        .filter(({ editable }) => editable !== false)
        .map(readStrategyType),
    );
    environments.push(...list(file.environments).map(readEnvironment));
    for (const project of list(file.projects)) this.#projects.set(text(project.id), project);
    this.#addSegments(file.segments);
    for (const told of list(file.features)) this.#addFlag(told);
    this.#addPlaces(file);
    for (const { featureName, tagType, tagValue } of list(file.featureTags)) {
      const tags = this.#features.get(text(featureName))?.tags;
      const tag = { type: text(tagType, 'simple'), value: text(tagValue) };
      if (!tags?.some(({ type, value }) => type === tag.type && value === tag.value)) tags?.push(tag);
    }
    for (const { feature, dependencies } of list(file.dependencies)) {
      const flag = this.#features.get(text(feature));
      if (flag)
        flag.dependencies = distinct(readFeatureFacts({ dependencies }, '').dependencies, ({ feature: of }) => of);
    }
    for (const { feature, links } of list(file.links)) {
      const flag = this.#features.get(text(feature));
      if (flag) flag.links = readFeatureFacts({ links }, '').links;
    }
  }

  #addFlag(told: Loose): void {
    const name = text(told.name);
    if (this.#features.has(name)) return;
    const project = text(told.project, 'default');
    if (readFeatureType(told.type) === undefined) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: `its type ${text(told.type)} is not known here: it becomes release, which changes no answer`,
      });
    }
    const { archivedAt, ...facts } = readFeatureFacts(told, project);
    const isArchived = told.archived === true;
    if (isArchived && archivedAt === null) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: 'it is archived, and when is not told: it is left out',
      });
      return;
    }
    this.#features.set(name, { ...facts, archivedAt, environments: [], tags: [], keepsOthers: true });
    this.#places.set(project, this.#places.get(project) ?? new Set());
  }

  /** What flags do: in an export of the one environment that it is of, in a state export of all of them. */
  #addPlaces(file: Loose): void {
    const segmentsOf = new Map<string, unknown[]>();
    for (const { featureStrategyId, segmentId } of list(file.featureStrategySegments)) {
      segmentsOf.set(text(featureStrategyId), [...(segmentsOf.get(text(featureStrategyId)) ?? []), segmentId]);
    }
    const environment = text(list(file.featureEnvironments)[0]?.environment);
    const strategies = new Map<string, Loose[]>();
    for (const told of list(file.featureStrategies)) {
      const key = `${text(told.environment, environment)}/${text(told.featureName)}`;
      const segments = told.segments ?? segmentsOf.get(text(told.id));
      strategies.set(key, [...(strategies.get(key) ?? []), { ...told, segments }]);
    }
    for (const { featureName, environment: of, enabled, variants } of list(file.featureEnvironments)) {
      const flag = this.#features.get(text(featureName));
      const place = text(of, environment);
      if (!flag || flag.environments.some((each) => each.environment === place)) continue;
      const told = {
        ...{ environment: place, enabled: enabled === true && flag.archivedAt === null },
        strategies: readStrategies(strategies.get(`${place}/${flag.name}`) ?? []),
        variants: list(variants).map(readVariant),
      };
      flag.environments.push(told);
      // Exports also tell of flags whose project does not have the environment: nothing is set there.
      if (told.enabled || told.strategies.length + told.variants.length > 0) this.#places.get(flag.project)?.add(place);
    }
  }

  /** Whole ones; of those that are only named, the names. */
  #addSegments(told: unknown): void {
    const { segments, segmentNames } = this.#holdings;
    for (const each of list(told)) {
      const segment = readSegment(each);
      if (!segmentNames.some(({ id }) => id === segment.id)) segmentNames.push({ id: segment.id, name: segment.name });
      if (Array.isArray(each.constraints) && !segments.some(({ name }) => name === segment.name))
        segments.push(segment);
    }
  }
}

/** Names that everybody uses. */
function typeOf(name: string): string {
  return ['development', 'test', 'preproduction'].includes(name) ? name : 'production';
}

/** Unleash's exports tell some dependencies more than once. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function parsed(name: string, told: string): unknown {
  try {
    return JSON.parse(told);
  } catch {
    throw new MigrateError(`${name} is no JSON, or is cut`);
  }
}
