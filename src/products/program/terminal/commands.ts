import { wordsOf } from '../arguments.ts';
import type { ProgramIo, Subcommand } from '../subcommand.ts';
import { OPTIONS, optionsHelp } from './options.ts';

const NOTES = `BURGEE_URL and BURGEE_TOKEN replace the address and the token of the profile. The token of a profile is sent only to its own address.
Exit code 0: done. 1: refused, or not found. 2: wrong usage.
`;

/** The help of a command that uses a service, and the words that shells offer after its name. */
function describe(name: keyof typeof OPTIONS, usage: string, text: string, verbs: readonly string[] = []) {
  const options = OPTIONS[name];
  const help = `burgee ${usage} [options]\n\n${text}\n\n${optionsHelp(options)}\n${NOTES}`;
  return { name, help, words: [...verbs, ...wordsOf(options)] };
}

const SWITCH_HELP = `Prints the settings that result, and the revision. If changes in the environment need a review, the command says so and changes nothing.`;
const ON_HELP = `A flag without an enabled strategy gets the project's default strategy.`;
const OFF_HELP = 'The flag keeps its strategies for the next time that it is switched on.';

function switching(name: 'on' | 'off'): Subcommand {
  return {
    summary: `switches a flag ${name} in an environment`,
    ...describe(
      name,
      `${name} FLAG --environment NAME`,
      `Switches a flag ${name} in one environment.\n\n${SWITCH_HELP}\n${name === 'on' ? ON_HELP : OFF_HELP}`,
    ),
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

${optionsHelp(OPTIONS.login, 3)}`,
    words: wordsOf(OPTIONS.login),
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

${optionsHelp(OPTIONS.profiles, 3)}`,
    words: wordsOf(OPTIONS.profiles),
    async run(args, io) {
      const { runProfiles } = await import('./login-command.ts');
      return runProfiles(args, io);
    },
  },
  {
    summary: 'lists flags and the environments in which they are on',
    ...describe('flags', 'flags', 'Lists flags by name, with their state and the environments in which they are on.'),
    async run(args, io) {
      const { runFlags } = await import('./flags-command.ts');
      return runFlags(args, io);
    },
  },
  {
    summary: 'prints the settings of a flag in each environment',
    ...describe(
      'flag',
      'flag FLAG',
      'Prints for which contexts the flag is on, in each environment, with variants, tags and dependencies.',
    ),
    async run(args, io) {
      const { runFlag } = await import('./flag-command.ts');
      return runFlag(args, io);
    },
  },
  switching('on'),
  switching('off'),
  {
    summary: 'prints what would change if a flag was switched or its rules were changed',
    ...describe(
      'preview',
      'preview FLAG on|off --environment NAME',
      `Evaluates contexts before and after the changes, and prints how many results would differ. Nothing is changed. --changes FILE replaces on and off: a
JSON list of changes as POST /api/admin/preview accepts them. A change in it concerns FLAG, unless it names another flag or a segment.

  burgee preview checkout on -e production
  burgee preview checkout --changes changes.json -e production --set 3`,
      ['on', 'off'],
    ),
    async run(args, io) {
      const { runPreview } = await import('./preview-command.ts');
      return runPreview(args, io);
    },
  },
  {
    summary: 'prints the changes of a flag, a project, an environment, a segment, or of everything, field by field',
    ...describe(
      'history',
      'history [FLAG]',
      `Prints each commit, the newest first: its revision, author and reason, and each changed field with its value before and after. The history of a
flag contains the changes of the segments that it used. burgee undo undoes a revision.`,
    ),
    async run(args, io) {
      const { runHistory } = await import('./history-command.ts');
      return runHistory(args, io);
    },
  },
  {
    summary: 'undoes the changes of a revision in a new commit',
    ...describe(
      'undo',
      'undo REVISION',
      `Gives each field that the commit changed its earlier value, in a new commit. Other fields stay. If one of the fields was changed again, nothing is
undone, and the command prints these fields with their current values. burgee history prints revisions.

  burgee undo 4711 --flag checkout
  burgee undo 4711 -e production --change-request 'Back to 25 %'`,
    ),
    async run(args, io) {
      const { runUndo } = await import('./undo-command.ts');
      return runUndo(args, io);
    },
  },
  {
    summary: 'prints each change as it happens',
    ...describe(
      'watch',
      'watch',
      `Prints a line for each commit: the time, the author, the changed entities and the environments. Continues after a loss of the connection, and
prints the changes of the time in between. If the service does not keep them any more, it says so. Ctrl-C stops it.`,
    ),
    async run(args, io) {
      const { runWatch } = await import('./watch-command.ts');
      return runWatch(args, io);
    },
  },
  {
    summary: 'prints the newest events of a flag, or of all flags and settings',
    ...describe('events', 'events [FLAG]', 'Prints the newest events of the audit log, the newest first.'),
    async run(args, io) {
      const { runEvents } = await import('./events-command.ts');
      return runEvents(args, io);
    },
  },
  {
    summary: 'finds where the code in a folder uses flags, and sends that to the service',
    ...describe(
      'find-flags',
      'find-flags FOLDER',
      `Reads the code in a folder, and prints where it uses flags (path:line): calls of the SDKs of Unleash and OpenFeature, and texts in quotes that are
the name of a flag. Prints which names no flag has, and which flags the code does not use. In a work tree of git, ignored files are not read.

  burgee find-flags .
  burgee find-flags . --fail-on unknown,archived
  burgee find-flags . --send --repository acme/shop --link 'https://git.example.com/acme/shop/blob/{commit}/{path}#L{line}'`,
    ),
    async run(args, io) {
      const { runFindFlags } = await import('../find-flags/find-flags-command.ts');
      return runFindFlags(args, io);
    },
  },
];
