import { pushAll } from '../../base/lists/push-all.ts';
import type { Imported } from '../../features/import-export/instance/input.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { type Loose, list, object, text } from './loose-json.ts';
import { readFeatureDetails, readStrategies, readTags, readVariant } from './read-parts.ts';

/** Number of flags in one search answer and in one export request. */
const PAGE_SIZE = 100;

type ImportedFeature = Imported<'features'>;

/**
 * Reads archived flags. The names come from the search, or in older versions from a list of archived flags. The configuration of an archived flag in
 * an environment comes from an export: only an export of flags by name contains archived flags.
 */
export class ArchiveReader {
  readonly #client: InstanceClient;
  readonly #holdings: Holdings;

  constructor(client: InstanceClient, holdings: Holdings) {
    this.#client = client;
    this.#holdings = holdings;
  }

  async read(): Promise<void> {
    // Unleash 5 ignores the filter of the search and returns flags that are not archived.
    const found = (await this.#searchArchived())?.filter(({ archivedAt }) => typeof archivedAt === 'string');
    const archived = found && found.length > 0 ? found : await this.#listArchived();
    const flags = new Map<string, ImportedFeature>();
    for (const sent of archived) {
      const details = readFeatureDetails(sent, text(sent.project, 'default'));
      if (details.archivedAt === null) continue;
      flags.set(details.name, { ...details, dependencies: [], environments: [], tags: readTags(sent.tags) });
    }
    const names = [...flags.keys()];
    for (let start = 0; start < names.length; start += PAGE_SIZE) {
      for (const { name } of this.#holdings.environments)
        await this.#addConfigurations(name, names.slice(start, start + PAGE_SIZE), flags);
    }
    pushAll(this.#holdings.features, flags.values());
    this.#addEnvironmentsOfArchivedProjects([...flags.values()]);
  }

  /** Adds the environments of archived projects. They are known only from the flags of these projects. */
  #addEnvironmentsOfArchivedProjects(flags: readonly ImportedFeature[]): void {
    const archived = this.#holdings.projects.filter(({ archivedAt }) => typeof archivedAt === 'string');
    for (const { id, environments } of archived) {
      const flagsOfProject = flags.filter(({ project }) => project === id).flatMap((flag) => flag.environments);
      pushAll(environments, new Set(flagsOfProject.map(({ environment }) => environment)));
    }
  }

  /** The flags that the search returns. Undefined if the instance has no search. */
  async #searchArchived(): Promise<Loose[] | undefined> {
    const found: Loose[] = [];
    for (;;) {
      const query = `archived=IS:true&limit=${PAGE_SIZE}&offset=${found.length}`;
      const answer = await this.#client.getOptional(`/api/admin/search/features?${query}`);
      if (answer === undefined) return undefined;
      const page = list(object(answer).features);
      pushAll(found, page);
      if (page.length < PAGE_SIZE) return found;
    }
  }

  async #listArchived(): Promise<readonly Loose[]> {
    return list(object(await this.#client.getOptional('/api/admin/archive/features')).features);
  }

  /** Adds the strategies and variants of the flags in the environment. */
  async #addConfigurations(
    environment: string,
    features: readonly string[],
    flags: ReadonlyMap<string, ImportedFeature>,
  ): Promise<void> {
    const reply = await this.#client.ask('POST', '/api/admin/features-batch/export', { environment, features });
    if (reply.status !== 200) {
      const about = `archived flags in ${environment}`;
      return void this.#holdings.notes.push({
        about,
        text: 'their strategies cannot be read, so the flags are imported without strategies',
      });
    }
    const sent = object(JSON.parse(reply.text));
    const strategies = new Map<string, Loose[]>();
    for (const strategy of list(sent.featureStrategies)) {
      const name = text(strategy.featureName);
      strategies.set(name, [...(strategies.get(name) ?? []), strategy]);
    }
    for (const { featureName, variants } of list(sent.featureEnvironments)) {
      const name = text(featureName);
      const configuration = {
        environment,
        enabled: false,
        strategies: readStrategies(strategies.get(name) ?? []),
        variants: list(variants).map(readVariant),
        isServed: true,
      };
      const flag = flags.get(name);
      if (flag && configuration.strategies.length + configuration.variants.length > 0)
        flag.environments.push(configuration);
    }
  }
}
