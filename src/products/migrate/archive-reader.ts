import type { Imported } from '../../features/import-export/instance/input.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { type Loose, list, object, text } from './loose-json.ts';
import { readFeatureDetails, readStrategies, readTags, readVariant } from './read-parts.ts';

/** Number of flags in one search answer and in one export request. */
const PAGE = 100;

type ImportedFeature = Imported<'features'>;

/**
 * Reads archived flags. The names come from the search, or in older versions from a list of archived flags. Their configuration in each environment
 * comes from exports, because only an export that is requested by name contains it.
 */
export class ArchiveReader {
  readonly #client: InstanceClient;
  readonly #holdings: Holdings;

  constructor(client: InstanceClient, holdings: Holdings) {
    this.#client = client;
    this.#holdings = holdings;
  }

  async read(): Promise<void> {
    // Unleash 5 has the search but ignores the filter: it returns flags that are not archived.
    const searched = (await this.#searched())?.filter(({ archivedAt }) => typeof archivedAt === 'string');
    const archived = searched && searched.length > 0 ? searched : await this.#listed();
    const flags = new Map<string, ImportedFeature>();
    for (const sent of archived) {
      const details = readFeatureDetails(sent, text(sent.project, 'default'));
      if (details.archivedAt === null) continue;
      flags.set(details.name, { ...details, dependencies: [], environments: [], tags: readTags(sent.tags) });
    }
    const names = [...flags.keys()];
    for (let start = 0; start < names.length; start += PAGE) {
      for (const { name } of this.#holdings.environments)
        await this.#export(name, names.slice(start, start + PAGE), flags);
    }
    this.#holdings.features.push(...flags.values());
    this.#addPlacesOfArchived([...flags.values()]);
  }

  /** Adds the environments of archived projects. They are known only from the flags of these projects. */
  #addPlacesOfArchived(flags: readonly ImportedFeature[]): void {
    const archived = this.#holdings.projects.filter(({ archivedAt }) => typeof archivedAt === 'string');
    for (const { id, environments } of archived) {
      const own = flags.filter(({ project }) => project === id).flatMap((flag) => flag.environments);
      environments.push(...new Set(own.map(({ environment }) => environment)));
    }
  }

  async #searched(): Promise<Loose[] | undefined> {
    const found: Loose[] = [];
    for (;;) {
      const query = `archived=IS:true&limit=${PAGE}&offset=${found.length}`;
      const answer = await this.#client.getIfThere(`/api/admin/search/features?${query}`);
      if (answer === undefined) return undefined;
      const page = list(object(answer).features);
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  async #listed(): Promise<readonly Loose[]> {
    return list(object(await this.#client.getIfThere('/api/admin/archive/features')).features);
  }

  async #export(
    environment: string,
    features: readonly string[],
    flags: ReadonlyMap<string, ImportedFeature>,
  ): Promise<void> {
    const reply = await this.#client.ask('POST', '/api/admin/features-batch/export', { environment, features });
    if (reply.status !== 200) {
      const about = `archived flags in ${environment}`;
      return void this.#holdings.notes.push({
        about,
        text: 'their strategies cannot be read: the flags are imported without them',
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
      const location = {
        ...{ environment, enabled: false, strategies: readStrategies(strategies.get(name) ?? []) },
        variants: list(variants).map(readVariant),
      };
      const flag = flags.get(name);
      if (flag && location.strategies.length + location.variants.length > 0) flag.environments.push(location);
    }
  }
}
