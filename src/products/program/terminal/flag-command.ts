import { readArguments } from '../arguments.ts';
import type { ProgramIo } from '../subcommand.ts';
import { UsageError } from '../subcommand.ts';
import { AdminApi, connectionOf, pathOf, Refusal } from './connection.ts';
import { findFlag } from './find-flag.ts';
import type { Flag, FlagEnvironment, Segment } from './flag-types.ts';
import { OPTIONS } from './options.ts';
import { plain, type Screen, screenOf, timeText } from './screen.ts';
import { dependencyText, strategySentence, variantsSentence } from './sentences.ts';

/** More segments are shown by their ids. */
const SEGMENTS_READ_MAX = 20;

/** Runs `burgee flag`. @throws ProgramError */
export async function runFlag(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.flag, 1);
  const [name] = positionals;
  if (name === undefined) throw new UsageError('specify the name of a flag; see --help');
  const api = new AdminApi(connectionOf(values, io));
  const flag = await findFlag(api, name, values.project);
  if (values.json) io.out(`${JSON.stringify(flag)}\n`);
  else io.out(flagText(flag, await segmentsOf(api, flag.environments), screenOf(io)));
  return 0;
}

/** The segments of the environments' strategies, without those that the caller may not see. */
export async function segmentsOf(
  api: AdminApi,
  environments: readonly FlagEnvironment[],
): Promise<ReadonlyMap<number, Segment>> {
  const ids = environments.flatMap(({ strategies }) => strategies.flatMap(({ segments = [] }) => segments));
  const segments = new Map<number, Segment>();
  for (const id of [...new Set(ids)].slice(0, SEGMENTS_READ_MAX)) {
    try {
      segments.set(id, await api.get<Segment>(pathOf`/segments/${id}`));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return segments;
}

function flagText(flag: Flag, segments: ReadonlyMap<number, Segment>, screen: Screen): string {
  const lines = [
    `${screen.bold(plain(flag.name))}  ${plain(`${flag.type} flag in the project ${flag.project}${flag.stale ? ', stale' : ''}`)}`,
    ...detailsOf(flag).map((line) => `  ${plain(line)}`),
    '',
    ...flag.environments.flatMap((environment) => environmentLines(environment, segments, screen)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function detailsOf(flag: Flag): readonly string[] {
  const { description, tags = [], dependencies = [], children = [] } = flag;
  const author = flag.createdBy === undefined ? '' : ` by ${flag.createdBy.name}`;
  const seen = flag.lastSeenAt === null ? 'never used by an SDK' : `last used ${timeText(flag.lastSeenAt)}`;
  return [
    ...(description ? [description] : []),
    ...(tags.length > 0 ? [`tags: ${tags.map(({ type, value }) => `${type}:${value}`).join(', ')}`] : []),
    ...(dependencies.length > 0 ? [`only on if ${dependencies.map(dependencyText).join(' and ')}`] : []),
    ...(children.length > 0 ? [`flags that depend on it: ${children.join(', ')}`] : []),
    ...(flag.impressionData ? ['SDKs report each use (impression data)'] : []),
    `created ${timeText(flag.createdAt)}${author}, ${seen}`,
  ];
}

/** The settings of the flag in one environment. */
export function environmentLines(
  { name, enabled, strategies, variants = [] }: FlagEnvironment,
  segments: ReadonlyMap<number, Segment>,
  screen: Screen,
): readonly string[] {
  const lines = strategies.flatMap((strategy) => [
    `  - ${plain(strategySentence(strategy, segments))}`,
    ...(strategy.variants?.length ? [`    variants: ${plain(variantsSentence(strategy.variants))}`] : []),
  ]);
  const isNever = strategies.length > 0 && strategies.every(({ disabled }) => disabled);
  return [
    `${plain(name)}: ${enabled ? screen.green('on') : screen.red('off')}${enabled && isNever ? ', but for nobody' : ''}`,
    ...lines,
    ...(strategies.length > 0 ? [] : [enabled ? '  - everyone, because there are no strategies' : '  no strategies']),
    ...(variants.length > 0 ? [`  variants: ${plain(variantsSentence(variants))}`] : []),
  ];
}
