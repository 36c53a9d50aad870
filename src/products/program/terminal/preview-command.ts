import { readFileSync } from 'node:fs';
import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { AdminApi, connectionOf, countOf } from './connection.ts';
import { findFlag } from './find-flag.ts';
import { OPTIONS } from './options.ts';
import { plain, type Screen, screenOf } from './screen.ts';

type Values = ReturnType<typeof readArguments<typeof OPTIONS.preview>>['values'];

const EXAMPLES_DEFAULT = 3;
const EXAMPLES_MAX = 20;
/** The service knows its limit and refuses larger numbers. */
const NUMBER = /^[1-9]\d{0,8}$/;

const KINDS = { offToOn: 'off → on', onToOff: 'on → off', otherVariant: 'another variant', unchanged: 'unchanged' };
type Kind = keyof typeof KINDS;

interface Result {
  readonly isEnabled: boolean;
  readonly variant?: { readonly name: string } | null;
}

interface PreviewedFlag {
  readonly name: string;
  readonly reason: string;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly examples: readonly {
    readonly kind: Kind;
    readonly context: unknown;
    readonly before: Result | null;
    readonly after: Result | null;
  }[];
  readonly measures: {
    readonly evaluationCost: { readonly before: number | null; readonly after: number | null; readonly limit: number };
  };
  readonly warnings: readonly { readonly message: string }[];
}

interface Preview {
  readonly contexts: number;
  readonly changes: readonly { readonly needsChangeRequest: boolean; readonly reason: string | null }[];
  readonly flags: readonly PreviewedFlag[];
}

/** Runs `burgee preview`. @throws ProgramError */
export async function runPreview(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.preview, 2);
  const [name, state] = positionals;
  const { environment } = values;
  if (name === undefined || environment === undefined)
    throw new UsageError('specify the name of a flag and --environment; see --help');
  const isState = state === 'on' || state === 'off';
  if ((state !== undefined && !isState) || isState === (values.changes !== undefined))
    throw new UsageError('specify either on, off or --changes FILE; see --help');
  const changes =
    values.changes === undefined
      ? [{ action: 'updateEnabled', feature: name, payload: { enabled: state === 'on' } }]
      : changesIn(values.changes, name);
  const contexts = contextsOf(values);
  const examples = countOf(values.count, EXAMPLES_DEFAULT, EXAMPLES_MAX);
  const api = new AdminApi(connectionOf(values, io));
  const project = values.project ?? (await findFlag(api, name, undefined)).project;
  const request = { project, environment, changes, examples, ...(contexts && { contexts }) };
  await showPreview(api, request, values.json === true, io);
  return 0;
}

/** Sends the request for a preview, and prints the answer. @throws Refusal */
export async function showPreview(
  api: AdminApi,
  request: { readonly environment: string },
  isJson: boolean,
  io: ProgramIo,
): Promise<void> {
  const { body } = await api.send<Preview>('POST', '/preview', request);
  io.out(isJson ? `${JSON.stringify(body)}\n` : previewText(body, request.environment, screenOf(io)));
}

/** The changes in the file. A change of a flag concerns this flag, unless it names another one. */
function changesIn(file: string, name: string): readonly unknown[] {
  return listIn(file, '--changes').map((change) => {
    const { action, feature } = (change ?? {}) as { readonly action?: unknown; readonly feature?: unknown };
    const isOfSegment = typeof action === 'string' && action.endsWith('Segment');
    return isOfSegment || feature !== undefined ? change : { ...(change as object), feature: name };
  });
}

/** The JSON list in a file. @throws ProgramError */
function listIn(file: string, option: string): readonly unknown[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProgramError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // Reported below.
  }
  throw new ProgramError(`${file} must contain a JSON list, for ${option}; see --help`);
}

/** The contexts that the options select; undefined for those that the service chooses. */
function contextsOf({ contexts, set = [], 'legal-values': legalValuesOf = [], 'made-up': madeUp }: Values) {
  const given = contexts === undefined ? undefined : listIn(contexts, '--contexts');
  const sets = set.map((id) => {
    if (!NUMBER.test(id)) throw new UsageError(`--set must be the id of a context set, not "${id}"`);
    return Number(id);
  });
  if (given === undefined && sets.length === 0 && legalValuesOf.length === 0 && madeUp === undefined) return undefined;
  return {
    ...(given && { given }),
    ...(sets.length > 0 && { sets }),
    ...(legalValuesOf.length > 0 && { legalValuesOf }),
    ...(madeUp !== undefined && { madeUp: { count: madeUpCount(madeUp) } }),
  };
}

function madeUpCount(text: string): number {
  if (NUMBER.test(text)) return Number(text);
  throw new UsageError(`--made-up must be a number, not "${text}"; see --help`);
}

function previewText({ contexts, changes, flags }: Preview, environment: string, screen: Screen): string {
  const reasons = new Set(
    changes.flatMap(({ needsChangeRequest, reason }) => (needsChangeRequest ? [reason ?? ''] : [])),
  );
  const lines = [
    `${contexts} contexts in ${plain(environment)}; nothing was changed`,
    ...flags.flatMap((flag) => flagLines(flag, screen)),
    ...(flags.length === 0 ? ['no flag is affected'] : []),
    ...Array.from(reasons, (reason) => `a change needs a change request: ${plain(reason)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function flagLines({ name, reason, counts, examples, measures, warnings }: PreviewedFlag, screen: Screen): string[] {
  const kinds = Object.keys(KINDS) as Kind[];
  const numbers = kinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${KINDS[kind]}`);
  const why =
    reason === 'changed' ? '' : ` (${reason === 'segment' ? 'uses a changed segment' : 'depends on a changed flag'})`;
  const { before, after, limit } = measures.evaluationCost;
  return [
    `${screen.bold(plain(name))}${why}: ${numbers.join(', ')}`,
    ...examples
      .filter(({ kind }) => kind !== 'unchanged')
      .map((example) => {
        const text = `${resultText(example.before)} → ${resultText(example.after)}: ${JSON.stringify(example.context)}`;
        return `  ${plain(text)}`;
      }),
    ...(before === after ? [] : [`  cost of an evaluation: ${before ?? 0} → ${after ?? 0} µs, at most ${limit}`]),
    ...warnings.map(({ message }) => `  ${screen.red('warning')}: ${plain(message)}`),
  ];
}

function resultText(result: Result | null): string {
  if (result === null) return 'not served';
  const variant = result.variant?.name ?? 'disabled';
  if (!result.isEnabled) return 'off';
  return variant === 'disabled' ? 'on' : `on, variant ${variant}`;
}
