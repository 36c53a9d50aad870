import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import Type from 'typebox';
import { SERVICE } from '../../base/asking/asker.ts';
import { FileProblem, readBoundedFile } from '../../base/bounded-file.ts';
import { isoTime } from '../../base/clock.ts';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate } from '../../base/validation.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import { listOf, type SourceList } from './read-list.ts';
import { detailsOf, TokenAnswer } from './token-validation.ts';

/** The names of Unleash Edge's files in `BACKUP_FOLDER`. */
const FEATURES_FILE = 'unleash_features.json';
const TOKENS_FILE = 'unleash_tokens.json';

/** Upstream's answer about a token, and whether the token was valid. */
const StoredToken = Type.Object({ ...TokenAnswer.properties, status: Type.String() });

/** The data that Unleash Edge stored. */
export interface EdgeFolder {
  /** Tokens that upstream knew. */
  readonly tokens: readonly SourceToken[];
  /** Environment → the flags of all projects of these tokens. */
  readonly lists: ReadonlyMap<string, SourceList>;
  /** The time at which the lists were written, as RFC 3339. */
  readonly writtenAt: string;
  /** Descriptions of damaged files, without secrets. */
  readonly problems: readonly string[];
}

/**
 * Reads the lists and their environments. Edge writes pairs or an object; the key is an environment, or a token if Edge did not know the environment.
 */
export function edgeEntries(file: unknown): readonly { readonly environment: string; readonly list: unknown }[] | null {
  if (typeof file !== 'object' || file === null) return null;
  const entries: readonly unknown[] = Array.isArray(file) ? file : Object.entries(file);
  if (entries.length === 0 || !entries.every(isEntry)) return null;
  return entries.map(([key, list]) => ({ environment: /^[^:]+:([^.]+)\./.exec(key)?.[1] ?? key, list }));
}

function isEntry(entry: unknown): entry is readonly [string, unknown] {
  return Array.isArray(entry) && typeof entry[0] === 'string';
}

/** Reads Edge's files in a folder; null when there are none. Files larger than `bytesMax` count as damaged. */
export async function readEdgeFolder(folder: string, bytesMax: number): Promise<EdgeFolder | null> {
  const features = await contentOf(join(folder, FEATURES_FILE), bytesMax);
  if (features === null) return null;
  const tokensContent = await contentOf(join(folder, TOKENS_FILE), bytesMax);
  const problems: string[] = [];
  const tokens = tokensContent === null ? `there is no ${TOKENS_FILE}` : tokensOf(tokensContent);
  if (typeof tokens === 'string') problems.push(tokens);
  const lists = await listsOf(features, problems);
  const { mtimeMs } = await stat(join(folder, FEATURES_FILE));
  return { tokens: typeof tokens === 'string' ? [] : tokens, lists, writtenAt: isoTime(mtimeMs), problems };
}

async function listsOf(features: { readonly value: unknown } | string, problems: string[]) {
  const lists = new Map<string, SourceList>();
  const entries = typeof features === 'string' ? null : edgeEntries(features.value);
  if (!entries) problems.push(typeof features === 'string' ? features : `${FEATURES_FILE} contains no lists of flags`);
  for (const { environment, list } of entries ?? []) {
    const parsedList = await listOf(list);
    if (parsedList instanceof Rejection)
      problems.push(`${FEATURES_FILE}: the list of ${environment} is not valid: ${parsedList.message}`);
    else lists.set(environment, mergeLists(lists.get(environment), parsedList));
  }
  return lists;
}

/** Merges two lists; for a flag in both, the second list takes precedence. */
function mergeLists(first: SourceList | undefined, second: SourceList): SourceList {
  if (!first) return second;
  return { features: [...first.features, ...second.features], segments: [...first.segments, ...second.segments] };
}

/** The tokens in Edge's file, except its pretrusted tokens: these are in the environment variables. A text describes a problem with the file. */
function tokensOf(content: { readonly value: unknown } | string): SourceToken[] | string {
  if (typeof content === 'string') return content;
  const problem = validate(Type.Array(StoredToken), content.value, 'tokens');
  if (problem) return `${TOKENS_FILE} does not contain tokens`;
  const storedTokens = content.value as readonly Static<typeof StoredToken>[];
  return storedTokens.flatMap((token) => (token.status === 'Validated' ? (detailsOf(token) ?? []) : []));
}

/** The parsed content of a file. Null: the file does not exist. A text: the problem with the file. */
async function contentOf(file: string, bytesMax: number): Promise<{ readonly value: unknown } | string | null> {
  try {
    const parsed = await parseLargeJson(await readBoundedFile(file, bytesMax), SERVICE);
    return parsed instanceof Rejection ? `${file} is not valid JSON, or is truncated` : parsed;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return error.code === 'ENOENT' ? null : `${file}: ${error.message}`;
  }
}
