import type { Imported } from '../../features/import-export/instance/input.ts';
import {
  type ClientList,
  edgeLists,
  edgeTokens,
  isClientList,
  isSimplified,
  readClientFlags,
  readSimplifiedFlags,
} from './client-file.ts';
import { isFlagdFile, readFlagdFile } from './flagd-file.ts';
import { isFliptFile, readFliptFile } from './flipt-file.ts';
import { isGoffFile, readGoffFile } from './goff-file.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import { type Loose, list, object, text, textOrNull } from './loose-json.ts';
import { MigrateError } from './migrate-error.ts';
import { OtherFile } from './other-files.ts';
import {
  readContextField,
  readEnvironment,
  readFeatureDetails,
  readFeatureType,
  readSegment,
  readStrategies,
  readStrategyType,
  readTagType,
  readVariant,
} from './read-parts.ts';
import { documentsOf, type SavedFile } from './saved-documents.ts';

type ImportedFeature = Imported<'features'>;

/** The environment and the project for flags whose file does not contain these names. */
interface FileEnvironments {
  readonly environment?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Reads files of Unleash: exports of one environment (`features-batch/export`), the answer of `GET /api/admin/segments`, state exports of version 4
 * of that format, lists for SDKs, and the files of Edge. It also reads files of flagd, GO Feature Flag and Flipt. All files together describe one
 * instance: for example, an export contains only the names of segments, and another file contains the segments. The configuration of a flag stays
 * unchanged in environments for which no file exists.
 * @throws MigrateError
 */
export async function readFiles(files: readonly SavedFile[], locations: FileEnvironments = {}): Promise<Holdings> {
  const reader = new FileReader(locations);
  for (const file of files) for (const document of await documentsOf(file)) reader.add(file.name, document);
  return reader.read();
}

class FileReader {
  readonly #holdings = noHoldings();
  readonly #features = new Map<string, ImportedFeature>();
  /** For each project, the environments in which the files have flags of the project. */
  readonly #locations = new Map<string, Set<string>>();
  readonly #projects = new Map<string, Loose>();
  readonly #supplied: FileEnvironments;

  constructor(supplied: FileEnvironments) {
    this.#supplied = supplied;
  }

  add(name: string, document: unknown): void {
    const file = object(document);
    const version = Number(file.version ?? 0);
    const tokens = edgeTokens(document);
    const lists = edgeLists(document) ?? (isClientList(file) ? [clientList(file)] : undefined);
    if (tokens !== undefined) this.#holdings.apiTokens.push(...tokens);
    else if (lists !== undefined) for (const list of lists) this.#addClientList(name, list);
    else if (isFlagdFile(file)) this.#addOther(name, (into) => readFlagdFile(file, into));
    else if (isFliptFile(file)) this.#addOther(name, (into) => readFliptFile(file, into));
    else if (isGoffFile(file)) this.#addOther(name, (into) => readGoffFile(file, into));
    else if (isSimplified(file)) {
      const features = readSimplifiedFlags(file, this.#environment(name), this.#project);
      for (const feature of features) this.#addPlaced(feature);
    } else if (Array.isArray(file.features) && Array.isArray(file.featureStrategies)) this.#addFlags(name, file);
    else if (Array.isArray(file.segments) && file.features === undefined) this.#addSegments(file.segments);
    else if (Array.isArray(file.features) && version > 0) {
      throw new MigrateError(
        `${name} is a state export of version ${version}, from before Unleash had environments: import it into an Unleash 4 or 5 and move from there`,
      );
    } else
      throw new MigrateError(
        `${name} is neither an export of flags, nor a list of segments, nor a state export of Unleash, nor a list of SDKs, nor of flagd, GO Feature Flag or Flipt`,
      );
  }

  get #project(): string {
    return this.#supplied.project ?? 'default';
  }

  #environment(file: string): string {
    const { environment } = this.#supplied;
    if (environment !== undefined) return environment;
    throw new MigrateError(`${file} does not contain its environment: specify --environment NAME`);
  }

  #addClientList(name: string, { environment = this.#environment(name), file }: ClientList): void {
    const { features, segments } = readClientFlags({ environment, file }, this.#project);
    for (const feature of features) this.#addPlaced(feature);
    for (const segment of segments) this.#addSegment(segment);
  }

  #addOther(name: string, read: (into: OtherFile) => void): void {
    const environment = this.#environment(name);
    const into = new OtherFile();
    read(into);
    this.#holdings.notes.push(...into.notes);
    this.#holdings.untaken.push(...into.untaken);
    for (const { name: flag, description, project = this.#project, location } of into.flags) {
      this.#addPlaced({
        ...{ name: flag, project, keepsOthers: true, environments: [{ environment, ...location }] },
        ...(description !== null && { description }),
      });
    }
  }

  /** Adds a flag with its configuration in one environment, and keeps its configurations from other files. */
  #addPlaced(feature: ImportedFeature): void {
    const { name, project, environments } = feature;
    const known = this.#features.get(name);
    const locations = this.#locations.get(known?.project ?? project) ?? new Set();
    this.#locations.set(known?.project ?? project, locations);
    for (const { environment } of environments) locations.add(environment);
    if (!known) return void this.#features.set(name, feature);
    if (known.project !== project) {
      const text = `the project ${known.project} has a flag of this name, and ${project} may not have another`;
      return void this.#holdings.untaken.push({ about: name, text });
    }
    for (const location of environments) {
      if (!known.environments.some(({ environment }) => environment === location.environment))
        known.environments.push(location);
    }
  }

  read(): Holdings {
    const { projects, features, environments } = this.#holdings;
    for (const flag of this.#features.values()) {
      const locations = this.#locations.get(flag.project);
      features.push({
        ...flag,
        environments: flag.environments.filter(({ environment }) => locations?.has(environment)),
      });
    }
    for (const [id, names] of this.#locations) {
      const sent = this.#projects.get(id) ?? {};
      projects.push({
        ...{ id, name: text(sent.name) || id, description: textOrNull(sent.description), mode: 'open' },
        ...{ defaultStickiness: 'default', featureLimit: null, environments: [...names], archivedAt: null },
      });
    }
    const known = new Set(environments.map(({ name }) => name));
    for (const name of new Set([...this.#locations.values()].flatMap((names) => [...names]))) {
      if (!known.has(name)) environments.push(readEnvironment({ name, type: typeOf(name) }));
    }
    return this.#holdings;
  }

  #addFlags(name: string, file: Loose): void {
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
    for (const sent of list(file.features)) this.#addFlag(sent, file);
    this.#addPlaces(name, file);
    for (const { featureName, tagType, tagValue } of list(file.featureTags)) {
      const flag = this.#features.get(text(featureName));
      const tag = { type: text(tagType, 'simple'), value: text(tagValue) };
      if (!flag || flag.tags?.some(({ type, value }) => type === tag.type && value === tag.value)) continue;
      flag.tags = [...(flag.tags ?? []), tag];
    }
    for (const { feature, dependencies } of list(file.dependencies)) {
      const flag = this.#features.get(text(feature));
      if (flag)
        flag.dependencies = distinct(readFeatureDetails({ dependencies }, '').dependencies, ({ feature: of }) => of);
    }
    for (const { feature, links } of list(file.links)) {
      const flag = this.#features.get(text(feature));
      if (flag) flag.links = readFeatureDetails({ links }, '').links;
    }
  }

  /** Adds a flag of an export. Older exports do not contain dependencies and links: these fields stay unchanged here. */
  #addFlag(sent: Loose, file: Loose): void {
    const name = text(sent.name);
    if (this.#features.has(name)) return;
    const project = text(sent.project, 'default');
    if (readFeatureType(sent.type) === undefined) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: `its type ${text(sent.type)} is not known here: it becomes release, which changes no answer`,
      });
    }
    const { archivedAt, dependencies, links, ...details } = readFeatureDetails(sent, project);
    const isArchived = sent.archived === true;
    if (isArchived && archivedAt === null) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: 'it was archived at an unknown time: it is left out',
      });
      return;
    }
    this.#features.set(name, {
      ...{ ...details, archivedAt, environments: [], tags: [], keepsOthers: true },
      ...(file.dependencies !== undefined && { dependencies }),
      ...(file.links !== undefined && { links }),
    });
    this.#locations.set(project, this.#locations.get(project) ?? new Set());
  }

  /** Adds the configurations of flags. An export has them for one environment, a state export for all environments. */
  #addPlaces(name: string, file: Loose): void {
    const segmentsOf = new Map<string, unknown[]>();
    for (const { featureStrategyId, segmentId } of list(file.featureStrategySegments)) {
      segmentsOf.set(text(featureStrategyId), [...(segmentsOf.get(text(featureStrategyId)) ?? []), segmentId]);
    }
    const environment = this.#environmentOf(name, file);
    const strategies = new Map<string, Loose[]>();
    for (const sent of list(file.featureStrategies)) {
      const key = `${text(sent.environment, environment)}/${text(sent.featureName)}`;
      const segments = sent.segments ?? segmentsOf.get(text(sent.id));
      strategies.set(key, [...(strategies.get(key) ?? []), { ...sent, segments }]);
    }
    for (const { featureName, environment: of, enabled, variants } of list(file.featureEnvironments)) {
      const flag = this.#features.get(text(featureName));
      const location = text(of, environment);
      if (!flag || flag.environments.some((each) => each.environment === location)) continue;
      const sent = {
        ...{ environment: location, enabled: enabled === true && typeof flag.archivedAt !== 'string' },
        strategies: readStrategies(strategies.get(`${location}/${flag.name}`) ?? []),
        variants: list(variants).map(readVariant),
      };
      flag.environments.push(sent);
      // Exports also contain flags whose project does not have the environment. These flags are off and have no strategies and no variants.
      if (sent.enabled || sent.strategies.length + sent.variants.length > 0)
        this.#locations.get(flag.project)?.add(location);
    }
    for (const each of strategies.values()) this.#addUnsaid(text(each[0]?.environment, environment), each);
  }

  /** The environment of an export. If Unleash does not list the environment, its export contains only strategies and not the environment name. */
  #environmentOf(name: string, { featureEnvironments, featureStrategies }: Loose): string {
    const sent = text(list(featureEnvironments)[0]?.environment);
    if (sent !== '' || list(featureStrategies).every(({ environment }) => text(environment) !== '')) return sent;
    return this.#environment(name);
  }

  /** Adds the strategies of a flag whose on/off state is not in the file: the flag is imported as off. */
  #addUnsaid(environment: string, sent: readonly Loose[]): void {
    const flag = this.#features.get(text(sent[0]?.featureName));
    if (!flag || flag.environments.some((each) => each.environment === environment)) return;
    flag.environments.push({ environment, enabled: false, strategies: readStrategies(sent), variants: [] });
    this.#locations.get(flag.project)?.add(environment);
    this.#holdings.notes.push({
      about: `flag ${flag.name}`,
      text: `the file does not contain whether it is on in ${environment}: it is imported as off, with its strategies; switch it on if it was on`,
    });
  }

  /** Adds segments. If the file contains only the name of a segment, only the name is added. */
  #addSegments(sent: unknown): void {
    for (const each of list(sent)) this.#addSegment(readSegment(each), Array.isArray(each.constraints));
  }

  #addSegment(segment: Holdings['segments'][number], isWhole = true): void {
    const { segments, segmentNames } = this.#holdings;
    if (!segmentNames.some(({ id }) => id === segment.id)) segmentNames.push({ id: segment.id, name: segment.name });
    if (isWhole && !segments.some(({ name }) => name === segment.name)) segments.push(segment);
  }
}

function clientList(file: Loose): ClientList {
  return { environment: text(object(file.query).environment) || undefined, file };
}

/** The type of an environment, derived from its name: common names are also types. */
function typeOf(name: string): string {
  return ['development', 'test', 'preproduction'].includes(name) ? name : 'production';
}

/** Unleash's exports contain some dependencies more than once. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
