import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo } from '../subcommand.ts';
import { AdminApi, connectionOf, countOf } from './connection.ts';
import { OPTIONS } from './options.ts';
import { plain, type Screen, screenOf, timeText } from './screen.ts';

const COUNT_DEFAULT = 20;
/** The largest page of the API. */
const COUNT_MAX = 1_000;

interface AuditEvent {
  readonly type: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** A sentence in Markdown; null if the service does not know the type. */
  readonly summary?: string | null;
}

/** Runs `burgee events`. @throws ProgramError */
export async function runEvents(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.events, 1);
  const [name] = positionals;
  const query = new URLSearchParams({ limit: String(countOf(values.count, COUNT_DEFAULT, COUNT_MAX)) });
  if (name !== undefined) query.set('feature', `IS:${name}`);
  if (values.project !== undefined) query.set('project', `IS:${values.project}`);
  const api = new AdminApi(connectionOf(values, io));
  const { events } = await api.get<{ readonly events: readonly AuditEvent[] }>(`/search/events?${query}`);
  if (events.length === 0 && name !== undefined) throw new ProgramError(`there are no events of "${name}"`);
  const screen = screenOf(io);
  for (const event of events) io.out(values.json ? `${JSON.stringify(event)}\n` : `${eventLine(event, screen)}\n`);
  return 0;
}

function eventLine({ type, createdAt, createdBy, summary }: AuditEvent, screen: Screen): string {
  const text = plain(summary ?? `**${createdBy}** ${type}`);
  return `${screen.dim(timeText(createdAt))}  ${withoutMarkdown(text, screen)}`;
}

/** Shows the bold parts of the sentence in bold, removes the addresses of links, and removes the backslashes before special characters. */
function withoutMarkdown(text: string, { bold }: Screen): string {
  return text
    .replace(/\*\*((?:\\.|[^\\])*?)\*\*/g, (_match, content: string) => {
      const [, linked] = /^\[((?:\\.|[^\\])*?)\]\([^)]*\)$/.exec(content) ?? [];
      return bold(linked ?? content);
    })
    .replace(/\\([^A-Za-z0-9\s])/g, '$1');
}
