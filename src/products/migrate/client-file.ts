import type { Imported } from '../../features/import-export/instance/input.ts';
import { edgeEntries } from '../relay/edge-folder.ts';
import { isTrue, type Loose, list, object, text, textOrNull, texts } from './loose-json.ts';
import { readFeatureDetails, readSegment, readStrategies, readVariant } from './read-parts.ts';

type ImportedFeature = Imported<'features'>;

/** A saved answer for the SDKs of one environment. */
export interface ClientList {
  /** The name of the environment. Undefined if the file does not contain it. */
  readonly environment: string | undefined;
  readonly file: Loose;
}

/** Whether the file is an answer of `GET /api/client/features`, possibly as stored by SDKs and offline relays. */
export function isClientList(file: Loose): boolean {
  const isStateExport = ['strategies', 'projects', 'featureTags', 'tagTypes'].some((key) => file[key] !== undefined);
  const isVersion = file.version === undefined || file.version === 1 || file.version === 2;
  return Array.isArray(file.features) && isVersion && !isStateExport && file.featureStrategies === undefined;
}

/** The lists of a file in Edge's backup folder; undefined for any other file. */
export function edgeLists(file: unknown): ClientList[] | undefined {
  const lists = edgeEntries(file)?.map(({ environment, list }) => ({ environment, file: object(list) }));
  return lists?.every((list) => isClientList(list.file)) ? lists : undefined;
}

/** The tokens of Edge's token file, with their secrets; undefined for any other file. */
export function edgeTokens(file: unknown): Imported<'apiTokens'>[] | undefined {
  if (!Array.isArray(file) || file.length === 0) return undefined;
  const sent = list(file);
  if (!sent.every(({ token, status }) => text(token) !== '' && typeof status === 'string')) return undefined;
  return sent
    .filter(({ status }) => status === 'Validated' || status === 'Trusted')
    .map(({ token, type, token_type, environment, projects }) => {
      const secret = text(token);
      const kind = text(type ?? token_type).toLowerCase();
      const projectIds = texts(projects);
      const [, location = ''] = /^[^:]+:([^.]+)\./.exec(secret) ?? [];
      return {
        secret,
        tokenName: 'edge',
        type: kind === 'frontend' || kind === 'admin' ? kind : 'client',
        environment: text(environment) || location || '*',
        projects: projectIds.length > 0 ? projectIds : ['*'],
        expiresAt: null,
      };
    });
}

/** Whether the file has the simplified form: each flag is on or off for every context, as in `{"<flag>": {"enabled": true, "variant": "<name>"}}`. */
export function isSimplified(file: Loose): boolean {
  const flags = Object.values(file).map(object);
  return flags.length > 0 && flags.every(({ enabled }) => typeof enabled === 'boolean');
}

/** Fields that lists for SDKs contain only in some versions of Unleash. */
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['type', 'description', 'stale']);

/**
 * The flags and segments of a list. A list contains no disabled strategies, tags, links or archive times. So the result does not contain these
 * fields, and the import does not change them. If the list contains no dependencies of a flag, the flag has no dependencies.
 */
export function readClientFlags({ environment, file }: ClientList & { readonly environment: string }, project: string) {
  const { segments } = file;
  return {
    features: list(file.features).map((sent): ImportedFeature => {
      const {
        links: _links,
        archivedAt: _archivedAt,
        ...details
      } = readFeatureDetails(sent, text(sent.project, project));
      for (const field of Object.keys(details) as (keyof typeof details)[])
        if (OPTIONAL_FIELDS.has(field) && sent[field] === undefined) delete details[field];
      const strategies = readStrategies(sent.strategies);
      const variants = list(sent.variants).map(readVariant);
      return {
        ...details,
        keepsOthers: true,
        environments: [{ environment, enabled: isTrue(sent.enabled), strategies, variants, isServed: true }],
      };
    }),
    segments: list(segments).map((sent) =>
      readSegment({ ...sent, name: text(sent.name) || `segment-${text(sent.id)}` }),
    ),
  };
}

/** Same as `readClientFlags`, for the simplified form, which contains only whether a flag is on. */
export function readSimplifiedFlags(file: Loose, environment: string, project: string): ImportedFeature[] {
  return Object.entries(file).map(([name, sent]) => {
    const { enabled, variant } = object(sent);
    const variantName = textOrNull(variant);
    const strategy = { name: 'default', parameters: {}, constraints: [], segments: [], variants: [] };
    const variants =
      variantName === null ? [] : [readVariant({ name: variantName, weight: 1000, weightType: 'variable' })];
    const strategies = readStrategies([strategy]);
    return {
      name,
      project,
      keepsOthers: true,
      environments: [{ environment, enabled: isTrue(enabled), strategies, variants }],
    };
  });
}
