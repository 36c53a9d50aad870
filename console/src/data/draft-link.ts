import { BASE_PATH } from '../base-path.ts';
import { type EnvironmentSettings, isSettings } from '../domain/model.ts';
import { path } from '../paths.ts';
import type { Target } from './save.ts';

export interface LinkedDraft {
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
}

/**
 * The address that opens a draft: its review, or the panel that edits a part of it. The draft is behind the `#`, so that it reaches no server
 * and no log.
 */
export function draftLink({ project, feature, environment }: Target, { base, mine }: LinkedDraft, edit = ''): string {
  const shown = edit === '' ? { review: environment } : { draft: environment, edit };
  const page = path('feature', { projectId: project, featureId: feature }, shown);
  return `${location.origin}${BASE_PATH}${page}#${encodeURIComponent(JSON.stringify({ base, mine }))}`;
}

/** The draft of an address. Null: there is none, or it was cut off. */
export function linkedDraft(hash: string): LinkedDraft | null {
  try {
    const { base, mine } = JSON.parse(decodeURIComponent(hash.slice(1))) as Partial<LinkedDraft>;
    return isSettings(base) && isSettings(mine) ? { base, mine } : null;
  } catch {
    return null;
  }
}
