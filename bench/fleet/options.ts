import { parseArgs } from 'node:util';

/** Every option of `fleet`: the help text and the parser derive from it. Numbers have a range. */
const OPTIONS = {
  url: {
    value: 'URL',
    default: '',
    text: 'Instance to poll. Without it, an instance with its own flags is started, and stopped at the end.',
  },
  token: { value: 'TOKEN', default: '', text: 'Client token the fleet polls with. Needed with --url.' },
  'admin-token': {
    value: 'TOKEN',
    default: '',
    text: 'Admin token to change a flag with. Needed with --url to change.',
  },
  clients: {
    value: 'N',
    default: '200',
    text: 'SDKs to simulate, each with a connection of its own.',
    range: [1, 50_000],
  },
  interval: { value: 'SECONDS', default: '5', text: 'Time between two polls of an SDK.', range: [0.01, 3600] },
  jitter: { value: 'SHARE', default: '0.1', text: 'Random deviation of an interval, as a share of it.', range: [0, 1] },
  duration: {
    value: 'SECONDS',
    default: '10',
    text: 'How long to measure, after all SDKs have the list.',
    range: [1, 86_400],
  },
  'changes-per-second': {
    value: 'N',
    default: '0.2',
    text: 'Changes of one flag a second; 0 for none.',
    range: [0, 1000],
  },
  project: {
    value: 'ID',
    default: 'default',
    text: 'Project the changing flag is created in, and deleted from at the end.',
  },
  environment: { value: 'NAME', default: '', text: 'Environment it changes in. Without it: that of --token.' },
  encoding: { value: 'NAME', default: 'gzip', text: 'What the SDKs accept: gzip or identity.' },
  flags: {
    value: 'N',
    default: '500',
    text: 'Flags of the instance that is started without --url.',
    range: [1, 200_000],
  },
  json: { value: 'FILE', default: '', text: 'Also writes the result to this file, as JSON.' },
} as const satisfies Record<
  string,
  { value: string; default: string; text: string; range?: readonly [least: number, most: number] }
>;

type Name = keyof typeof OPTIONS;

export interface FleetOptions {
  /** Address of the instance; "" if the command starts its own instance. */
  readonly url: string;
  readonly token: string;
  readonly adminToken: string;
  readonly clients: number;
  readonly intervalMs: number;
  readonly jitter: number;
  readonly durationMs: number;
  readonly changesPerS: number;
  readonly project: string;
  readonly environment: string;
  readonly encoding: 'gzip' | 'identity';
  readonly flags: number;
  /** The file for the result as JSON; "" if no file is written. */
  readonly jsonFile: string;
}

/** An option has a wrong value, or contradicts another option. The message is for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

export function helpText(): string {
  const rows = Object.entries(OPTIONS).map(([name, option]) => [`--${name} ${option.value}`, option] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(
    ([left, option]) => `  ${left.padEnd(width)}  ${option.text}${option.default === '' ? '' : ` (${option.default})`}`,
  );
  return `Polls an instance as a fleet of SDKs does: with ETags, at an interval, over keep-alive connections, while a flag changes.
Prints requests and bytes a second, the share of 304, latencies, and how long changes took to reach the fleet.

  burgee bench [options]       or, in a checkout,       npm run bench -- fleet [options]

${lines.join('\n')}
  ${'--help'.padEnd(width)}  This text.

With --url and changes, a flag named burgee-fleet-… is created in --project, switched on and off in --environment, and deleted again.
`;
}

/** The options of the command line; null if it requests the help text. @throws OptionError */
export function readOptions(args: readonly string[]): FleetOptions | null {
  const values = parse(args);
  if (values.get('help') === true) return null;
  const text = (name: Name) => String(values.get(name) ?? OPTIONS[name].default);
  const options: FleetOptions = {
    url: text('url').replace(/\/+$/, ''),
    token: text('token'),
    adminToken: text('admin-token'),
    clients: number('clients', text('clients'), true),
    intervalMs: number('interval', text('interval')) * 1000,
    jitter: number('jitter', text('jitter')),
    durationMs: number('duration', text('duration')) * 1000,
    changesPerS: number('changes-per-second', text('changes-per-second')),
    project: text('project'),
    environment: text('environment') || environmentOf(text('token')),
    encoding: encoding(text('encoding')),
    flags: number('flags', text('flags'), true),
    jsonFile: text('json'),
  };
  return options.url === '' ? own(options, values) : foreign(options, values);
}

function parse(args: readonly string[]): Map<string, unknown> {
  const known = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...known, help: { type: 'boolean' } }, strict: true });
    return new Map(Object.entries(values));
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

function number(
  name: 'clients' | 'interval' | 'jitter' | 'duration' | 'changes-per-second' | 'flags',
  text: string,
  whole = false,
): number {
  const [least, most] = OPTIONS[name].range;
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most) || (whole && !Number.isInteger(value)))
    throw new OptionError(`--${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not "${text}"`);
  return value;
}

function encoding(text: string): 'gzip' | 'identity' {
  if (text === 'gzip' || text === 'identity') return text;
  throw new OptionError(`--encoding must be gzip or identity, not "${text}"`);
}

/** The environment in a token of the form `project:environment.secret`; "" for a token of another form. */
function environmentOf(token: string): string {
  return /^[^:]*:([^.*]+)\./.exec(token)?.[1] ?? '';
}

function own(options: FleetOptions, given: ReadonlyMap<string, unknown>): FleetOptions {
  for (const name of ['token', 'admin-token', 'project', 'environment'])
    if (given.has(name)) throw new OptionError(`--${name} means nothing without --url`);
  return options;
}

function foreign(options: FleetOptions, given: ReadonlyMap<string, unknown>): FleetOptions {
  if (!URL.canParse(options.url) || !/^https?:/.test(options.url))
    throw new OptionError(`--url must begin with http:// or https://, not "${options.url}"`);
  if (given.has('flags')) throw new OptionError('--flags means nothing with --url: the instance has its own');
  for (const name of ['token', 'admin-token'] as const) {
    const token = String(given.get(name) ?? '');
    // A line break would add another header.
    if (!/^[\x21-\x7e]*$/.test(token)) throw new OptionError(`--${name} holds characters that no token has`);
  }
  if (options.token === '') throw new OptionError('--url needs --token, a client token of that instance');
  if (options.changesPerS === 0) return options;
  if (options.adminToken !== '') {
    if (options.environment === '') throw new OptionError('--token names no environment; say which with --environment');
    return options;
  }
  if (given.has('changes-per-second'))
    throw new OptionError('--changes-per-second needs --admin-token, to change a flag of that instance with');
  return { ...options, changesPerS: 0 };
}
