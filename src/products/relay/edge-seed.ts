import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import { DEFAULT_PROJECT } from '../../model/project.ts';
import { holdsProject } from '../../model/project-list.ts';
import type { State } from '../../state/state.ts';
import { mirrorTokens } from '../mirror/mirror-tokens.ts';
import { type EdgeFolder, readEdgeFolder } from './edge-folder.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import { type CoveredScope, coverOf } from './scope-cover.ts';

interface SeedParts {
  /** The folder in which Edge's files may be. */
  readonly folder: string;
  readonly bytesMax: number;
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly queue: MirrorQueue;
  readonly logger: Logger;
}

/**
 * If the store has no data at the first start, this uses the data that Unleash Edge stored in the same folder: a relay that replaces Edge can then
 * serve while upstream is not available. The first answer of upstream replaces this data, in the same way as data of an earlier start.
 */
export async function seedFromEdge({ folder, bytesMax, state, writer, queue, logger }: SeedParts): Promise<void> {
  // This relay already has data of its own. Flags that are missing in this data were deleted upstream.
  if (state.seq > 0) return;
  const edgeData = await readEdgeFolder(folder, bytesMax);
  if (!edgeData) return;
  const problems = [...edgeData.problems];
  const tokens = edgeData.tokens.map((token) => ({ ...token, projects: [...token.projects] }));
  // Flags before tokens: tokens start the requests to upstream, and its answer must come after Edge's data.
  await Promise.all(
    coverOf(tokens.filter(({ type }) => type === 'client')).map(async (scope) => {
      const problem = await applyScope(scope, edgeData, queue);
      if (problem) problems.push(`the flags of ${scope.environment} are not used: ${problem}`);
    }),
  );
  const outcome = await writer.submit(mirrorTokens, { tokens, gone: [] }, systemCaller());
  if (outcome instanceof Rejection) problems.push(outcome.message);
  for (const problem of problems)
    logger.warn({ folder, problem }, 'not all data that Unleash Edge stored here can be served');
  logger.info(
    {
      folder,
      keptAt: edgeData.writtenAt,
      tokens: tokens.length,
      scopes: state.size('mirroredScopes'),
      flags: state.size('features'),
    },
    'first start: serving the data that Unleash Edge stored in this folder until upstream answers',
  );
}

/**
 * Writes Edge's data of a scope into the state. Returns the reason why it cannot be served; undefined when it is served, or Edge has no list for it.
 */
async function applyScope(scope: CoveredScope, { lists }: EdgeFolder, queue: MirrorQueue): Promise<string | undefined> {
  const { environment, projects } = scope;
  const list = lists.get(environment);
  if (!list) return undefined;
  const features = list.features.filter(({ project }) => holdsProject(projects, project || DEFAULT_PROJECT));
  // Edge may not have requested these flags yet. SDKs would accept an empty list as the real state.
  if (features.length === 0) return `Edge stored no flags of the projects ${projects.join(', ')}`;
  const { segments } = list;
  const content = {
    environment,
    projects: [...projects],
    etag: null,
    features,
    segments: [...segments],
    removed: null,
  };
  return (await queue.apply(content, 0))?.message;
}
