import type { components } from '../../api/schema.d.ts';
import { api, read, stated, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import type { StoredDefault } from '../../domain/default-strategy.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { defaultStrategies as words } from '../../words/en/admin/default-strategies.ts';
import { strategySentences } from '../../words/en/differences.ts';
import type { SegmentNames } from '../../words/en/rule-sentences.ts';

export type ProjectEnvironment = components['schemas']['projectEnvironment'];
export function sentencesOf(
  isFirst: boolean,
  before: StrategyDraft,
  after: StrategyDraft,
  segments: SegmentNames,
): string[] {
  const changes = [
    ...(before.name === after.name ? [] : [words.kind(before.name, after.name)]),
    ...strategySentences(before, after, segments).map(({ text }) => text),
  ];
  return isFirst && changes.length > 0 ? [words.first, ...changes] : changes;
}

interface Saving {
  readonly project: string;
  readonly environment: string;
  readonly base: StoredDefault;
  readonly after: StrategyDraft;
  readonly reason: string;
}

/** On condition that the strategy is as it was when `base` was read. */
export function saveDefaultStrategy({ project, environment, base, after, reason }: Saving) {
  const path = { projectId: project };
  const readNow = async () => {
    const { environments } = await read(
      api.GET('/api/admin/environments/project/{projectId}', { params: { path }, cache: 'no-store' }),
    );
    return environments.find(({ name }) => name === environment)?.defaultStrategy ?? null;
  };
  const { id: _, ...body } = after;
  return ifSame(readNow, base, () =>
    write<unknown>(
      api.POST('/api/admin/projects/{projectId}/environments/{environment}/default-strategy', {
        params: { path: { ...path, environment } },
        headers: stated({ reason }),
        body: body as components['schemas']['createFeatureStrategy'],
      }),
    ),
  );
}
