import type { components } from '../api/schema.d.ts';
import { type Change, changesBetween, sent } from '../domain/changes.ts';
import { type Conflict, mergeSettings } from '../domain/merge.ts';
import { type EnvironmentSettings, type FeatureEnvironment, type HistoryChange, settingsOf } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import type { TriedContexts } from '../domain/tried-contexts.ts';
import { api, readTagged, stated, type Writing, type Written, write } from './client.ts';
import { Failure } from './failure.ts';
import { ifSame } from './if-same.ts';
import { type Sender, Sending } from './sending.ts';

/** The settings of a flag in one environment: what a draft edits. */
export interface Target {
  readonly project: string;
  readonly feature: string;
  readonly environment: string;
}

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly revisions: readonly number[] }
  /** Others saved in between. `base` is what they saved, `merged` has both, and `conflicts` need a decision. */
  | {
      readonly kind: 'changed';
      readonly base: EnvironmentSettings;
      readonly merged: EnvironmentSettings;
      readonly conflicts: readonly Conflict[];
    }
  /** `revisions` are the parts that were saved before the refusal. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly revisions: readonly number[] };

const pathOf = ({ project, feature, environment }: Target) => ({
  projectId: project,
  featureName: feature,
  environment,
});

const ENVIRONMENT = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';

const environmentRequest = (target: Target) =>
  api.GET(ENVIRONMENT, { params: { path: pathOf(target) }, cache: 'no-store' });

export async function readSettings(target: Target): Promise<{ settings: EnvironmentSettings; etag: string | null }> {
  const { value, etag } = await readTagged(environmentRequest(target));
  return { settings: settingsOf(value as FeatureEnvironment), etag };
}

interface Step {
  readonly target: Target;
  readonly reason: string;
  /** Of the environment, for changes of it; of the strategy, for changes of a strategy. */
  readonly etag: string | null;
}

type StrategyBody = components['schemas']['updateFeatureStrategy'];

function send(change: Change, { target, reason, etag }: Step): Writing<unknown> {
  const headers = stated({ reason, etag });
  const path = pathOf(target);
  switch (change.action) {
    case 'updateEnabled': {
      const query = { shouldActivateDisabledStrategies: change.payload.shouldActivateDisabledStrategies ?? false };
      return change.payload.enabled
        ? write(api.POST(`${ENVIRONMENT}/on`, { params: { path, query }, headers }))
        : write(api.POST(`${ENVIRONMENT}/off`, { params: { path }, headers }));
    }
    case 'addStrategy':
      return write(
        api.POST(`${ENVIRONMENT}/strategies`, {
          params: { path },
          headers,
          body: change.payload as StrategyBody & { name: string },
        }),
      );
    case 'updateStrategy': {
      const { id, ...body } = change.payload;
      return write(
        api.PUT(`${ENVIRONMENT}/strategies/{strategyId}`, {
          params: { path: { ...path, strategyId: id } },
          headers,
          body: body as StrategyBody,
        }),
      );
    }
    case 'deleteStrategy':
      return write(
        api.DELETE(`${ENVIRONMENT}/strategies/{strategyId}`, {
          params: { path: { ...path, strategyId: change.payload.id } },
          headers,
        }),
      );
    case 'reorderStrategy':
      return write(
        api.POST(`${ENVIRONMENT}/strategies/set-sort-order`, { params: { path }, headers, body: [...change.payload] }),
      );
    case 'patchVariant':
      return write(
        api.PUT(`${ENVIRONMENT}/variants`, { params: { path }, headers, body: [...change.payload.variants] }),
      );
  }
}

const ofStrategy = (change: Change) => change.action === 'updateStrategy' || change.action === 'deleteStrategy';

const strategyRequest = (target: Target, strategyId: string) =>
  api.GET(`${ENVIRONMENT}/strategies/{strategyId}`, {
    params: { path: { ...pathOf(target), strategyId } },
    cache: 'no-store',
  });

/** What others saved since `base`, combined with `after`. */
async function combine(target: Target, base: EnvironmentSettings, after: EnvironmentSettings) {
  const { settings, etag } = await readSettings(target);
  return { theirs: settings, etag, ...mergeSettings(base, after, settings) };
}

interface Saving {
  readonly target: Target;
  readonly base: EnvironmentSettings;
  readonly after: EnvironmentSettings;
  readonly reason: string;
}

async function saveBy(sender: Sender, { target, base, after, reason }: Saving): Promise<SaveOutcome> {
  const revisions: number[] = [];
  try {
    const now = await combine(target, base, after);
    if (!same(now.theirs, base))
      return { kind: 'changed', base: now.theirs, merged: now.value, conflicts: now.conflicts };
    let etag = now.etag;
    for (const change of changesBetween(base, after)) {
      const isOfStrategy = ofStrategy(change);
      const tag = isOfStrategy
        ? await sender.tag(strategyRequest(target, (change.payload as { id: string }).id))
        : (etag ?? (await sender.tag(environmentRequest(target))));
      const answer = await send(change, { target, reason, etag: tag }).by(sender);
      if (!answer.ok) {
        if (answer.failure.status === 412) {
          const again = await combine(target, base, after);
          return { kind: 'changed', base: again.theirs, merged: again.value, conflicts: again.conflicts };
        }
        return { kind: 'refused', failure: answer.failure, revisions };
      }
      if (answer.revision !== null && revisions.at(-1) !== answer.revision) revisions.push(answer.revision);
      // A strategy's write answers with the strategy's tag: the tag of the environment is read again when it is needed.
      etag = isOfStrategy ? null : answer.etag;
    }
    return { kind: 'saved', revisions };
  } catch (error) {
    if (error instanceof Failure) return { kind: 'refused', failure: error, revisions };
    throw error;
  }
}

/** Carries out `first`, and then deletes strategies that were read as in `base`. Others that saved in between are not overwritten. */
export const deletingAfter = (
  first: Writing<unknown>,
  { target, base, ids, reason }: Pick<Saving, 'target' | 'base' | 'reason'> & { readonly ids: readonly string[] },
): Writing<unknown> =>
  ifSame(
    async () => (await readSettings(target)).settings,
    base,
    () =>
      new Sending(async (sender) => {
        let last = await first.by(sender);
        const earlier: number[] = [];
        try {
          for (const id of ids) {
            if (!last.ok) break;
            if (last.revision !== null) earlier.push(last.revision);
            const etag = await sender.tag(strategyRequest(target, id));
            last = await send({ action: 'deleteStrategy', payload: { id } }, { target, reason, etag }).by(sender);
          }
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          last = { ok: false, failure: error };
        }
        if (last.ok) return { ...last, earlier };
        return earlier.length === 0 ? last : { ok: false, failure: last.failure.afterPart() };
      }),
  );

/**
 * Saves the difference, one change after the other, each on condition that its object is as it was read. If others saved in between,
 * nothing is saved, and the outcome has both sides.
 */
export const saveSettings = (
  target: Target,
  base: EnvironmentSettings,
  after: EnvironmentSettings,
  reason: string,
): Sending<SaveOutcome> => new Sending((sender) => saveBy(sender, { target, base, after, reason }));

/** Which draft of a change request gets a change: `new`, or an id. Undefined: the newest draft of the caller, or a new one. */
export type DraftChoice = string | undefined;

/** Why a change is made, and which draft gets it. */
interface Requesting {
  readonly reason: string;
  readonly draft?: DraftChoice;
  /** Where changes need no review: when they are made. */
  readonly scheduledAt?: string;
}

/** Makes one change request of changes of any flags of a project. */
export const requestAll = (
  { project, environment }: Omit<Target, 'feature'>,
  body: unknown,
  { reason, draft, scheduledAt }: Requesting,
) =>
  write(
    api.POST('/api/admin/projects/{projectId}/environments/{environment}/change-requests', {
      params: {
        path: { projectId: project, environment },
        query: { ...(draft !== undefined && { draft }), ...(scheduledAt !== undefined && { scheduledAt }) },
      },
      headers: stated({ reason }),
      body: body as never,
    }),
  );

/** Adds the difference to a draft of a change request. */
export const requestSettings = (
  target: Target,
  base: EnvironmentSettings,
  after: EnvironmentSettings,
  requesting: Requesting,
) =>
  requestAll(
    target,
    changesBetween(base, after).map((change) => sent(change, target.feature)),
    requesting,
  );

/** A change of a flag as previews and change requests accept it. */
export interface FlagChange {
  readonly action: string;
  readonly payload: object;
}

/** Adds changes of the flag to a draft of a change request. */
export const requestChanges = (target: Target, changes: readonly FlagChange[], requesting: Requesting) =>
  requestAll(
    target,
    changes.map(({ action, payload }) => ({ action, feature: target.feature, payload })),
    requesting,
  );

export interface Undone {
  /** The commits that the undo made: none if everything was as before already. */
  readonly revisions: readonly number[];
  /** Why parts of the commits stay as they are. */
  readonly left: readonly string[];
}

/** Undoes commits, the newest first. A conflict leaves the older ones as they are. */
export const undo = (revisions: readonly number[], reason = ''): Writing<Undone> =>
  new Sending(async (sender) => {
    const made: number[] = [];
    const left = new Set<string>();
    for (const revision of [...revisions].reverse()) {
      const params = { path: { revision } };
      const request = api.POST('/api/admin/history/{revision}/undo', { params, headers: stated({ reason }), body: {} });
      const answer = await sender.write(request);
      if (!answer.ok) return { ok: false, failure: made.length > 0 ? answer.failure.afterPart() : answer.failure };
      if (answer.revision === null) continue;
      if (answer.value.undone > 0) made.push(answer.revision);
      for (const one of answer.value.left) left.add(one.reason);
    }
    const value = { revisions: made, left: [...left] };
    return { ok: true, value, etag: null, revision: made.at(-1) ?? null };
  });

/** An environment whose changes have to be reviewed. */
export type ReviewPlace = NonNullable<PreviewAnswer['changes'][number]['review']>;

interface UndonePart {
  readonly revision: number;
  /** Only these; undefined for all. */
  readonly entities: readonly { readonly type: HistoryChange['type']; readonly id: string }[] | undefined;
}

interface UndoRequest extends Requesting {
  readonly place: ReviewPlace;
  /** In the order of the commits. */
  readonly parts: readonly UndonePart[];
}

/** While requests are only listed, there is no value. */
type Requested = Written<{ readonly changeRequest: number | null } | undefined>;

const undoRequest = ({ revision, entities }: UndonePart, place: ReviewPlace, { reason, draft }: Requesting) =>
  api.POST('/api/admin/history/{revision}/undo', {
    params: { path: { revision } },
    headers: stated({ reason }),
    body: {
      changeRequest: { ...place, ...(draft !== undefined && { draft }) },
      ...(entities && { entities: [...entities] }),
    },
  });

/** Adds the undo of what commits changed in an environment to one draft of a change request. The value is the id of the request. */
export const requestUndo = ({ place, parts, reason, draft }: UndoRequest): Writing<number | null> =>
  new Sending(async (sender) => {
    let id: number | null = null;
    for (const part of [...parts].reverse()) {
      const into: DraftChoice = id === null ? draft : String(id);
      const answer: Requested = await sender.write(undoRequest(part, place, { reason, draft: into }));
      if (!answer.ok) return { ok: false, failure: id === null ? answer.failure : answer.failure.afterPart() };
      id = answer.value?.changeRequest ?? id;
    }
    return { ok: true, value: id, etag: null, revision: null };
  });

export type PreviewAnswer = components['schemas']['previewResponse'];

/** Of each kind of change. */
export const EXAMPLES = 2;

/** How many of the contexts would get another result. */
export function previewChanges(
  target: Target,
  changes: readonly FlagChange[],
  contexts: TriedContexts['sent'],
): Promise<Written<PreviewAnswer>> {
  return write(
    api.POST('/api/admin/preview', {
      body: {
        project: target.project,
        environment: target.environment,
        changes: changes.map(({ action, payload }) => ({ action, feature: target.feature, payload })) as never,
        contexts: contexts as never,
        examples: EXAMPLES,
      },
    }),
  );
}

/** Tries the undo of a commit. Nothing is evaluated: what counts is whether the server would refuse it. `environment`: any that exists. */
export const previewUndo = (
  revision: number,
  environment: string,
  signal: AbortSignal,
): Promise<Written<PreviewAnswer>> =>
  write(
    api.POST('/api/admin/preview', {
      signal,
      // The reason is typed later: a missing one is not what the preview is about.
      headers: stated({ reason: 'Preview' }),
      body: { environment, undo: { revision }, features: [], contexts: { madeUp: { count: 1 } }, examples: 0 } as never,
    }),
  );
