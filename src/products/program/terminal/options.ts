/** An option with a value, which the help calls `value`. */
const text = (value: string, meaning: string) => ({ type: 'string', value, meaning }) as const;
/** The same, with a letter as its short form. */
const short = <const Letter extends string>(letter: Letter, value: string, meaning: string) =>
  ({ type: 'string', short: letter, value, meaning }) as const;
/** An option that may be repeated. */
const texts = (value: string, meaning: string) => ({ type: 'string', multiple: true, value, meaning }) as const;
const flag = (meaning: string) => ({ type: 'boolean', meaning }) as const;

const PROFILE = 'a profile that burgee login has stored (default: the profile "default", or the only one)';

/** The options of commands that use a service. */
const CONNECTION = {
  profile: text('NAME', PROFILE),
  url: text('URL', "the service, without /api, instead of the profile's"),
  json: flag("prints the API's JSON"),
} as const;

const PROJECT_OF_FLAG = text('ID', 'the project of the flag; without it, the project is found by the name of the flag');

const SWITCH = {
  environment: short('e', 'NAME', 'required'),
  project: PROJECT_OF_FLAG,
  'change-request': text('TITLE', 'creates a change request with this change, and sends it to review'),
  ...CONNECTION,
} as const;

/** The options of each command for people, in the order of its help: they are parsed, explained and offered by shells as stated here. */
export const OPTIONS = {
  login: {
    profile: text('NAME', 'the name of the profile (default: "default")'),
    json: flag("prints the API's JSON about the user"),
  },
  profiles: {
    remove: text('NAME', 'deletes the profile and its token from the file; the token stays valid'),
    json: flag('prints one JSON object for each profile'),
  },
  flags: {
    project: text('ID', 'only flags of this project'),
    search: text('TEXT', 'only flags whose name, description or tag contains the text'),
    environment: short('e', 'NAME', 'only flags that are on in this environment'),
    stale: flag('only stale flags'),
    archived: flag('only archived flags'),
    count: short('n', 'COUNT', 'at most so many flags (default: 1000)'),
    ...CONNECTION,
  },
  flag: { project: PROJECT_OF_FLAG, ...CONNECTION },
  on: SWITCH,
  off: SWITCH,
  preview: {
    environment: short('e', 'NAME', 'required'),
    project: PROJECT_OF_FLAG,
    changes: text('FILE', 'the changes, instead of on or off'),
    contexts: text('FILE', 'contexts as a JSON list (without any option for contexts: 1,000 made-up users)'),
    set: texts('ID', 'contexts of a saved context set; several times for several sets'),
    'legal-values': texts('FIELD', 'every legal value of a context field; several times for combinations'),
    'made-up': text('COUNT', 'so many made-up users'),
    count: short('n', 'COUNT', 'the number of examples of each kind (default: 3, at most 20)'),
    ...CONNECTION,
  },
  history: {
    project: text(
      'ID',
      'the history of a project; with FLAG, the project of the flag (needed if the flag was deleted)',
    ),
    environment: short('e', 'NAME', 'the history of an environment, with the settings of flags in it'),
    segment: text('ID', 'the history of a segment'),
    before: text('REVISION', 'only older commits'),
    whole: flag('prints all fields and whole values; without it, long ones are cut'),
    count: short('n', 'COUNT', 'the number of commits (default: 20, at most 1000)'),
    ...CONNECTION,
  },
  undo: {
    flag: texts('NAME', 'undo only the changes of this flag; several times for several flags'),
    segment: texts('ID', 'undo only the changes of this segment; several times for several segments'),
    object: texts('TYPE:ID', 'undo only the changes of this object, such as tag-type:team; several times for several'),
    environment: {
      ...texts('NAME', 'of flags, undo only settings in this environment; several times for several'),
      short: 'e',
    },
    'change-request': text(
      'TITLE',
      'creates a change request with the undo in one environment (-e), and sends it to review',
    ),
    'dry-run': flag(
      'checks the undo and prints how results of flags in one environment (-e) would change; undoes nothing',
    ),
    ...CONNECTION,
  },
  watch: { project: text('ID', 'only changes of this project'), ...CONNECTION },
  events: {
    project: text('ID', 'only events of this project'),
    count: short('n', 'COUNT', 'the number of events (default: 20, at most 1000)'),
    ...CONNECTION,
  },
  'find-flags': {
    'fail-on': texts('STATES', 'ends with 3 if the code has such findings: unknown, archived, stale, unused'),
    project: texts('ID', 'only flags of this project count as unused; several times for several projects'),
    call: texts('FUNCTION', 'also calls of this function, for example your own wrapper; several times for several'),
    'calls-only': flag('only calls, no other texts in quotes'),
    ignore: texts('NAME', 'leaves out this name; several times for several names'),
    send: flag('sends the references to the service, where they replace those of the same repository'),
    repository: text('NAME', 'the name of the repository, for example acme/shop; required with --send'),
    commit: text('ID', 'the commit that is sent (default: that of the work tree)'),
    branch: text('NAME', 'the branch that is sent (default: that of the work tree)'),
    link: text('ADDRESS', 'the web address of a place, with {commit}, {branch}, {path} and {line}'),
    ...CONNECTION,
  },
} as const;

type Options = Readonly<Record<string, { readonly short?: string; readonly value?: string; readonly meaning: string }>>;

/** The lines of the options in the help of their command. `gap`: blanks between an option and its meaning. */
export function optionsHelp(options: Options, gap = 2): string {
  const lines = Object.entries(options).map(([name, { short: letter, value, meaning }]) => {
    const option = `${letter === undefined ? '' : `-${letter}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return [option, meaning] as const;
  });
  const width = Math.max(...lines.map(([option]) => option.length)) + gap;
  return lines.map(([option, meaning]) => `  ${option.padEnd(width)}${meaning}\n`).join('');
}
