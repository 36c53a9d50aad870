import { readArguments, wordsOf } from './arguments.ts';
import { SERVICE_HELP } from './service-client.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee migrate --from URL [--dry-run] …
burgee migrate --file FILE …

Imports the data of a running Unleash (4 to 8, open source or paid) or Burgee: projects, environments, context fields, tag types, custom
strategies, segments, flags in every environment, archived flags, API tokens with their secrets, so that SDKs change a URL and nothing else; and
people, roles and groups, without their credentials.
The source is only read. Objects of this service with the same names become as they are in the source; objects that only this service has stay. Run
the command again at any time: it imports what differs, and continues where it was interrupted.

  --from URL     the instance to move from, with its base path and without /api
  --file FILE    instead: files that Unleash wrote, may be repeated: exports of environments, the answer of GET /api/admin/segments (exports
                 only name segments), a state export, lists of SDKs (GET /api/client/features), the files of Edge's backup folder; and flags of
                 flagd (JSON), GO Feature Flag and Flipt (YAML or JSON): what Burgee cannot represent is reported by name and reason
  --environment E  for files: the environment of those that do not contain it
  --project ID   for files: the project of flags that do not contain it (default)
  --token T      an admin's token of the source; better in FROM_TOKEN, which no list of processes shows
  --dry-run      reads everything, and reports what an import into a new instance would do; nothing is written anywhere
  --verify       then compares both services: requests the answers for SDKs with their tokens, evaluates sampled contexts, reports every difference
  --follow       keeps importing changes until it is stopped: what is deleted in the source is deleted in this service
  --interval S   seconds between two checks of --follow (15)
  --invites FILE file for the links with which people set a password; only its owner may read it
${SERVICE_HELP}

FROM_TOKEN    an admin token, or a personal access token of an admin, of the instance to move from
BURGEE_TOKEN  an admin token of this service (not for --dry-run)

Exit code 0: everything was imported; 3: some things could not be, and were reported; 1: it could not continue; 2: wrong usage. docs/move-in/from-unleash.md describes every step.
`;

const FLAGS = {
  from: { type: 'string' },
  file: { type: 'string', multiple: true },
  token: { type: 'string' },
  url: { type: 'string' },
  'dry-run': { type: 'boolean' },
  verify: { type: 'boolean' },
  follow: { type: 'boolean' },
  interval: { type: 'string' },
  invites: { type: 'string' },
  environment: { type: 'string' },
  project: { type: 'string' },
} as const;

/** `burgee migrate`. */
export const migrateCommand: Subcommand = {
  name: 'migrate',
  summary: 'imports the data of a running Unleash or Burgee',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, io) {
    const { values } = readArguments(args, FLAGS);
    // Loaded on demand: other commands must not wait for it.
    const { migrate } = await import('./migrating.ts');
    return await migrate(values, io);
  },
};
