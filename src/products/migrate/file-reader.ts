import { pushAll } from '../../base/lists/push-all.ts';
import type { Imported } from '../../features/import-export/instance/input.ts';
import { ProgramError } from '../program/subcommand.ts';
import {
  type ClientList,
  edgeLists,
  edgeTokens,
  isClientList,
  isSimplified,
  readClientFlags,
  readSimplifiedFlags,
} from './client-file.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import { isTrue, type Loose, list, object, text, textOrNull } from './loose-json.ts';
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
import { isFlagdFile, readFlagdFile } from './vendors/flagd-file.ts';
import { isFliptFile, readFliptFile } from './vendors/flipt-file.ts';
import { isGoffFile, readGoffFile } from './vendors/goff-file.ts';
import { VendorFlags } from './vendors/vendor-flags.ts';

type ImportedFeature = Imported<'features'>;

/** The environment and the project of flags whose file does not contain them. */
interface FileDefaults {
  readonly environment?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Reads files of Unleash: exports of one environment (`features-batch/export`), the answer of `GET /api/admin/segments`, state exports of version 4
 * of that format, lists for SDKs, and the files of Edge. It also reads files of flagd, GO Feature Flag and Flipt. All files together describe one
 * instance: for example, an export contains only the names of segments, and another file contains the segments. The import does not change the
 * configuration of a flag in environments for which there is no file.
 * @throws ProgramError
 */
export async function readFiles(files: readonly SavedFile[], defaults: FileDefaults = {}): Promise<Holdings> {
  const reader = new FileReader(defaults);
  for (const file of files) for (const document of await documentsOf(file)) reader.add(file.name, document);
  return reader.read();
}

/** The environment of all flags in Unleash 4.1. */
const GLOBAL_ENVIRONMENT = ':global:';

class FileReader {
  readonly #holdings = noHoldings();
  readonly #features = new Map<string, ImportedFeature>();
  /** For each project, the environments in which the files have flags of the project. */
  readonly #environmentsOfProjects = new Map<string, Set<string>>();
  readonly #projects = new Map<string, Loose>();
  readonly #defaults: FileDefaults;

  constructor(defaults: FileDefaults) {
    this.#defaults = defaults;
  }

  add(name: string, document: unknown): void {
    const file = object(document);
    const version = Number(file.version ?? 0);
    const tokens = edgeTokens(document);
    const lists = edgeLists(document) ?? (isClientList(file) ? [clientList(file)] : undefined);
    if (tokens !== undefined) pushAll(this.#holdings.apiTokens, tokens);
    else if (lists !== undefined) for (const list of lists) this.#addClientList(name, list);
    else if (isFlagdFile(file)) this.#addVendorFlags(name, (into) => readFlagdFile(file, into));
    else if (isFliptFile(file)) this.#addVendorFlags(name, (into) => readFliptFile(file, into));
    else if (isGoffFile(file)) this.#addVendorFlags(name, (into) => readGoffFile(file, into));
    else if (isSimplified(file)) {
      const features = readSimplifiedFlags(file, this.#environment(name), this.#project);
      for (const feature of features) this.#addConfigured(feature);
    } else if (Array.isArray(file.features) && Array.isArray(file.featureStrategies)) this.#addFlags(name, file);
    else if (Array.isArray(file.segments) && file.features === undefined) this.#addSegments(file.segments);
    else if (Array.isArray(file.features) && version > 0) {
      throw new ProgramError(
        `${name} is a state export of version ${version}, from before Unleash had environments: ` +
          'import it into an Unleash 4 or 5, and run burgee migrate from that instance',
      );
    } else
      throw new ProgramError(
        `${name} has an unknown format: it is neither an export of flags, a list of segments, a state export or a list for SDKs ` +
          'of Unleash, nor a file of flagd, GO Feature Flag or Flipt',
      );
  }

  get #project(): string {
    return this.#defaults.project ?? 'default';
  }

  #environment(file: string): string {
    const { environment } = this.#defaults;
    if (environment !== undefined) return environment;
    throw new ProgramError(`${file} does not contain its environment: specify --environment NAME`);
  }

  /** The name under which an environment of the file is imported. Unleash 4.1 had only one, with a name that is not valid in other versions. */
  #environmentNamed(name: string): string {
    if (name !== GLOBAL_ENVIRONMENT) return name;
    const environment = this.#defaults.environment ?? 'default';
    const note = {
      about: `environment ${name}`,
      text: `it is the only environment of an Unleash before 4.2: its flags are imported into ${environment}. --environment names another one`,
    };
    if (!this.#holdings.notes.some(({ about }) => about === note.about)) this.#holdings.notes.push(note);
    return environment;
  }

  #addClientList(name: string, { environment = this.#environment(name), file }: ClientList): void {
    const { features, segments } = readClientFlags({ environment, file }, this.#project);
    for (const feature of features) this.#addConfigured(feature);
    for (const segment of segments) this.#addSegment(segment);
  }

  #addVendorFlags(name: string, read: (into: VendorFlags) => void): void {
    const environment = this.#environment(name);
    const into = new VendorFlags();
    read(into);
    pushAll(this.#holdings.notes, into.notes);
    pushAll(this.#holdings.omissions, into.omissions);
    for (const { name: flag, description, project = this.#project, configuration } of into.flags) {
      this.#addConfigured({
        name: flag,
        project,
        keepsOthers: true,
        environments: [{ environment, ...configuration }],
        ...(description !== null && { description }),
      });
    }
  }

  /** Adds a flag with its configuration in one environment, and keeps its configurations from other files. */
  #addConfigured(feature: ImportedFeature): void {
    const { name, project, environments } = feature;
    const known = this.#features.get(name);
    const environmentNames = this.#environmentsOfProjects.get(known?.project ?? project) ?? new Set();
    this.#environmentsOfProjects.set(known?.project ?? project, environmentNames);
    for (const { environment } of environments) environmentNames.add(environment);
    if (!known) return void this.#features.set(name, feature);
    if (known.project !== project) {
      const reason = `the projects ${known.project} and ${project} both have a flag of this name, and names must be unique`;
      return void this.#holdings.omissions.push({ kind: 'features', name, reason });
    }
    for (const configuration of environments) {
      if (!known.environments.some(({ environment }) => environment === configuration.environment))
        known.environments.push(configuration);
    }
  }

  read(): Holdings {
    const { projects, features, environments } = this.#holdings;
    for (const flag of this.#features.values()) {
      const environmentNames = this.#environmentsOfProjects.get(flag.project);
      features.push({
        ...flag,
        environments: flag.environments.filter(({ environment }) => environmentNames?.has(environment)),
      });
    }
    for (const [id, names] of this.#environmentsOfProjects) {
      const sent = this.#projects.get(id) ?? {};
      projects.push({
        id,
        name: text(sent.name) || id,
        description: textOrNull(sent.description),
        mode: 'open',
        defaultStickiness: 'default',
        featureLimit: null,
        environments: [...names],
        archivedAt: null,
      });
    }
    const known = new Set(environments.map(({ name }) => name));
    for (const name of new Set([...this.#environmentsOfProjects.values()].flatMap((names) => [...names]))) {
      if (!known.has(name)) environments.push(readEnvironment({ name, type: environmentTypeOf(name) }));
    }
    return this.#holdings;
  }

  #addFlags(name: string, file: Loose): void {
    const { contextFields, tagTypes, strategyTypes, environments } = this.#holdings;
    pushAll(contextFields, list(file.contextFields).map(readContextField));
    pushAll(tagTypes, list(file.tagTypes).map(readTagType));
    pushAll(
      strategyTypes,
      list(file.strategies)
        .filter(({ editable }) => editable !== false)
        .map(readStrategyType),
    );
    pushAll(
      environments,
      list(file.environments).map((sent) =>
        readEnvironment({ ...sent, name: this.#environmentNamed(text(sent.name)) }),
      ),
    );
    for (const project of list(file.projects)) this.#projects.set(text(project.id), project);
    this.#addSegments(file.segments);
    for (const sent of list(file.features)) this.#addFlag(sent, file);
    this.#addConfigurations(name, file);
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

  /** Adds a flag of an export. Older exports do not contain dependencies and links. The import does not change fields that are missing. */
  #addFlag(sent: Loose, file: Loose): void {
    const name = text(sent.name);
    if (this.#features.has(name)) return;
    const project = text(sent.project, 'default');
    if (readFeatureType(sent.type) === undefined) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: `Burgee has no flag type ${text(sent.type)}: it becomes release, which does not change its evaluation`,
      });
    }
    const { archivedAt, dependencies, links, ...details } = readFeatureDetails(sent, project);
    const isArchived = isTrue(sent.archived);
    if (isArchived && archivedAt === null) {
      this.#holdings.notes.push({
        about: `flag ${name}`,
        text: 'it is archived, but the file does not contain when: it is not imported',
      });
      return;
    }
    this.#features.set(name, {
      ...details,
      archivedAt,
      environments: [],
      tags: [],
      keepsOthers: true,
      ...(file.dependencies !== undefined && { dependencies }),
      ...(file.links !== undefined && { links }),
    });
    this.#environmentsOfProjects.set(project, this.#environmentsOfProjects.get(project) ?? new Set());
  }

  /** Adds the configurations of flags. An export has them for one environment, a state export for all environments. */
  #addConfigurations(name: string, file: Loose): void {
    const segmentsOf = new Map<string, unknown[]>();
    for (const { featureStrategyId, segmentId } of list(file.featureStrategySegments)) {
      segmentsOf.set(text(featureStrategyId), [...(segmentsOf.get(text(featureStrategyId)) ?? []), segmentId]);
    }
    const environment = this.#environmentOf(name, file);
    // In state exports of Unleash before 4.21, a flag has one list of variants for all environments.
    const variantsOf = new Map(list(file.features).map((sent) => [text(sent.name), sent.variants]));
    const strategies = new Map<string, Loose[]>();
    for (const sent of list(file.featureStrategies)) {
      const key = `${this.#environmentNamed(text(sent.environment, environment))}/${text(sent.featureName)}`;
      const segments = sent.segments ?? segmentsOf.get(text(sent.id));
      const parameters = withEmptyTexts(object(sent.parameters));
      strategies.set(key, [...(strategies.get(key) ?? []), { ...sent, parameters, segments }]);
    }
    for (const { featureName, environment: of, enabled, variants } of list(file.featureEnvironments)) {
      const flag = this.#features.get(text(featureName));
      const environmentName = this.#environmentNamed(text(of, environment));
      if (!flag || flag.environments.some((each) => each.environment === environmentName)) continue;
      const configuration = {
        environment: environmentName,
        enabled: isTrue(enabled) && typeof flag.archivedAt !== 'string',
        strategies: readStrategies(strategies.get(`${environmentName}/${flag.name}`) ?? []),
        variants: list(variants ?? variantsOf.get(flag.name)).map(readVariant),
      };
      flag.environments.push(configuration);
      // Exports also contain flags whose project does not have the environment. These flags are off and have no strategies and no variants.
      if (configuration.enabled || configuration.strategies.length + configuration.variants.length > 0)
        this.#environmentsOfProjects.get(flag.project)?.add(environmentName);
    }
    for (const each of strategies.values())
      this.#addStrategiesOnly(this.#environmentNamed(text(each[0]?.environment, environment)), each);
  }

  /** The environment of an export. If Unleash does not list the environment, its export contains only strategies and not the environment name. */
  #environmentOf(name: string, { featureEnvironments, featureStrategies }: Loose): string {
    const sent = text(list(featureEnvironments)[0]?.environment);
    if (sent !== '' || list(featureStrategies).every(({ environment }) => text(environment) !== '')) return sent;
    return this.#environment(name);
  }

  /** Adds the strategies of a flag if the file does not contain whether the flag is on. The flag is imported as off. */
  #addStrategiesOnly(environment: string, sent: readonly Loose[]): void {
    const flag = this.#features.get(text(sent[0]?.featureName));
    if (!flag || flag.environments.some((each) => each.environment === environment)) return;
    flag.environments.push({ environment, enabled: false, strategies: readStrategies(sent), variants: [] });
    this.#environmentsOfProjects.get(flag.project)?.add(environment);
    this.#holdings.notes.push({
      about: `flag ${flag.name}`,
      text:
        `the file does not contain whether it is on in ${environment}: ` +
        'it is imported as off, with its strategies. If it was on, switch it on',
    });
  }

  /** Adds segments. If the file contains only the name of a segment, only the name is added. */
  #addSegments(sent: unknown): void {
    for (const each of list(sent)) this.#addSegment(readSegment(each), Array.isArray(each.constraints));
  }

  #addSegment(segment: Holdings['segments'][number], hasConstraints = true): void {
    const { segments, segmentNames } = this.#holdings;
    if (!segmentNames.some(({ id }) => id === segment.id)) segmentNames.push({ id: segment.id, name: segment.name });
    if (hasConstraints && !segments.some(({ name }) => name === segment.name)) segments.push(segment);
  }
}

function clientList(file: Loose): ClientList {
  return { environment: text(object(file.query).environment) || undefined, file };
}

/** The type of an environment, derived from its name: common names are also types. */
function environmentTypeOf(name: string): string {
  return ['development', 'test', 'preproduction'].includes(name) ? name : 'production';
}

/** The parameters with an empty text for null, as Unleash imports them. */
function withEmptyTexts(parameters: Loose): Loose {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value ?? '']));
}

/** Unleash's exports contain some dependencies more than once. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
