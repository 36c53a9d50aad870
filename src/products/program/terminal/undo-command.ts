import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { isProtected, refuseDraft, sendToReview } from './change-request.ts';
import { AdminApi, connectionOf, pathOf, Refusal, wholeNumber } from './connection.ts';
import { fieldName, type HistoryPage, valueText } from './history-command.ts';
import { OPTIONS } from './options.ts';
import { showPreview } from './preview-command.ts';
import { plain } from './screen.ts';

/** The objects and the environments that the options select. */
interface UndoSelection {
  readonly entities?: readonly { readonly type: string; readonly id: string }[];
  readonly environments?: readonly string[];
}

interface Undone {
  readonly undone: number;
  readonly changeRequest: number | null;
  readonly left: readonly { readonly event: string; readonly reason: string }[];
}

/** A field that was changed again, as the API names it. */
interface Conflict {
  readonly path?: string;
  readonly current?: unknown;
}

/** Runs `burgee undo`. @throws ProgramError */
export async function runUndo(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.undo, 1);
  const [text] = positionals;
  if (text === undefined) throw new UsageError('specify a revision; see burgee history');
  const revision = wholeNumber(text, 'the revision', 'a number, as burgee history prints it');
  const title = values['change-request'];
  const isDry = values['dry-run'] === true;
  const selection = selectionOf(values);
  const [environment, ...others] = selection.environments ?? [];
  if (title?.trim() === '') throw new UsageError('--change-request needs a title; see --help');
  if (title !== undefined && isDry) throw new UsageError('specify either --dry-run or --change-request; see --help');
  const only = others.length > 0 ? undefined : environment;
  if ((title !== undefined || isDry) && only === undefined)
    throw new UsageError(`${isDry ? '--dry-run' : '--change-request'} is for one environment: specify it with -e`);
  const api = new AdminApi(connectionOf(values, io));
  const isJson = values.json === true;
  try {
    if (isDry) {
      const request = { environment: only as string, undo: { revision, ...selection } };
      await showPreview(api, request, isJson, io);
    } else if (title !== undefined) {
      const wanted = { revision, environment: only as string, entities: selection.entities };
      const { request, project } = await requestUndo(api, wanted, title);
      const made = `change request ${request.id} in the project ${project} undoes revision ${revision} in ${only}: it is in review`;
      io.out(isJson ? `${JSON.stringify(request)}\n` : `${plain(made)}\n`);
    } else {
      const { body, revision: made } = await undoNow(api, revision, selection);
      io.out(isJson ? `${JSON.stringify(body)}\n` : undoneText(revision, body.undone, made));
      if (!isJson) for (const { event, reason } of body.left) io.err(`${plain(`${event}: ${reason}`)}\n`);
    }
    return 0;
  } catch (error) {
    if (error instanceof Refusal) showConflicts(error, isJson, io);
    throw error;
  }
}

async function undoNow(api: AdminApi, revision: number, selection: UndoSelection) {
  try {
    return await api.send<Undone>('POST', pathOf`/history/${revision}/undo`, selection);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403) throw error;
    const found = await protectedChange(api, revision, selection);
    if (found === undefined) throw error;
    throw new ProgramError(
      `changes of ${found.environment} in the project ${found.project} need a change request: add -e ${found.environment} --change-request TITLE`,
    );
  }
}

function selectionOf({ flag = [], segment = [], object = [], environment = [] }: SelectionFlags): UndoSelection {
  const entities = [
    ...flag.map((id) => ({ type: 'feature' as const, id })),
    ...segment.map((id) => ({
      type: 'segment' as const,
      id: String(wholeNumber(id, '--segment', 'the id of a segment')),
    })),
    ...object.map(objectOf),
  ];
  return {
    ...(entities.length > 0 && { entities }),
    ...(environment.length > 0 && { environments: environment }),
  };
}

/** `tag-type:team`. An id may contain colons. */
function objectOf(text: string) {
  const [, type, id] = /^([a-z-]+):(.+)$/s.exec(text) ?? [];
  if (type === undefined || id === undefined) {
    throw new UsageError('--object must be TYPE:ID, such as tag-type:team, as burgee history --json names them');
  }
  return { type, id };
}

interface SelectionFlags {
  readonly object?: readonly string[] | undefined;
  readonly flag?: readonly string[] | undefined;
  readonly segment?: readonly string[] | undefined;
  readonly environment?: readonly string[] | undefined;
}

function undoneText(revision: number, undone: number, made: string | null): string {
  if (undone === 0) return `everything was as before revision ${revision} already, nothing changed\n`;
  const objects = `${undone} object${undone === 1 ? '' : 's'}`;
  return `revision ${revision} is undone: ${objects} changed${made === null ? '' : ` (revision ${plain(made)})`}\n`;
}

/** Creates a change request that undoes the commit in one environment, and sends it to review. @throws ProgramError */
async function requestUndo(
  api: AdminApi,
  wanted: { readonly revision: number; readonly environment: string; readonly entities: UndoSelection['entities'] },
  title: string,
) {
  const { revision, environment, entities } = wanted;
  const project = await projectOfCommit(api, revision, entities);
  await refuseDraft(api, project, environment);
  const body = { changeRequest: { environment }, ...(entities && { entities }) };
  const { body: undone } = await api.send<Undone>('POST', pathOf`/history/${revision}/undo`, body);
  const { request } = await sendToReview(api, project, undone.changeRequest as number, title);
  return { request, project };
}

/** The project of the flags that the commit changed. The service refuses an undo in several projects. */
async function projectOfCommit(api: AdminApi, revision: number, entities: UndoSelection['entities']): Promise<string> {
  const changes = await flagChanges(api, revision, { ...(entities && { entities }) });
  const project = changes.find((change) => change.project !== null)?.project;
  if (project == null) throw new ProgramError(`revision ${revision} changed no such flag that you may see`);
  return project;
}

/** A selected change of the commit that has to be reviewed; undefined if there is none. */
async function protectedChange(api: AdminApi, revision: number, selection: UndoSelection) {
  const checked = new Set<string>();
  for (const { project, environment } of await flagChanges(api, revision, selection)) {
    if (project === null || environment === null || checked.has(`${project}/${environment}`)) continue;
    checked.add(`${project}/${environment}`);
    if (await isProtected(api, project, environment)) return { project, environment };
  }
  return undefined;
}

/** The selected changes of flags in the commit, as far as its history lists them. */
async function flagChanges(api: AdminApi, revision: number, { entities, environments }: UndoSelection) {
  const { entries } = await api.get<HistoryPage>(`/history?limit=1&before=${revision + 1}`);
  const changes = entries[0]?.revision === revision ? entries[0].changes : [];
  return changes.filter(
    ({ type, id, environment }) =>
      type === 'feature' &&
      (entities === undefined || entities.some((entity) => entity.type === type && entity.id === id)) &&
      (environments === undefined || (environment !== null && environments.includes(environment))),
  );
}

/** Prints the fields that were changed again after the commit. */
function showConflicts(refusal: Refusal, isJson: boolean, io: ProgramIo): void {
  const conflicts = conflictsOf(refusal);
  if (conflicts.length === 0) return;
  if (isJson) io.out(`${JSON.stringify(refusal.body)}\n`);
  else for (const conflict of conflicts) io.err(`${conflictText(conflict)}\n`);
}

function conflictsOf({ status, body }: Refusal): readonly Conflict[] {
  const { details } = (body ?? {}) as { readonly details?: unknown };
  if (status !== 409 || !Array.isArray(details)) return [];
  return details.filter((detail: Conflict | null) => typeof detail?.path === 'string' && 'current' in detail);
}

function conflictText({ path = '', current }: Conflict): string {
  const [, collection = '', id = '', rest = ''] = /^\/([^/]*)\/([^/]*)(.*)$/.exec(path) ?? [];
  const name = CONFLICT_NAMES[collection] ?? 'object';
  return plain(`${name} ${fieldName(id)}: ${fieldName(rest)} was changed again, it is now ${valueText(current)}`);
}

/** How people call the entities of each collection. */
const CONFLICT_NAMES: Readonly<Record<string, string>> = {
  features: 'flag',
  segments: 'segment',
  projects: 'project',
  environments: 'environment',
  contextFields: 'context field',
  strategyTypes: 'strategy type',
  defaultStrategies: 'default strategy',
  changeRequestConfigs: 'review settings',
  featureTypes: 'flag type',
  tagTypes: 'tag type',
  tags: 'tag',
  banners: 'banner',
  roles: 'role',
  groups: 'group',
  groupMembers: 'group member',
  projectRoles: 'project access',
};
