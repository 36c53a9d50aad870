import type { ProgramIo, Subcommand } from '../subcommand.ts';

type Options = readonly (readonly [flag: string, meaning: string])[];

/** The options that most of these commands have. */
const CONNECTION: Options = [
  ['--profile NAME', 'a profile that burgee login has stored (default: the profile "default", or the only one)'],
  ['--url URL', "the service, without /api, instead of the profile's"],
  ['--json', "prints the API's JSON"],
];

const NOTES = `BURGEE_URL and BURGEE_TOKEN replace the address and the token of the profile. The token of a profile is sent only to its own address.
Exit code 0: done. 1: refused, or not found. 2: wrong usage.
`;

const CONNECTION_WORDS = ['--profile', '--url', '--json'];

const PROJECT_OF_FLAG = [
  '--project ID',
  'the project of the flag; without it, the project is found by the name of the flag',
] as const;

function optionsHelp(options: Options): string {
  const width = Math.max(...options.map(([flag]) => flag.length));
  return options.map(([flag, meaning]) => `  ${flag.padEnd(width)}  ${meaning}\n`).join('');
}

/** The help of a command that uses a service. */
const helpOf = (usage: string, text: string, options: Options) =>
  `burgee ${usage} [options]\n\n${text}\n\n${optionsHelp([...options, ...CONNECTION])}\n${NOTES}`;

const SWITCH_HELP = `Prints the settings that result, and the revision. If changes in the environment need a review, the command says so and changes nothing.`;
const ON_HELP = `A flag without an enabled strategy gets the project's default strategy.`;
const OFF_HELP = 'The flag keeps its strategies for the next time that it is switched on.';

function switching(name: 'on' | 'off'): Subcommand {
  return {
    name,
    summary: `switches a flag ${name} in an environment`,
    help: helpOf(
      `${name} FLAG --environment NAME`,
      `Switches a flag ${name} in one environment.\n\n${SWITCH_HELP}\n${name === 'on' ? ON_HELP : OFF_HELP}`,
      [
        ['-e, --environment NAME', 'required'],
        PROJECT_OF_FLAG,
        ['--change-request TITLE', 'creates a change request with this change, and sends it to review'],
      ],
    ),
    words: ['--environment', '--project', '--change-request', ...CONNECTION_WORDS],
    async run(args: readonly string[], io: ProgramIo) {
      const { runSwitch } = await import('./switch-command.ts');
      return runSwitch(args, io, name === 'on');
    },
  };
}

/** The commands for people. Other commands load none of their code. */
export const TERMINAL_COMMANDS: readonly Subcommand[] = [
  {
    name: 'login',
    summary: 'stores the address of a service and your token as a profile',
    help: `burgee login URL [--profile NAME]

Asks for a token and shows nothing of it, or reads it from standard input if that is not a terminal. Checks the token with one request, and stores
it in burgee/profiles.json in XDG_CONFIG_HOME (default: ~/.config), which only you can read. Use a personal token, or an admin token.

  burgee login https://flags.example.com
  burgee login https://flags.example.com --profile production < token.txt

  --profile NAME   the name of the profile (default: "default")
  --json           prints the API's JSON about the user
`,
    words: ['--profile', '--json'],
    async run(args, io) {
      const { runLogin } = await import('./login-command.ts');
      return runLogin(args, io);
    },
  },
  {
    name: 'profiles',
    summary: 'lists the stored profiles, without tokens',
    help: `burgee profiles [--remove NAME] [--json]

Lists the profiles that burgee login has stored, without tokens.

  --remove NAME   deletes the profile and its token from the file; the token stays valid
  --json          prints one JSON object for each profile
`,
    words: ['--remove', '--json'],
    async run(args, io) {
      const { runProfiles } = await import('./login-command.ts');
      return runProfiles(args, io);
    },
  },
  {
    name: 'flags',
    summary: 'lists flags and the environments in which they are on',
    help: helpOf('flags', 'Lists flags by name, with their state and the environments in which they are on.', [
      ['--project ID', 'only flags of this project'],
      ['--search TEXT', 'only flags whose name, description or tag contains the text'],
      ['-e, --environment NAME', 'only flags that are on in this environment'],
      ['--stale', 'only stale flags'],
      ['--archived', 'only archived flags'],
      ['-n, --count COUNT', 'at most so many flags (default: 1000)'],
    ]),
    words: ['--project', '--search', '--environment', '--stale', '--archived', '--count', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runFlags } = await import('./flags-command.ts');
      return runFlags(args, io);
    },
  },
  {
    name: 'flag',
    summary: 'prints the settings of a flag in each environment',
    help: helpOf(
      'flag FLAG',
      'Prints for which contexts the flag is on, in each environment, with variants, tags and dependencies.',
      [PROJECT_OF_FLAG],
    ),
    words: ['--project', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runFlag } = await import('./flag-command.ts');
      return runFlag(args, io);
    },
  },
  switching('on'),
  switching('off'),
  {
    name: 'preview',
    summary: 'prints what would change if a flag was switched or its rules were changed',
    help: helpOf(
      'preview FLAG on|off --environment NAME',
      `Evaluates contexts before and after the changes, and prints how many results would differ. Nothing is changed. --changes FILE replaces on and off: a
JSON list of changes as POST /api/admin/preview accepts them. A change in it concerns FLAG, unless it names another flag or a segment.

  burgee preview checkout on -e production
  burgee preview checkout --changes changes.json -e production --set 3`,
      [
        ['-e, --environment NAME', 'required'],
        PROJECT_OF_FLAG,
        ['--changes FILE', 'the changes, instead of on or off'],
        ['--contexts FILE', 'contexts as a JSON list (without any option for contexts: 1,000 made-up users)'],
        ['--set ID', 'contexts of a saved context set; several times for several sets'],
        ['--legal-values FIELD', 'every legal value of a context field; several times for combinations'],
        ['--made-up COUNT', 'so many made-up users'],
        ['-n, --count COUNT', 'the number of examples of each kind (default: 3, at most 20)'],
      ],
    ),
    words: [
      'on',
      'off',
      '--environment',
      '--project',
      '--changes',
      '--contexts',
      '--set',
      '--legal-values',
      '--made-up',
      '--count',
      ...CONNECTION_WORDS,
    ],
    async run(args, io) {
      const { runPreview } = await import('./preview-command.ts');
      return runPreview(args, io);
    },
  },
  {
    name: 'history',
    summary: 'prints the changes of a flag, a project, an environment, a segment, or of everything, field by field',
    help: helpOf(
      'history [FLAG]',
      `Prints each commit, the newest first: its revision, author and reason, and each changed field with its value before and after. The history of a
flag contains the changes of the segments that it used. burgee undo undoes a revision.`,
      [
        [
          '--project ID',
          'the history of a project; with FLAG, the project of the flag (needed if the flag was deleted)',
        ],
        ['-e, --environment NAME', 'the history of an environment, with the settings of flags in it'],
        ['--segment ID', 'the history of a segment'],
        ['--before REVISION', 'only older commits'],
        ['--whole', 'prints all fields and whole values; without it, long ones are cut'],
        ['-n, --count COUNT', 'the number of commits (default: 20, at most 1000)'],
      ],
    ),
    words: ['--project', '--environment', '--segment', '--before', '--whole', '--count', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runHistory } = await import('./history-command.ts');
      return runHistory(args, io);
    },
  },
  {
    name: 'undo',
    summary: 'undoes the changes of a revision in a new commit',
    help: helpOf(
      'undo REVISION',
      `Gives each field that the commit changed its earlier value, in a new commit. Other fields stay. If one of the fields was changed again, nothing is
undone, and the command prints these fields with their current values. burgee history prints revisions.

  burgee undo 4711 --flag checkout
  burgee undo 4711 -e production --change-request 'Back to 25 %'`,
      [
        ['--flag NAME', 'undo only the changes of this flag; several times for several flags'],
        ['--segment ID', 'undo only the changes of this segment; several times for several segments'],
        ['--object TYPE:ID', 'undo only the changes of this object, such as tag-type:team; several times for several'],
        ['-e, --environment NAME', 'of flags, undo only settings in this environment; several times for several'],
        [
          '--change-request TITLE',
          'creates a change request with the undo in one environment (-e), and sends it to review',
        ],
        [
          '--dry-run',
          'checks the undo and prints how results of flags in one environment (-e) would change; undoes nothing',
        ],
      ],
    ),
    words: ['--flag', '--segment', '--object', '--environment', '--change-request', '--dry-run', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runUndo } = await import('./undo-command.ts');
      return runUndo(args, io);
    },
  },
  {
    name: 'watch',
    summary: 'prints each change as it happens',
    help: helpOf(
      'watch',
      `Prints a line for each commit: the time, the author, the changed entities and the environments. Continues after a loss of the connection, and
prints the changes of the time in between. If the service does not keep them any more, it says so. Ctrl-C stops it.`,
      [['--project ID', 'only changes of this project']],
    ),
    words: ['--project', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runWatch } = await import('./watch-command.ts');
      return runWatch(args, io);
    },
  },
  {
    name: 'events',
    summary: 'prints the newest events of a flag, or of all flags and settings',
    help: helpOf('events [FLAG]', 'Prints the newest events of the audit log, the newest first.', [
      ['--project ID', 'only events of this project'],
      ['-n, --count COUNT', 'the number of events (default: 20, at most 1000)'],
    ]),
    words: ['--project', '--count', ...CONNECTION_WORDS],
    async run(args, io) {
      const { runEvents } = await import('./events-command.ts');
      return runEvents(args, io);
    },
  },
  {
    name: 'find-flags',
    summary: 'finds where the code in a folder uses flags, and sends that to the service',
    help: helpOf(
      'find-flags FOLDER',
      `Reads the code in a folder, and prints where it uses flags (path:line): calls of the SDKs of Unleash and OpenFeature, and texts in quotes that are
the name of a flag. Prints which names no flag has, and which flags the code does not use. In a work tree of git, ignored files are not read.

  burgee find-flags .
  burgee find-flags . --fail-on unknown,archived
  burgee find-flags . --send --repository acme/shop --link 'https://git.example.com/acme/shop/blob/{commit}/{path}#L{line}'`,
      [
        ['--fail-on STATES', 'ends with 3 if the code has such findings: unknown, archived, stale, unused'],
        ['--project ID', 'only flags of this project count as unused; several times for several projects'],
        ['--call FUNCTION', 'also calls of this function, for example your own wrapper; several times for several'],
        ['--calls-only', 'only calls, no other texts in quotes'],
        ['--ignore NAME', 'leaves out this name; several times for several names'],
        ['--send', 'sends the references to the service, where they replace those of the same repository'],
        ['--repository NAME', 'the name of the repository, for example acme/shop; required with --send'],
        ['--commit ID', 'the commit that is sent (default: that of the work tree)'],
        ['--branch NAME', 'the branch that is sent (default: that of the work tree)'],
        ['--link ADDRESS', 'the web address of a place, with {commit}, {branch}, {path} and {line}'],
      ],
    ),
    words: [
      '--fail-on',
      '--project',
      '--call',
      '--calls-only',
      '--ignore',
      '--send',
      '--repository',
      '--commit',
      '--branch',
      '--link',
      ...CONNECTION_WORDS,
    ],
    async run(args, io) {
      const { runFindFlags } = await import('../find-flags/find-flags-command.ts');
      return runFindFlags(args, io);
    },
  },
];
