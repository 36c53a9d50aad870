import { pushAll } from '../../base/lists/push-all.ts';
import type { Imported } from '../../features/import-export/instance/input.ts';
import { isHashed } from '../../model/token-secret.ts';
import { ArchiveReader } from './archive-reader.ts';
import { readFavorites } from './favorites-reader.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { readIntegrations } from './integrations-reader.ts';
import { isTrue, type Loose, list, object, text, textOrNull, texts, time } from './loose-json.ts';
import { readPeople } from './people-reader.ts';
import type { Progress } from './progress.ts';
import { readProtections } from './protections.ts';
import {
  readApiToken,
  readContextField,
  readEnvironment,
  readFeatureDetails,
  readFeatureEnvironments,
  readFeatureType,
  readSegment,
  readStrategyContent,
  readStrategyType,
  readTags,
  readTagType,
} from './read-parts.ts';
import { readSettings } from './settings-reader.ts';

const ADMIN = '/api/admin';

/** Number of flags in one search answer. */
const SEARCH_PAGE = 100;

const path = (strings: TemplateStringsArray, ...names: readonly string[]) =>
  String.raw({ raw: strings }, ...names.map(encodeURIComponent));

/**
 * Reads all data of an Unleash (4 to 8, open source and paid) or a Burgee over its admin API. Data that the version or edition does not have is left
 * out. If the user must do something about left out data, `notes` contains it.
 */
export async function readInstance(client: InstanceClient, progress: Progress = () => {}): Promise<Holdings> {
  return new InstanceReader(client, progress).read();
}

/** The current state of one flag in the source. Undefined if the flag was deleted or archived. */
export function readOneFeature(
  client: InstanceClient,
  project: string,
  name: string,
): Promise<Imported<'features'> | undefined> {
  return new InstanceReader(client, () => {}).feature(project, name);
}

class InstanceReader {
  readonly #client: InstanceClient;
  readonly #progress: Progress;
  readonly #holdings = noHoldings();
  /** The tags of flags, by flag name. Undefined if the instance has no search: then one request per flag reads its tags. */
  #tags: Map<string, unknown> | undefined;
  /** The environments that lists of flags contain, by name. */
  readonly #environmentsOfFlags = new Map<string, Loose>();
  /** The projects of all tokens, also of those that are not imported. */
  readonly #projectsOfTokens = new Set<string>();
  /** The favourites of the caller, as marked in lists. */
  readonly #ownFavorites = { features: new Set<string>(), projects: new Set<string>() };

  constructor(client: InstanceClient, progress: Progress) {
    this.#client = client;
    this.#progress = progress;
  }

  async read(): Promise<Holdings> {
    const holdings = this.#holdings;
    pushAll(holdings.environments, (await this.#list('environments', 'environments')).map(readEnvironment));
    await this.#readSharedData();
    await this.#readApiTokens();
    await this.#readProjects();
    await this.#readFeatures();
    this.#addUnlistedEnvironments();
    await new ArchiveReader(this.#client, holdings).read();
    await readPeople(this.#client, holdings);
    await readSettings(this.#client, holdings);
    const { features, projects } = this.#ownFavorites;
    await readFavorites(this.#client, holdings, { features: [...features], projects: [...projects] });
    await readIntegrations(this.#client, holdings);
    await this.#noteUnreadableData();
    return holdings;
  }

  /** A list that every instance has. `key` is its property in the answer, unless the answer is a list itself. */
  async #list(of: string, key: string): Promise<readonly Loose[]> {
    const answer = await this.#client.get(`${ADMIN}/${of}`);
    return list(Array.isArray(answer) ? answer : object(answer)[key]);
  }

  async #optionalList(of: string, key: string): Promise<readonly Loose[]> {
    const answer = await this.#client.getOptional(`${ADMIN}/${of}`);
    return list(Array.isArray(answer) ? answer : object(answer)[key]);
  }

  async #readSharedData(): Promise<void> {
    const { contextFields, tagTypes, tags, strategyTypes, segments, segmentNames } = this.#holdings;
    pushAll(contextFields, (await this.#list('context', '')).map(readContextField));
    pushAll(tagTypes, (await this.#list('tag-types', 'tagTypes')).map(readTagType));
    pushAll(tags, readTags(await this.#optionalList('tags', 'tags')));
    pushAll(strategyTypes, (await this.#list('strategies', 'strategies')).map(readStrategyType));
    for (const segment of (await this.#optionalList('segments', 'segments')).map(readSegment)) {
      segments.push(segment);
      segmentNames.push({ id: segment.id, name: segment.name });
    }
  }

  async #readProjects(): Promise<void> {
    const sent = await this.#list('projects', 'projects');
    const known = new Set(sent.map(({ id }) => text(id)));
    // Versions without archived projects ignore the query and return the same list.
    const archived = (await this.#list('projects?archived=true', 'projects')).filter(({ id }) => !known.has(text(id)));
    for (const { id } of archived) known.add(text(id));
    for (const { id, favorite } of sent) if (isTrue(favorite)) this.#ownFavorites.projects.add(text(id));
    const unlisted = (await this.#projectsOfFlagsAndTokens()).filter((id) => !known.has(id)).map((id) => ({ id }));
    await Promise.all([...sent, ...archived, ...unlisted].map((project) => this.#readProject(project)));
    this.#holdings.projects.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /**
   * The projects of all tokens and found flags. They are needed because the open-source edition lists only the project `default`, but still serves
   * the flags of projects that the paid edition created. Also reads tags and favourites from the search.
   */
  async #projectsOfFlagsAndTokens(): Promise<string[]> {
    const ids = new Set([...this.#projectsOfTokens].filter((id) => id !== '*'));
    for (let offset = 0; ; offset += SEARCH_PAGE) {
      const answer = await this.#client.getOptional(`${ADMIN}/search/features?limit=${SEARCH_PAGE}&offset=${offset}`);
      const page = list(object(answer).features);
      if (answer !== undefined) this.#tags ??= new Map();
      for (const { name, project, tags, favorite } of page) {
        if (isTrue(favorite)) this.#ownFavorites.features.add(text(name));
        if (text(project) !== '') ids.add(text(project));
        this.#tags?.set(text(name), tags ?? []);
      }
      if (page.length < SEARCH_PAGE) return [...ids];
    }
  }

  /** Adds environments that the instance does not list: they are known only from projects and flags. */
  #addUnlistedEnvironments(): void {
    const { environments, projects } = this.#holdings;
    const known = new Set(environments.map(({ name }) => name));
    for (const name of projects.flatMap((project) => project.environments)) {
      if (known.has(name)) continue;
      known.add(name);
      const environment = this.#environmentsOfFlags.get(name);
      if (environment === undefined)
        this.#note(`environment ${name}`, 'the source does not show its type: it becomes production');
      environments.push(readEnvironment(environment ?? { name }));
    }
  }

  async #readProject(listed: Loose): Promise<void> {
    const id = text(listed.id);
    const archivedAt = time(listed.archivedAt) ?? null;
    const details =
      archivedAt === null
        ? ((await this.#client.getOptional(path`/api/admin/projects/${id}/overview`)) ??
          (await this.#client.getOptional(path`/api/admin/projects/${id}`)))
        : {};
    // A token may refer to a deleted project.
    if (details === undefined) return;
    const sent = { ...listed, ...object(details) };
    const environments = archivedAt === null ? await this.#environmentsOf(id, sent) : [];
    const createdAt = time(sent.createdAt);
    const naming = object(sent.featureNaming);
    const { settings, ...project } = {
      settings: object(sent.settings),
      id,
      name: text(sent.name) || id,
      description: textOrNull(sent.description),
    };
    this.#holdings.projects.push({
      ...project,
      mode: modeOf(sent.mode ?? settings.mode),
      defaultStickiness: text(sent.defaultStickiness ?? settings.defaultStickiness, 'default'),
      featureLimit: Number.isInteger(sent.featureLimit) ? (sent.featureLimit as number) : null,
      environments,
      archivedAt,
      ...(createdAt && { createdAt }),
      ...(textOrNull(naming.pattern) && {
        featureNaming: {
          pattern: textOrNull(naming.pattern),
          example: textOrNull(naming.example),
          description: textOrNull(naming.description),
        },
      }),
      ...(list(sent.linkTemplates).length > 0 && {
        linkTemplates: list(sent.linkTemplates).map(({ title, urlTemplate }) => ({
          title: textOrNull(title),
          urlTemplate: text(urlTemplate),
        })),
      }),
    });
    if (archivedAt !== null) return;
    await readProtections(this.#client, this.#holdings, { project: id, sent: sent.environments });
    const projectFields = await this.#optionalList(path`projects/${id}/context`, '');
    pushAll(this.#holdings.contextFields, projectFields.filter(({ project: of }) => of === id).map(readContextField));
  }

  /** The names of the environments of a project. Also adds their default strategies. Version 4 of Unleash sends only names. */
  async #environmentsOf(project: string, sent: Loose): Promise<string[]> {
    const names = texts(sent.environments);
    for (const { environment, name, defaultStrategy } of names.length > 0 ? [] : list(sent.environments)) {
      const of = text(environment) || text(name);
      names.push(of);
      if (defaultStrategy === undefined || defaultStrategy === null) continue;
      const strategy = readStrategyContent(object(defaultStrategy));
      this.#holdings.defaultStrategies.push({ project, environment: of, strategy, isServed: true });
    }
    return names;
  }

  async #readFeatures(): Promise<void> {
    const activeProjects = this.#holdings.projects.filter(({ archivedAt }) => archivedAt == null);
    let readCount = 0;
    let count = 0;
    for (const { id } of activeProjects) {
      const listed = await this.#list(path`projects/${id}/features`, 'features');
      count += listed.length;
      for (const { name, environments, favorite } of listed) {
        if (isTrue(favorite)) this.#ownFavorites.features.add(text(name));
        for (const environment of list(environments))
          this.#environmentsOfFlags.set(text(environment.name), environment);
      }
      const features = await Promise.all(
        listed.map(async ({ name }) => {
          const feature = await this.feature(id, text(name));
          this.#progress('flags read', ++readCount, count);
          return feature;
        }),
      );
      pushAll(
        this.#holdings.features,
        features.filter((feature) => feature !== undefined),
      );
    }
  }

  /** The flag. Undefined if it was deleted after it was listed. */
  async feature(project: string, name: string): Promise<Imported<'features'> | undefined> {
    // Without this parameter, Unleash does not send the variants of each environment.
    const at = `${path`/api/admin/projects/${project}/features/${name}`}?variantEnvironments=true`;
    const reply = await this.#client.ask('GET', at);
    if (reply.status === 404) return undefined;
    const sent = object(this.#client.parse('GET', at, reply));
    const tags =
      this.#tags?.get(name) ?? object(await this.#client.getOptional(path`/api/admin/features/${name}/tags`)).tags;
    this.#noteType(sent);
    return {
      ...readFeatureDetails(sent, project),
      environments: readFeatureEnvironments(sent),
      tags: readTags(tags),
    };
  }

  #noteType({ name, type }: Loose): void {
    if (readFeatureType(type) !== undefined) return;
    this.#holdings.notes.push({
      about: `flag ${text(name)}`,
      text: `Burgee has no flag type ${text(type)}: it becomes release, which does not change its evaluation`,
    });
  }

  async #readApiTokens(): Promise<void> {
    for (const sent of await this.#list('api-tokens', 'tokens')) {
      const token = readApiToken(sent);
      for (const project of token.projects) this.#projectsOfTokens.add(project);
      if (showsWholeSecret(sent)) this.#holdings.apiTokens.push(token);
      else {
        const { tokenName: name, secret: shown } = token;
        this.#holdings.omissions.push({ kind: 'apiTokens', name, reason: SECRET_HIDDEN, shown });
      }
    }
  }

  /** Adds notes about data that cannot be read. */
  async #noteUnreadableData(): Promise<void> {
    const links = list(object(await this.#client.getOptional(`${ADMIN}/invite-link/tokens`)).tokens);
    for (const { name } of links)
      this.#note(
        `invite link ${text(name)}`,
        'create a new link: the secret of the old link must not give access to this service',
      );
  }

  #note(about: string, note: string): void {
    this.#holdings.notes.push({ about, text: note });
  }
}

function modeOf(sent: unknown): Imported<'projects'>['mode'] {
  return sent === 'protected' || sent === 'private' ? sent : 'open';
}

const SECRET_HIDDEN =
  'the source does not show its whole secret: start this service with ADOPT_TOKENS_FROM, or create a new token (docs/move-in/from-unleash.md)';

/**
 * Whether the list has the whole secret of a token, or the hash that Burgee stores. Unleash shows only the first part of a token that is `secure`: who
 * knows this part must not get access here.
 */
function showsWholeSecret({ secret, secure }: Loose): boolean {
  const shown = text(secret);
  return shown !== '' && (!isTrue(secure) || isHashed(shown));
}
