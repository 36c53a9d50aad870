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
  /** Where Edge's files may be. */
  readonly folder: string;
  readonly bytesMax: number;
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly queue: MirrorQueue;
  readonly logger: Logger;
}

/**
 * A start that has nothing of its own begins with what Unleash Edge kept in the same folder: a relay that replaces Edge goes on serving,
 * though upstream is away. What upstream says replaces it, as it replaces what an earlier start received.
 */
export async function seedFromEdge({ folder, bytesMax, state, writer, queue, logger }: SeedParts): Promise<void> {
  // What was there and is not any more, is gone for a reason.
  if (state.seq > 0) return;
  const kept = await readEdgeFolder(folder, bytesMax);
  if (!kept) return;
  const problems = [...kept.problems];
  const tokens = kept.tokens.map((token) => ({ ...token, projects: [...token.projects] }));
  // Before the tokens: with them upstream is asked, and its answer comes after what Edge kept.
  await Promise.all(
    coverOf(tokens.filter(({ type }) => type === 'client')).map(async (scope) => {
      const refused = await bring(scope, kept, queue);
      if (refused) problems.push(`the flags of ${scope.environment} are not taken: ${refused}`);
    }),
  );
  const outcome = await writer.submit(mirrorTokens, { tokens, gone: [] }, systemCaller());
  if (outcome instanceof Rejection) problems.push(outcome.message);
  for (const problem of problems)
    logger.warn({ folder, problem }, 'not all of what Unleash Edge kept here can be served');
  logger.info(
    {
      folder,
      keptAt: kept.keptAt,
      tokens: tokens.length,
      scopes: state.size('mirroredScopes'),
      flags: state.size('features'),
    },
    'a first start: what Unleash Edge kept in this folder is served until upstream answers',
  );
}

/** Why what Edge kept of a scope is not served, if so. */
async function bring(scope: CoveredScope, { lists }: EdgeFolder, queue: MirrorQueue): Promise<string | undefined> {
  const { environment, projects } = scope;
  const list = lists.get(environment);
  if (!list) return undefined;
  const features = list.features.filter(({ project }) => holdsProject(projects, project || DEFAULT_PROJECT));
  // Edge may not have asked for them yet. SDKs would take an empty list for the truth.
  if (features.length === 0) return `there are none of ${projects.join(', ')}`;
  const { segments } = list;
  const sent = { environment, projects: [...projects], etag: null, features, segments: [...segments], removed: null };
  return (await queue.bring(sent, 0))?.message;
}
