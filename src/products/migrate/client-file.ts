import type { Taken } from '../../features/import-export/instance/input.ts';
import { edgeEntries } from '../relay/edge-folder.ts';
import { flag, type Loose, list, object, text, textOrNull, texts } from './loose-json.ts';
import { readFeatureFacts, readSegment, readStrategies, readVariant } from './read-parts.ts';

type TakenFeature = Taken<'features'>;

/** What SDKs of one environment get. */
export interface ClientList {
  /** Undefined where it is not said. */
  readonly environment: string | undefined;
  readonly file: Loose;
}

/** The answer of `GET /api/client/features`, also as SDKs and offline relays keep it. */
export function isClientList(file: Loose): boolean {
  const isStateExport = ['strategies', 'projects', 'featureTags', 'tagTypes'].some((key) => file[key] !== undefined);
  const isVersion = file.version === undefined || file.version === 1 || file.version === 2;
  return Array.isArray(file.features) && isVersion && !isStateExport && file.featureStrategies === undefined;
}

/** The lists that Edge keeps in its backup folder; undefined for anything else. */
export function edgeLists(file: unknown): ClientList[] | undefined {
  const lists = edgeEntries(file)?.map(({ environment, list }) => ({ environment, file: object(list) }));
  return lists?.every((list) => isClientList(list.file)) ? lists : undefined;
}

/** Tokens that Edge keeps beside them, with their secrets; undefined for anything else. */
export function edgeTokens(file: unknown): Taken<'apiTokens'>[] | undefined {
  if (!Array.isArray(file) || file.length === 0) return undefined;
  const sent = list(file);
  if (!sent.every(({ token, status }) => text(token) !== '' && typeof status === 'string')) return undefined;
  return sent
    .filter(({ status }) => status === 'Validated' || status === 'Trusted')
    .map(({ token, type, token_type, environment, projects }) => {
      const secret = text(token);
      const kind = text(type ?? token_type).toLowerCase();
      const several = texts(projects);
      const [, place = ''] = /^[^:]+:([^.]+)\./.exec(secret) ?? [];
      return {
        ...{ secret, tokenName: 'edge', type: kind === 'frontend' || kind === 'admin' ? kind : 'client' },
        environment: text(environment) || place || '*',
        projects: several.length > 0 ? several : ['*'],
        expiresAt: null,
      };
    });
}

/** On or off for every context, with one variant or none: `{"<flag>": {"enabled": true, "variant": "<name>"}}`. */
export function isSimplified(file: Loose): boolean {
  const flags = Object.values(file).map(object);
  return flags.length > 0 && flags.every(({ enabled }) => typeof enabled === 'boolean');
}

/** What lists of SDKs say in some versions alone. */
const SOMETIMES_TOLD: ReadonlySet<string> = new Set(['type', 'description', 'stale']);

/**
 * The flags of a list; strategies that were off are not sent to SDKs. What lists do not say (tags, links, whether a flag was archived since) is left out,
 * and so stays as it is here. That they name no dependencies says that there are none.
 */
export function readClientFlags({ environment, file }: ClientList & { readonly environment: string }, project: string) {
  const { segments } = file;
  return {
    features: list(file.features).map((sent): TakenFeature => {
      const { links: _none, archivedAt: _live, ...facts } = readFeatureFacts(sent, text(sent.project, project));
      for (const fact of Object.keys(facts) as (keyof typeof facts)[])
        if (SOMETIMES_TOLD.has(fact) && sent[fact] === undefined) delete facts[fact];
      const strategies = readStrategies(sent.strategies);
      const variants = list(sent.variants).map(readVariant);
      return {
        ...{ ...facts, keepsOthers: true },
        environments: [{ environment, enabled: flag(sent.enabled), strategies, variants }],
      };
    }),
    segments: list(segments).map((sent) =>
      readSegment({ ...sent, name: text(sent.name) || `segment-${text(sent.id)}` }),
    ),
  };
}

/** As `readClientFlags`, of the simplified form, which says nothing but whether a flag is on. */
export function readSimplifiedFlags(file: Loose, environment: string, project: string): TakenFeature[] {
  return Object.entries(file).map(([name, sent]) => {
    const { enabled, variant } = object(sent);
    const only = textOrNull(variant);
    const strategy = { name: 'default', parameters: {}, constraints: [], segments: [], variants: [] };
    const variants = only === null ? [] : [readVariant({ name: only, weight: 1000, weightType: 'variable' })];
    const strategies = readStrategies([strategy]);
    return {
      name,
      project,
      keepsOthers: true,
      environments: [{ environment, enabled: flag(enabled), strategies, variants }],
    };
  });
}
