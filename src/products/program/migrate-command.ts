import { readArguments } from './arguments.ts';
import { SERVICE_HELP } from './service-client.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee migrate --from URL [--dry-run] …
burgee migrate --file FILE …

Takes over what a running Unleash (4 to 8, open source or paid) or Burgee holds: projects, environments, context fields, tag types, custom
strategies, segments, flags in every environment, archived flags, API tokens with their secrets, so that SDKs change a URL and nothing else; and
people, roles and groups, without what lets them in.
The source is only read. What is here already under the same names becomes as it is there; what is only here stays. Run it again at any time: it
brings what differs, and goes on where it was interrupted.

  --from URL     the instance to move from, with its base path and without /api
  --file FILE    instead: what Unleash wrote into files, may be repeated: exports of environments, the answer of GET /api/admin/segments (exports
                 only name segments), a state export, lists of SDKs (GET /api/client/features), the files of Edge's backup folder; and flags of
                 flagd (JSON), GO Feature Flag and Flipt (YAML or JSON): what of them cannot be said here is told by name and reason
  --environment E  of files: the environment of those that do not say it
  --project ID   of files: the project of flags that do not say it (default)
  --token T      an admin's token there; better in FROM_TOKEN, which no list of processes shows
  --dry-run      reads all of it, and tells what a new instance would make of it; nothing is written anywhere
  --verify       afterwards asks both for what SDKs are told, with their tokens, evaluates sampled contexts on both, and tells every difference
  --follow       goes on bringing what changes there, until it is stopped: what is deleted there is deleted here
  --interval S   seconds between two looks of --follow (15)
  --invites FILE where links go with which the people set a password; only its owner may read it
${SERVICE_HELP}

FROM_TOKEN    an admin token, or a personal access token of an admin, of the instance to move from
BURGEE_TOKEN  an admin token of this service (not for --dry-run)

Exit code 0: everything was taken over; 2: some things could not be, and were told; 1: it could not go on. docs/from-unleash.md tells the whole way.
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
  summary: 'takes over what a running Unleash or Burgee holds',
  help: HELP,
  words: Object.keys(FLAGS).map((flag) => `--${flag}`),
  async run(args, io) {
    const { values } = readArguments(args, FLAGS);
    // Loaded when it is asked for: other commands must not wait for it.
    const { migrate } = await import('./migrating.ts');
    return await migrate(values, io);
  },
};
