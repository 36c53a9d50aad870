import { api, stated, type Writing, type Written, write } from './client.ts';
import type { Failure } from './failure.ts';
import { requestAll } from './save.ts';
import { Sending } from './sending.ts';

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
function parts(flags: readonly BulkFlag[], max: number): { project: string; names: string[] }[] {
  const byProject = new Map<string, string[]>();
  for (const { project, name } of flags) byProject.set(project, [...(byProject.get(project) ?? []), name]);
  return [...byProject].flatMap(([project, names]) => {
    const list = [];
    for (let at = 0; at < names.length; at += max) list.push({ project, names: names.slice(at, at + max) });
    return list;
  });
}

const affectsAll = (failure: Failure) =>
  failure.status === 0 || failure.status === 401 || failure.status === 429 || failure.status === 503;

interface Many {
  readonly flags: readonly BulkFlag[];
  readonly reason: string;
  readonly onProgress: (done: number) => void;
}

type SendPart = (project: string, names: string[]) => Promise<Written<unknown>>;

/** Sends the parts. A refused one is tried again flag by flag, so that one flag does not hold back the others, and the refusal names it. */
async function sendParts({ flags, onProgress }: Many, max: number, sendPart: SendPart): Promise<BulkOutcome> {
  const done: string[] = [];
  const revisions: number[] = [];
  const refused: { names: readonly string[]; message: string }[] = [];
  const left = parts(flags, max);
  for (let part = left.shift(); part; part = left.shift()) {
    const { project, names } = part;
    const answer = await sendPart(project, names);
    if (!answer.ok && names.length > 1 && !affectsAll(answer.failure)) {
      left.unshift(...names.map((name) => ({ project, names: [name] })));
      continue;
    }
    if (!answer.ok) refused.push({ names, message: answer.failure.message });
    else {
      for (const name of names) done.push(name);
      if (answer.revision !== null) revisions.push(answer.revision);
    }
    onProgress(done.length + refused.reduce((sum, one) => sum + one.names.length, 0));
  }
  return { done, revisions, refused };
}

interface ManyChanges extends Many {
  readonly action: BulkAction;
}

/** Changes of a change request: the usual limit of an instance. */
const CHANGES_A_REQUEST = 50;

interface ManyLater extends Many {
  readonly environment: string;
  readonly on: boolean;
  readonly at: Date;
}

/** Switches many flags at a time: change requests of each project wait for it. They are not yet what changes the flags. */
export async function switchManyLater({ environment, on, at, ...many }: ManyLater): Promise<BulkOutcome> {
  const requesting = { reason: many.reason, scheduledAt: at.toISOString() };
  const changeOf = (feature: string) => ({ action: 'updateEnabled', feature, payload: { enabled: on } });
  const outcome = await sendParts(many, CHANGES_A_REQUEST, (project, names) =>
    requestAll({ project, environment }, names.map(changeOf), requesting),
  );
  return { ...outcome, revisions: [] };
}

/** Changes many flags. Reports progress, and exactly which flags were refused and why. */
export const changeMany = (changes: ManyChanges): Sending<BulkOutcome> =>
  new Sending((sender) =>
    sendParts(changes, FLAGS_A_REQUEST, (project, names) =>
      send(changes.action, project, names, changes.reason).by(sender),
    ),
  );
