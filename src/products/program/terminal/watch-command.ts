import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo } from '../subcommand.ts';
import { ChangeFeed } from './change-feed.ts';
import { connectionOf } from './connection.ts';
import { OPTIONS } from './options.ts';
import { plain, type Screen, screenOf, timeText } from './screen.ts';

/** The entities of a commit that a line names. */
const NAMED_MAX = 5;

interface Entity {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly environments: readonly string[];
}

interface Commit {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly name: string };
  readonly entities: readonly Entity[];
  /** Whether the commit changed entities that are not named. */
  readonly more: boolean;
}

/** Runs `burgee watch`, until a signal stops it or the service refuses. @throws ProgramError */
export async function runWatch(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values } = readArguments(args, OPTIONS.watch);
  const { project } = values;
  const note = (text: string) => io.err(`${text}\n`);
  const screen = screenOf(io);
  let isConnected = false;
  for await (const { event, data } of new ChangeFeed(connectionOf(values, io), io.stop, note).events()) {
    if (event === 'connected') {
      if (isConnected) note('some commits were missed: the service does not keep them any more');
      isConnected = true;
    }
    const commit = event === 'commit' ? ofProject(commitOf(data), project) : undefined;
    if (commit) io.out(values.json ? `${JSON.stringify(commit)}\n` : `${commitLine(commit, screen)}\n`);
  }
  return 0;
}

function commitOf(data: string): Commit {
  try {
    return JSON.parse(data) as Commit;
  } catch {
    throw new ProgramError('an event of the stream is not JSON: is this the address of Burgee?');
  }
}

/** The commit without entities of other projects. Undefined if nothing is left; entities that are not named may be of the project. */
function ofProject(commit: Commit, project: string | undefined): Commit | undefined {
  if (project === undefined) return commit;
  const entities = commit.entities.filter((entity) => entity.project === project);
  return entities.length > 0 || commit.more ? { ...commit, entities } : undefined;
}

function commitLine({ at, author, entities, more }: Commit, screen: Screen): string {
  const named = entities.slice(0, NAMED_MAX).map(entityText);
  const rest = entities.length - named.length;
  if (more) named.push(rest > 0 ? `more than ${rest} others` : 'others');
  else if (rest > 0) named.push(`${rest} others`);
  return `${screen.dim(timeText(at))}  ${screen.bold(plain(author.name))}  ${plain(named.join(', '))}`;
}

function entityText({ type, id, project, environments }: Entity): string {
  const name = type === 'feature' ? 'flag' : type;
  const location = project !== null && type !== 'project' ? ` in the project ${project}` : '';
  return `${name} ${id}${location}${environments.length === 0 ? '' : ` (${environments.join(', ')})`}`;
}
