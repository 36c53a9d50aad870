import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isSystemError } from '../../base/system-error.ts';
import type { State } from '../../state/state.ts';
import { PRIVATE_FILE_MODE } from '../../stores/local/private-files.ts';
import { readArguments, wordsOf } from './arguments.ts';
import { downloadBackup } from './backup-download.ts';
import { SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee export --all --to DIRECTORY [--url URL | --from PLACE]

Writes everything that Unleash can import into a new directory, and reports what Unleash cannot store (also in DIRECTORY/not-held.txt):

  flags/*.json    one file for each project and environment: a body of POST /api/admin/features-batch/import
  instance.json   environments, projects, segments, context fields, tag types, strategies, users: bodies of the admin API
  tokens.env      API tokens with their secrets, as the variables that Unleash makes tokens of at its start
  export.json     list of the files, and the revision

burgee import DIRECTORY brings the first two into a running Unleash, or Burgee, in the right order.

${SERVICE_HELP}
  --from PLACE    reads a store instead of a running service: lmdb:DIRECTORY, redis://…, or file:PATH of a backup
  --key-prefix N  which log of a Redis (burgee)

BURGEE_TOKEN contains an admin token of the running service. All data is from one moment.
`;

const FLAGS = {
  ...SERVICE_FLAGS,
  all: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  'key-prefix': { type: 'string' },
} as const;

/** Number of items printed for each kind of loss; the file contains all of them. */
const ITEMS_PRINTED = 5;

/** `burgee export`. */
export const exportCommand: Subcommand = {
  name: 'export',
  summary: 'writes everything that Unleash can import, and reports what it cannot store',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, { environment, out, err }) {
    const { values } = readArguments(args, FLAGS);
    const { to, from, url } = values;
    if (!values.all || to === undefined) throw new UsageError('specify --all and --to DIRECTORY; see --help');
    if (from !== undefined && url !== undefined)
      throw new UsageError('specify only one of --from and --url; see --help');
    // Loaded on demand: a health check must not wait for the code that reads stores.
    const { writeUnleashExport, lossesText, EXPORT_FILES } = await import('../maintenance/unleash-export.ts');
    const directory = resolve(to);
    const write = async (state: State) => {
      const { revision, flagFiles, losses } = await writeUnleashExport(state, directory);
      out(`revision ${revision}, ${flagFiles.length} files of flags, in ${directory}\n`);
      err(`\nNot in the export, or in another form (complete list: ${join(directory, EXPORT_FILES.losses)}):\n\n`);
      err(lossesText(losses, ITEMS_PRINTED));
    };
    await withProgramErrors(() =>
      from === undefined
        ? withBackupOf(serviceAddress(url, environment), environment.BURGEE_TOKEN ?? '', (path) =>
            withStateOf(`file:${path}`, '', write),
          )
        : withStateOf(from, values['key-prefix'] ?? 'burgee', write),
    );
    return 0;
  },
};

async function withStateOf(text: string, keyPrefix: string, use: (state: State) => Promise<void>): Promise<void> {
  const [{ openSource }, { parseLocation }] = await Promise.all([
    import('../maintenance/source.ts'),
    import('../maintenance/location.ts'),
  ]);
  const source = await openSource(parseLocation(text, '--from'), keyPrefix);
  try {
    await use(source.state);
  } finally {
    await source.close();
  }
}

/** Calls `use` with the path of a new backup of the running service. The backup is in a private folder, which exists only during the call. */
async function withBackupOf(address: string, token: string, use: (path: string) => Promise<void>): Promise<void> {
  if (token === '') throw new ProgramError('set BURGEE_TOKEN to an admin token, or specify --from; see --help');
  const directory = await mkdtemp(join(tmpdir(), 'burgee-export-'));
  try {
    const path = join(directory, 'state.backup');
    const bytes = await downloadBackup(address, token);
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: PRIVATE_FILE_MODE }));
    await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function withProgramErrors(work: () => Promise<void>): Promise<void> {
  const { StoreError } = await import('../../stores/store.ts');
  try {
    await work();
  } catch (error) {
    if (error instanceof StoreError || isSystemError(error)) throw new ProgramError(error.message);
    throw error;
  }
}
