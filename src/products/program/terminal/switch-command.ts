import { isSameJson } from '../../../base/same-json.ts';
import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { isProtected, requestSwitch, type WantedSwitch } from './change-request.ts';
import { AdminApi, connectionOf, pathOf, Refusal } from './connection.ts';
import { findFlag } from './find-flag.ts';
import { environmentLines, segmentsOf } from './flag-command.ts';
import type { Flag } from './flag-types.ts';
import { OPTIONS } from './options.ts';
import { plain, screenOf } from './screen.ts';

/** Runs `burgee on` and `burgee off`. @throws ProgramError */
export async function runSwitch(args: readonly string[], io: ProgramIo, enabled: boolean): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.on, 1);
  const [name] = positionals;
  const { environment } = values;
  const title = values['change-request'];
  if (name === undefined || environment === undefined)
    throw new UsageError('specify the name of a flag and --environment; see --help');
  if (title?.trim() === '') throw new UsageError('--change-request needs a title; see --help');
  const api = new AdminApi(connectionOf(values, io));
  const before = await findFlag(api, name, values.project);
  const environments = before.environments.map((each) => each.name);
  if (!environments.includes(environment))
    throw new ProgramError(`${name} has no environment "${environment}", only ${environments.join(', ')}`);
  const wanted = { project: before.project, environment, name, enabled };
  if (title !== undefined) {
    const { request, revision } = await requestSwitch(api, wanted, title);
    const text = `change request ${request.id} in the project ${before.project} switches ${name} ${wordOf(enabled)} in ${environment}`;
    const rest = `it is in review and needs ${request.minApprovals} approval${request.minApprovals === 1 ? '' : 's'}`;
    io.out(values.json ? `${JSON.stringify(request)}\n` : `${plain(text)}: ${rest}${revisionText(revision)}\n`);
    return 0;
  }
  const { body: after, revision } = await switchNow(api, wanted);
  io.out(values.json ? `${JSON.stringify(after)}\n` : await changeText(api, before, after, environment, revision, io));
  return 0;
}

const wordOf = (enabled: boolean) => (enabled ? 'on' : 'off');
const revisionText = (revision: string | null) => (revision === null ? '' : ` (revision ${plain(revision)})`);

async function switchNow(api: AdminApi, { project, environment, name, enabled }: WantedSwitch) {
  const path = pathOf`/projects/${project}/features/${name}/environments/${environment}/${wordOf(enabled)}`;
  try {
    return await api.send<Flag>('POST', path);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403 || !(await isProtected(api, project, environment)))
      throw error;
    throw new ProgramError(
      `changes of ${environment} in the project ${project} need a change request: add --change-request TITLE`,
    );
  }
}

async function changeText(
  api: AdminApi,
  before: Flag,
  after: Flag,
  environment: string,
  revision: string | null,
  io: ProgramIo,
): Promise<string> {
  const [old, now] = [before, after].map(({ environments }) => environments.find(({ name }) => name === environment));
  if (old === undefined || now === undefined) return '';
  const head = `${after.name} in ${environment}: `;
  if (old.enabled === now.enabled && isSameJson(old.strategies, now.strategies))
    return `${plain(head)}it was ${wordOf(now.enabled)} already, nothing changed${revisionText(revision)}\n`;
  const lines = [
    `${plain(head)}${wordOf(old.enabled)} → ${wordOf(now.enabled)}${revisionText(revision)}`,
    ...environmentLines(now, await segmentsOf(api, [now]), screenOf(io)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
