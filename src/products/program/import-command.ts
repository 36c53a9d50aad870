import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { readBoundedFile } from '../../base/bounded-file.ts';
import type { UnleashDocuments } from '../maintenance/unleash-documents.ts';
import type { Manifest } from '../maintenance/unleash-export.ts';
import { readArguments, wordsOf } from './arguments.ts';
import { importFlags, importInstance } from './import-steps.ts';
import { ImportTarget, type Outcome } from './import-target.ts';
import { SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee import DIRECTORY [--url URL] [--project ID] [--verbose]

Imports the files of burgee export --all into a running Unleash, or Burgee: environments, projects, segments and the like first, then flags, file by
file. Objects that the target has under the same name are changed where they differ; nothing is removed, so it can be run again. Tokens are not
imported: start the target with the variables in DIRECTORY/tokens.env. Exit code 1 when anything was refused; each refusal is printed with its reason.

${SERVICE_HELP}
  --project   project for flags whose project the target does not have, such as default: Unleash’s open-source edition has no other
  --verbose   prints everything that was made, changed, or left as it is

BURGEE_TOKEN contains a personal token of an admin of the target (Unleash does not accept an import with an admin token; Burgee does).
`;

const FLAGS = { ...SERVICE_FLAGS, project: { type: 'string' }, verbose: { type: 'boolean' } } as const;

/** `burgee import`. */
export const importCommand: Subcommand = {
  name: 'import',
  summary: 'imports an export into a running Unleash, or Burgee',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, { environment, out, err }) {
    const { values, positionals } = readArguments(args, FLAGS, 1);
    const [directory] = positionals;
    if (directory === undefined) throw new UsageError('specify the directory of an export; see --help');
    const token = environment.BURGEE_TOKEN ?? '';
    if (token === '')
      throw new ProgramError('set BURGEE_TOKEN to a personal token of an admin of the target; see --help');
    const { flagFiles } = await readJson<Manifest>(directory, 'export.json');
    if (!Array.isArray(flagFiles)) throw new ProgramError(`${join(directory, 'export.json')} lists no files of flags`);
    // Checked before anything is imported: an export with files outside its directory is refused.
    for (const { file } of flagFiles) await pathWithin(directory, file);
    const documents = await readJson<UnleashDocuments>(directory, 'instance.json');
    const report = ({ kind, name, result, reason }: Outcome) => {
      if (reason !== undefined) err(`${kind} ${name}: ${reason}\n`);
      else if (values.verbose) out(`${kind} ${name}: ${result}\n`);
    };
    const target = new ImportTarget(serviceAddress(values.url, environment), token, report);
    const locations = await importInstance(target, documents, values.project);
    for (const file of flagFiles) {
      await importFlags(target, file, { locations, body: await readJson(directory, file.file) });
    }
    out(summary(target.outcomes));
    return target.outcomes.some(({ result }) => result === 'refused') ? 1 : 0;
  },
};

/** Same limit as for a file of `burgee migrate`. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

async function readJson<Content>(directory: string, name: string): Promise<Content> {
  const path = await pathWithin(directory, name);
  try {
    return JSON.parse((await readBoundedFile(path, FILE_BYTES_MAX)).toString()) as Content;
  } catch (error) {
    throw new ProgramError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/**
 * The real path of a file in the directory, with links resolved. An export from another user must not cause other files of this user to be read
 * and sent.
 * @throws ProgramError when the file is outside the directory
 */
async function pathWithin(directory: string, name: unknown): Promise<string> {
  const path = join(directory, String(name));
  const outsideError = new ProgramError(
    `export.json names ${JSON.stringify(name)}, which is not a file in ${directory}`,
  );
  if (typeof name !== 'string' || isAbsolute(name) || isOutside(relative(directory, path))) throw outsideError;
  const [root, real] = await Promise.all([realpath(directory), realpath(path)]).catch((error: Error) => {
    throw new ProgramError(`cannot read ${path}: ${error.message}`);
  });
  if (isOutside(relative(root, real))) throw outsideError;
  return real;
}

function isOutside(relativePath: string): boolean {
  return (
    relativePath === '' || relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath)
  );
}

/** One line per kind, in the order of the import. */
function summary(outcomes: readonly Outcome[]): string {
  const kinds = new Map<string, Map<string, number>>();
  for (const { kind, result } of outcomes) {
    const counts = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, counts.set(result, (counts.get(result) ?? 0) + 1));
  }
  return Array.from(kinds, ([kind, counts]) => {
    const parts = Array.from(counts, ([result, count]) => `${count} ${result}`).join(', ');
    return `${kind}: ${parts}\n`;
  }).join('');
}
