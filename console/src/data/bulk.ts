import { api, stated, type Writing, write } from './client.ts';
import type { Failure } from './failure.ts';
import { requestAll } from './save.ts';
import { type Sender, Sending } from './sending.ts';

interface BulkFlag {
  readonly name: string;
  readonly project: string;
}

export interface BulkOutcome {
  readonly done: readonly string[];
  readonly revisions: readonly number[];
  /** What was refused, with the flags that it concerns. */
  readonly refused: readonly { readonly names: readonly string[]; readonly message: string }[];
}

/** Each request is one commit of the server: all of its flags or none. */
const FLAGS_A_REQUEST = 100;

export type BulkAction =
  | { readonly kind: 'switch'; readonly environment: string; readonly on: boolean }
  | { readonly kind: 'tag'; readonly type: string; readonly value: string; readonly remove: boolean }
  | { readonly kind: 'stale'; readonly stale: boolean }
  | { readonly kind: 'archive' };

function send(action: BulkAction, projectId: string, features: string[], reason: string): Writing<unknown> {
  const headers = stated({ reason });
  switch (action.kind) {
    case 'switch': {
      const params = { path: { projectId, environment: action.environment } };
      return action.on
        ? write(
            api.POST('/api/admin/projects/{projectId}/bulk_features/environments/{environment}/on', {
              params,
              headers,
              body: { features },
            }),
          )
        : write(
            api.POST('/api/admin/projects/{projectId}/bulk_features/environments/{environment}/off', {
              params,
              headers,
              body: { features },
            }),
          );
    }
    case 'tag': {
      const tag = { type: action.type, value: action.value };
      const tags = { addedTags: action.remove ? [] : [tag], removedTags: action.remove ? [tag] : [] };
      return write(
        api.PUT('/api/admin/projects/{projectId}/tags', {
          params: { path: { projectId } },
          headers,
          body: { features, tags },
        }),
      );
    }
    case 'stale':
      return write(
        api.POST('/api/admin/projects/{projectId}/stale', {
          params: { path: { projectId } },
          headers,
          body: { features, stale: action.stale },
        }),
      );
    case 'archive':
      return write(
        api.POST('/api/admin/projects/{projectId}/archive', {
          params: { path: { projectId } },
          headers,
          body: { features },
        }),
      );
  }
}

/** Parts of one project, and of at most so many flags. */
function parts(flags: readonly BulkFlag[], max = FLAGS_A_REQUEST): { project: string; names: string[] }[] {
  const byProject = new Map<string, string[]>();
  for (const { project, name } of flags) byProject.set(project, [...(byProject.get(project) ?? []), name]);
  return [...byProject].flatMap(([project, names]) => {
    const list = [];
    for (let at = 0; at < names.length; at += max) list.push({ project, names: names.slice(at, at + max) });
    return list;
  });
}

/** A refused part is tried again flag by flag, so that one flag does not hold back the others, and the refusal names it. */
async function oneByOne(
  action: BulkAction,
  project: string,
  names: readonly string[],
  reason: string,
  onDone: (count: number) => void,
) {
  const done: string[] = [];
  const revisions: number[] = [];
  const refused: { names: string[]; message: string }[] = [];
  for (const name of names) {
    const answer = await send(action, project, [name], reason);
    if (answer.ok) {
      done.push(name);
      if (answer.revision !== null) revisions.push(answer.revision);
    } else refused.push({ names: [name], message: answer.failure.message });
    onDone(1);
  }
  return { done, revisions, refused };
}

const affectsAll = (failure: Failure) =>
  failure.status === 0 || failure.status === 401 || failure.status === 429 || failure.status === 503;

interface ManyChanges {
  readonly action: BulkAction;
  readonly flags: readonly BulkFlag[];
  readonly reason: string;
  readonly onProgress: (done: number) => void;
}

async function changeBy(sender: Sender, { action, flags, reason, onProgress }: ManyChanges): Promise<BulkOutcome> {
  const done: string[] = [];
  const revisions: number[] = [];
  const refused: { names: readonly string[]; message: string }[] = [];
  let count = 0;
  const progress = (more: number) => {
    count += more;
    onProgress(count);
  };
  for (const { project, names } of parts(flags)) {
    const answer = await send(action, project, names, reason).by(sender);
    if (answer.ok) {
      for (const name of names) done.push(name);
      if (answer.revision !== null) revisions.push(answer.revision);
      progress(names.length);
    } else if (names.length === 1 || affectsAll(answer.failure)) {
      refused.push({ names, message: answer.failure.message });
      progress(names.length);
    } else {
      const single = await oneByOne(action, project, names, reason, progress);
      for (const name of single.done) done.push(name);
      for (const revision of single.revisions) revisions.push(revision);
      for (const one of single.refused) refused.push(one);
    }
  }
  return { done, revisions, refused };
}

/** Changes of a change request: the usual limit of an instance. */
const CHANGES_A_REQUEST = 50;

interface ManyLater extends Omit<ManyChanges, 'action'> {
  readonly environment: string;
  readonly on: boolean;
  readonly at: Date;
}

/** Switches many flags at a time: change requests of each project wait for it. */
export async function switchManyLater({ environment, on, at, flags, reason, onProgress }: ManyLater) {
  const done: string[] = [];
  const refused: { names: readonly string[]; message: string }[] = [];
  for (const { project, names } of parts(flags, CHANGES_A_REQUEST)) {
    const answer = await requestAll(
      { project, environment },
      names.map((feature) => ({ action: 'updateEnabled', feature, payload: { enabled: on } })),
      { reason, scheduledAt: at.toISOString() },
    );
    if (answer.ok) for (const name of names) done.push(name);
    else refused.push({ names, message: answer.failure.message });
    onProgress(done.length);
  }
  return { done, revisions: [], refused } satisfies BulkOutcome;
}

/** Changes many flags. Reports progress, and exactly which flags were refused and why. */
export const changeMany = (changes: ManyChanges): Sending<BulkOutcome> =>
  new Sending((sender) => changeBy(sender, changes));
