import type { Imported } from '../../features/import-export/instance/input.ts';
import { ArchiveReader } from './archive-reader.ts';
import { readFavorites } from './favorites-reader.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { flag, type Loose, list, object, text, textOrNull, texts, time } from './loose-json.ts';
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
 * Reads all data of an Unleash (4 to 8, open source and paid) or a Burgee over its admin API. Data that a version or edition does not have is left
 * out. If the user must know about it, a note reports it.
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
  /** The environments that were found in flags, by name. */
  readonly #metEnvironments = new Map<string, Loose>();
  /** The favourites of the caller, as marked in lists. */
  readonly #marked = { features: new Set<string>(), projects: new Set<string>() };

  constructor(client: InstanceClient, progress: Progress) {
    this.#client = client;
    this.#progress = progress;
  }

  async read(): Promise<Holdings> {
    const holdings = this.#holdings;
    holdings.environments.push(...(await this.#list('environments', 'environments')).map(readEnvironment));
    await this.#shared();
    await this.#apiTokens();
    await this.#projects();
    await this.#features();
    this.#addUnlistedEnvironments();
    await new ArchiveReader(this.#client, holdings).read();
    await readPeople(this.#client, holdings);
    await readSettings(this.#client, holdings);
    const { features, projects } = this.#marked;
    await readFavorites(this.#client, holdings, { features: [...features], projects: [...projects] });
    await this.#others();
    return holdings;
  }

  /** A list that every instance has. */
  async #list(of: string, key: string): Promise<readonly Loose[]> {
    const answer = await this.#client.get(`${ADMIN}/${of}`);
    return list(Array.isArray(answer) ? answer : object(answer)[key]);
  }

  async #listIfThere(of: string, key: string): Promise<readonly Loose[]> {
    const answer = await this.#client.getIfThere(`${ADMIN}/${of}`);
    return list(Array.isArray(answer) ? answer : object(answer)[key]);
  }

  async #shared(): Promise<void> {
    const { contextFields, tagTypes, tags, strategyTypes, segments, segmentNames } = this.#holdings;
    contextFields.push(...(await this.#list('context', '')).map(readContextField));
    tagTypes.push(...(await this.#list('tag-types', 'tagTypes')).map(readTagType));
    tags.push(...readTags(await this.#listIfThere('tags', 'tags')));
    strategyTypes.push(...(await this.#list('strategies', 'strategies')).map(readStrategyType));
    for (const segment of (await this.#listIfThere('segments', 'segments')).map(readSegment)) {
      segments.push(segment);
      segmentNames.push({ id: segment.id, name: segment.name });
    }
  }

  async #projects(): Promise<void> {
    const sent = await this.#list('projects', 'projects');
    const known = new Set(sent.map(({ id }) => text(id)));
    // Versions without an archive of projects return the same list again.
    const put = (await this.#list('projects?archived=true', 'projects')).filter(({ id }) => !known.has(text(id)));
    for (const { id } of put) known.add(text(id));
    for (const { id, favorite } of sent) if (flag(favorite)) this.#marked.projects.add(text(id));
    const unlisted = (await this.#projectsOfFlagsAndTokens()).filter((id) => !known.has(id)).map((id) => ({ id }));
    await Promise.all([...sent, ...put, ...unlisted].map((project) => this.#project(project)));
    this.#holdings.projects.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /**
   * The projects of all tokens and found flags. They are needed because the open-source edition lists only the project `default`, but still serves
   * the flags of projects that the paid edition created. Also reads tags and favourites from the search.
   */
  async #projectsOfFlagsAndTokens(): Promise<string[]> {
    const ids = new Set(this.#holdings.apiTokens.flatMap(({ projects }) => projects).filter((id) => id !== '*'));
    for (let offset = 0; ; offset += SEARCH_PAGE) {
      const answer = await this.#client.getIfThere(`${ADMIN}/search/features?limit=${SEARCH_PAGE}&offset=${offset}`);
      const page = list(object(answer).features);
      if (answer !== undefined) this.#tags ??= new Map();
      for (const { name, project, tags, favorite } of page) {
        if (flag(favorite)) this.#marked.features.add(text(name));
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
      const met = this.#metEnvironments.get(name);
      if (met === undefined) this.#note(`environment ${name}`, 'its type is not shown: it becomes production');
      environments.push(readEnvironment(met ?? { name }));
    }
  }

  async #project(listed: Loose): Promise<void> {
    const id = text(listed.id);
    const archivedAt = time(listed.archivedAt) ?? null;
    const more =
      archivedAt === null
        ? ((await this.#client.getIfThere(path`/api/admin/projects/${id}/overview`)) ??
          (await this.#client.getIfThere(path`/api/admin/projects/${id}`)))
        : {};
    // A token may refer to a deleted project.
    if (more === undefined) return;
    const sent = { ...listed, ...object(more) };
    const environments = archivedAt === null ? await this.#environmentsOf(id, sent) : [];
    const createdAt = time(sent.createdAt);
    const naming = object(sent.featureNaming);
    const { settings, ...project } = {
      settings: object(sent.settings),
      ...{ id, name: text(sent.name) || id, description: textOrNull(sent.description) },
    };
    this.#holdings.projects.push({
      ...project,
      mode: modeOf(sent.mode ?? settings.mode),
      defaultStickiness: text(sent.defaultStickiness ?? settings.defaultStickiness, 'default'),
      featureLimit: Number.isInteger(sent.featureLimit) ? (sent.featureLimit as number) : null,
      ...{ environments, archivedAt },
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
    const own = await this.#listIfThere(path`projects/${id}/context`, '');
    this.#holdings.contextFields.push(...own.filter(({ project: of }) => of === id).map(readContextField));
  }

  /** The names of the environments of a project. Also adds their default strategies. Version 4 sends only names. */
  async #environmentsOf(project: string, sent: Loose): Promise<string[]> {
    const names = texts(sent.environments);
    for (const { environment, name, defaultStrategy } of names.length > 0 ? [] : list(sent.environments)) {
      const of = text(environment) || text(name);
      names.push(of);
      if (defaultStrategy === undefined || defaultStrategy === null) continue;
      const strategy = readStrategyContent(object(defaultStrategy));
      this.#holdings.defaultStrategies.push({ project, environment: of, strategy });
    }
    return names;
  }

  async #features(): Promise<void> {
    const live = this.#holdings.projects.filter(({ archivedAt }) => archivedAt == null);
    let done = 0;
    let count = 0;
    for (const { id } of live) {
      const listed = await this.#list(path`projects/${id}/features`, 'features');
      count += listed.length;
      for (const { name, environments, favorite } of listed) {
        if (flag(favorite)) this.#marked.features.add(text(name));
        for (const met of list(environments)) this.#metEnvironments.set(text(met.name), met);
      }
      const features = await Promise.all(
        listed.map(async ({ name }) => {
          const feature = await this.feature(id, text(name));
          this.#progress('flags read', ++done, count);
          return feature;
        }),
      );
      this.#holdings.features.push(...features.filter((feature) => feature !== undefined));
    }
  }

  /** The flag. Undefined if it was deleted after it was listed. */
  async feature(project: string, name: string): Promise<Imported<'features'> | undefined> {
    // Without this parameter, Unleash does not send the variants of each environment.
    const at = `${path`/api/admin/projects/${project}/features/${name}`}?variantEnvironments=true`;
    const reply = await this.#client.ask('GET', at);
    if (reply.status === 404) return undefined;
    const sent = object(this.#client.parsed('GET', at, reply));
    const tags =
      this.#tags?.get(name) ?? object(await this.#client.getIfThere(path`/api/admin/features/${name}/tags`)).tags;
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
      text: `its type ${text(type)} is not known here: it becomes release, which changes no answer`,
    });
  }

  async #apiTokens(): Promise<void> {
    for (const sent of await this.#list('api-tokens', 'tokens')) {
      const token = readApiToken(sent);
      if (token.secret === '') this.#note(`token ${token.tokenName}`, 'its secret is not shown; create a new one');
      else this.#holdings.apiTokens.push(token);
    }
  }

  /** Adds notes about data that has no equivalent here or cannot be read. */
  async #others(): Promise<void> {
    const addons = list(object(await this.#client.getIfThere(`${ADMIN}/addons`)).addons);
    for (const { provider, description, enabled } of addons) {
      const what = `${text(provider)}${description ? ` "${text(description)}"` : ''}`;
      this.#note(`integration ${what}`, `there are none here${flag(enabled) ? '' : ' (it is off)'}`);
    }
    const links = list(object(await this.#client.getIfThere(`${ADMIN}/invite-link/tokens`)).tokens);
    for (const { name } of links)
      this.#note(`invite link ${text(name)}`, 'create a new one: its secret would give access here');
  }

  #note(about: string, note: string): void {
    this.#holdings.notes.push({ about, text: note });
  }
}

function modeOf(sent: unknown): Imported<'projects'>['mode'] {
  return sent === 'protected' || sent === 'private' ? sent : 'open';
}
