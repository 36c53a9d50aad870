import { readArguments } from '../arguments.ts';
import { FINDINGS_EXIT_CODE, ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { AdminApi, connectionOf, pathOf } from '../terminal/connection.ts';
import { OPTIONS } from '../terminal/options.ts';
import { screenOf } from '../terminal/screen.ts';
import { type KnownFlag, readKnownFlags } from './known-flags.ts';
import { languageOf, ownCalls } from './languages.ts';
import { References } from './references.ts';
import { type Finding, findingJson, findingsOf, findingText, STATES, type State, summaryText } from './report.ts';
import { scanText } from './scan-text.ts';
import { openWorkTree, readText, type WorkTree } from './work-tree.ts';

type Values = ReturnType<typeof readArguments<(typeof OPTIONS)['find-flags']>>['values'];

/** What a service stores for a repository (docs/reference/limits.md). */
const NAMES_SENT_MAX = 5_000;
const PLACES_SENT_MAX = 20_000;
const PATH_CHARS_MAX = 500;

interface Scan {
  readonly references: References;
  /** Files of code that were read. */
  readonly read: number;
  /** Files of code that were skipped: large, binary or unreadable ones. */
  readonly skipped: number;
}

/** Runs `burgee find-flags`. @throws ProgramError */
export async function runFindFlags(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS['find-flags'], 1);
  const [folder] = positionals;
  if (folder === undefined) throw new UsageError('specify the folder to scan, for example "."; see --help');
  const failOn = statesOf(values['fail-on'] ?? []);
  const target = targetOf(values);
  const api = new AdminApi(connectionOf(values, io));
  const tree = await openWorkTree(folder, io.environment);
  if (tree.note) io.err(`note: ${tree.note}\n`);
  const known = await readKnownFlags(api);
  const scan = await scanTree(folder, tree, known, values);
  const { findings, unused } = findingsOf(scan.references, known, values.project);
  if (values.json) for (const finding of [...findings, ...unused]) io.out(`${JSON.stringify(findingJson(finding))}\n`);
  else {
    const screen = screenOf(io);
    for (const finding of findings) io.out(findingText(finding, screen));
    io.out(summaryText(findings, unused, scan, screen));
  }
  if (target !== undefined) await send(api, target, tree, scan, io);
  const found = failOn.filter((state) => [...findings, ...unused].some((finding) => isIn(finding, state)));
  if (found.length === 0) return 0;
  io.err(`burgee find-flags: the code has findings of --fail-on: ${found.join(', ')}\n`);
  return FINDINGS_EXIT_CODE;
}

const isIn = (finding: Finding, state: State) => finding.state === state;

/** @throws UsageError */
function statesOf(texts: readonly string[]): readonly State[] {
  return texts.flatMap((text) =>
    text.split(',').map((word) => {
      const state = STATES.find((one) => one === word.trim());
      if (state === undefined) throw new UsageError(`--fail-on must be of ${STATES.join(', ')}, not "${word}"`);
      return state;
    }),
  );
}

interface Target {
  readonly repository: string;
  readonly commit: string | undefined;
  readonly branch: string | undefined;
  readonly link: string | undefined;
}

/** Where the references are sent; undefined if they are not sent. @throws UsageError */
function targetOf({ send: isSent, repository, commit, branch, link }: Values): Target | undefined {
  if (isSent) {
    if (!repository) throw new UsageError('--send needs --repository NAME; see --help');
    return { repository, commit, branch, link };
  }
  if ([repository, commit, branch, link].every((value) => value === undefined)) return undefined;
  throw new UsageError('--repository, --commit, --branch and --link need --send; see --help');
}

async function scanTree(
  folder: string,
  { files, prefix }: WorkTree,
  known: ReadonlyMap<string, KnownFlag>,
  { call = [], ignore = [], 'calls-only': callsOnly = false }: Values,
): Promise<Scan> {
  const references = new References();
  const ignored = new Set(ignore);
  const wanted = { calls: ownCalls(call), isFlag: (name: string) => !callsOnly && known.has(name) };
  let read = 0;
  let skipped = 0;
  for await (const path of files()) {
    const language = languageOf(path);
    if (language === undefined) continue;
    const text = await readText(folder, path);
    if (text === null) {
      skipped++;
      continue;
    }
    read++;
    for (const found of scanText(text, language, wanted))
      if (!ignored.has(found.name)) references.add(prefix + path, found);
  }
  return { references, read, skipped };
}

/** Sends the references, which replace those that the repository had. @throws ProgramError */
async function send(api: AdminApi, target: Target, tree: WorkTree, scan: Scan, { err }: ProgramIo): Promise<void> {
  const { references, read } = scan;
  // A wrong folder would delete the references of the repository.
  if (read === 0) throw new ProgramError('no file of code was found: nothing was sent');
  if (references.byName.size > NAMES_SENT_MAX)
    throw new ProgramError(
      `the code uses ${references.byName.size} names of flags; a service stores ${NAMES_SENT_MAX}`,
    );
  const { repository, commit = tree.commit, branch = tree.branch, link = null } = target;
  const sent = references
    .fitting(PLACES_SENT_MAX)
    .map(({ flagName, places }) => ({ flagName, places: places.filter(({ path }) => isSendable(path)) }))
    .filter(({ places }) => places.length > 0);
  const body = { commit, branch, link, references: sent };
  await api.send('PUT', pathOf`/code-repositories/${repository}`, body);
  const count = sent.reduce((sum, { places }) => sum + places.length, 0);
  const all = references.count;
  const note =
    count < all ? `; ${all - count} more places were not sent, because a service stores a limited number` : '';
  err(`sent ${count} places of ${sent.length} names for ${repository}${note}\n`);
}

/** Whether a service accepts the path. */
function isSendable(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a service refuses paths with these characters
  return path.length <= PATH_CHARS_MAX && !/[\x00-\x1f\x7f]/.test(path);
}
