import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { readBoundedFile } from '../../base/bounded-file.ts';
import type { UnleashDocuments } from '../maintenance/unleash-documents.ts';
import type { Manifest } from '../maintenance/unleash-export.ts';
import { readArguments } from './arguments.ts';
import { importFlags, importInstance } from './import-steps.ts';
import { ImportTarget, type Outcome } from './import-target.ts';
import { SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand } from './subcommand.ts';

const HELP = `burgee import DIRECTORY [--url URL] [--project ID] [--verbose]

Brings what burgee export --all wrote into a running Unleash, or Burgee: environments, projects, segments and the like first, then flags, file by
file. What is there under the same name is changed where it differs; nothing is removed, so it can be run again. Tokens are not brought: start
the target with the variables in DIRECTORY/tokens.env. Exit code 1 when anything was refused; each refusal is told with its reason.

${SERVICE_HELP}
  --project   where flags go whose project the target does not have, such as default: Unleash’s open-source edition has no other
  --verbose   tells of everything that was made, changed, or left as it is

BURGEE_TOKEN holds who asks: a personal token of an admin of the target (Unleash takes no import from an admin token; Burgee does).
`;

const FLAGS = { ...SERVICE_FLAGS, project: { type: 'string' }, verbose: { type: 'boolean' } } as const;

/** `burgee import`. */
export const importCommand: Subcommand = {
  name: 'import',
  summary: 'brings an export into a running Unleash, or Burgee',
  help: HELP,
  words: Object.keys(FLAGS).map((flag) => `--${flag}`),
  async run(args, { environment, out, err }) {
    const { values, positionals } = readArguments(args, FLAGS, 1);
    const [directory] = positionals;
    if (directory === undefined) throw new ProgramError('say the directory of an export; see --help');
    const token = environment.BURGEE_TOKEN ?? '';
    if (token === '')
      throw new ProgramError('set BURGEE_TOKEN to a personal token of an admin of the target; see --help');
    const { flagFiles } = await read<Manifest>(directory, 'export.json');
    if (!Array.isArray(flagFiles)) throw new ProgramError(`${join(directory, 'export.json')} names no files of flags`);
    // Before anything is brought: an export that reaches out of its directory is refused.
    for (const { file } of flagFiles) await pathWithin(directory, file);
    const documents = await read<UnleashDocuments>(directory, 'instance.json');
    const tell = ({ kind, name, done, reason }: Outcome) => {
      if (reason !== undefined) err(`${kind} ${name}: ${reason}\n`);
      else if (values.verbose) out(`${kind} ${name}: ${done}\n`);
    };
    const target = new ImportTarget(serviceAddress(values.url, environment), token, tell);
    const places = await importInstance(target, documents, values.project);
    for (const file of flagFiles) {
      await importFlags(target, file, { places, body: await read(directory, file.file) });
    }
    out(summary(target.outcomes));
    return target.outcomes.some(({ done }) => done === 'refused') ? 1 : 0;
  },
};

/** As what `burgee migrate` reads of one file. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

async function read<Content>(directory: string, name: string): Promise<Content> {
  const path = await pathWithin(directory, name);
  try {
    return JSON.parse((await readBoundedFile(path, FILE_BYTES_MAX)).toString()) as Content;
  } catch (error) {
    throw new ProgramError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/**
 * A file of the directory, links followed: an export made by others must not have files of this user read and sent.
 * @throws ProgramError when it is elsewhere
 */
async function pathWithin(directory: string, name: unknown): Promise<string> {
  const path = join(directory, String(name));
  const elsewhere = new ProgramError(`export.json names ${JSON.stringify(name)}, which is no file in ${directory}`);
  if (typeof name !== 'string' || isAbsolute(name) || isOutside(relative(directory, path))) throw elsewhere;
  const [root, real] = await Promise.all([realpath(directory), realpath(path)]).catch((error: Error) => {
    throw new ProgramError(`cannot read ${path}: ${error.message}`);
  });
  if (isOutside(relative(root, real))) throw elsewhere;
  return real;
}

function isOutside(way: string): boolean {
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** A line a kind, in the order in which they were brought. */
function summary(outcomes: readonly Outcome[]): string {
  const kinds = new Map<string, Map<string, number>>();
  for (const { kind, done } of outcomes) {
    const counts = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, counts.set(done, (counts.get(done) ?? 0) + 1));
  }
  return Array.from(kinds, ([kind, counts]) => {
    const parts = Array.from(counts, ([done, count]) => `${count} ${done}`).join(', ');
    return `${kind}: ${parts}\n`;
  }).join('');
}
