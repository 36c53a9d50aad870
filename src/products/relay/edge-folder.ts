import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import Type from 'typebox';
import { FileProblem, readBoundedFile } from '../../base/bounded-file.ts';
import { isoTime } from '../../base/clock.ts';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate } from '../../base/validation.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import { listOf, type SourceList } from './read-list.ts';
import { factsOf, TokenAnswer } from './token-question.ts';

/** What Unleash Edge calls its files in `BACKUP_FOLDER`. */
const FEATURES_FILE = 'unleash_features.json';
const TOKENS_FILE = 'unleash_tokens.json';

/** What upstream said of a token, and whether it knew it. */
const KeptToken = Type.Object({ ...TokenAnswer.properties, status: Type.String() });

/** What Unleash Edge kept. */
export interface EdgeFolder {
  /** Those that upstream knew. */
  readonly tokens: readonly SourceToken[];
  /** By environment: flags of all projects that these tokens see together. */
  readonly lists: ReadonlyMap<string, SourceList>;
  /** RFC 3339; when the lists were written. */
  readonly keptAt: string;
  /** What of it is damaged, in sentences without secrets. */
  readonly problems: readonly string[];
}

/** Lists by the environment that they are of: Edge writes pairs or an object, under environments, or under a token where it could not know that. */
export function edgeEntries(file: unknown): readonly { readonly environment: string; readonly list: unknown }[] | null {
  if (typeof file !== 'object' || file === null) return null;
  const entries: readonly unknown[] = Array.isArray(file) ? file : Object.entries(file);
  if (entries.length === 0 || !entries.every(isEntry)) return null;
  return entries.map(([key, list]) => ({ environment: /^[^:]+:([^.]+)\./.exec(key)?.[1] ?? key, list }));
}

function isEntry(entry: unknown): entry is readonly [string, unknown] {
  return Array.isArray(entry) && typeof entry[0] === 'string';
}

/** What Edge kept in a folder; null when there is nothing of Edge's. Files larger than `bytesMax` are damaged. */
export async function readEdgeFolder(folder: string, bytesMax: number): Promise<EdgeFolder | null> {
  const features = await contentOf(join(folder, FEATURES_FILE), bytesMax);
  if (features === null) return null;
  const kept = await contentOf(join(folder, TOKENS_FILE), bytesMax);
  const problems: string[] = [];
  const tokens = kept === null ? `there is no ${TOKENS_FILE}` : tokensOf(kept);
  if (typeof tokens === 'string') problems.push(tokens);
  const lists = await listsOf(features, problems);
  const { mtimeMs } = await stat(join(folder, FEATURES_FILE));
  return { tokens: typeof tokens === 'string' ? [] : tokens, lists, keptAt: isoTime(mtimeMs), problems };
}

async function listsOf(features: { readonly value: unknown } | string, problems: string[]) {
  const lists = new Map<string, SourceList>();
  const entries = typeof features === 'string' ? null : edgeEntries(features.value);
  if (!entries) problems.push(typeof features === 'string' ? features : `${FEATURES_FILE} holds no lists of flags`);
  for (const { environment, list } of entries ?? []) {
    const sent = await listOf(list);
    if (sent instanceof Rejection)
      problems.push(`${FEATURES_FILE}: the list of ${environment} is not valid: ${sent.message}`);
    else lists.set(environment, joined(lists.get(environment), sent));
  }
  return lists;
}

/** Of a flag that both contain, the later one. */
function joined(first: SourceList | undefined, then: SourceList): SourceList {
  if (!first) return then;
  return { features: [...first.features, ...then.features], segments: [...first.segments, ...then.segments] };
}

/** Tokens that Edge believed unasked are not among them: the environment says which those are. */
function tokensOf(content: { readonly value: unknown } | string): SourceToken[] | string {
  if (typeof content === 'string') return content;
  const problem = validate(Type.Array(KeptToken), content.value, 'tokens');
  if (problem) return `${TOKENS_FILE} holds something else than tokens`;
  const kept = content.value as readonly Static<typeof KeptToken>[];
  return kept.flatMap((token) => (token.status === 'Validated' ? (factsOf(token) ?? []) : []));
}

/** Null: there is no such file; a text: what is wrong with it. */
async function contentOf(file: string, bytesMax: number): Promise<{ readonly value: unknown } | string | null> {
  try {
    const parsed = await parseLargeJson(await readBoundedFile(file, bytesMax));
    return parsed instanceof Rejection ? `${file} is no JSON, or is cut` : parsed;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return error.code === 'ENOENT' ? null : `${file}: ${error.message}`;
  }
}
