import { readArguments, wordsOf } from './arguments.ts';
import { type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee demo [--port PORT] [--host ADDRESS]

Serves an instance with example data, to look at: projects, flags, people, change requests, SDKs that poll and report, and a rollout under way. All
data is in memory and is lost at the end. It prints its address and a new password.

  --port PORT      (4242, or HTTP_PORT; 0: a free port)
  --host ADDRESS   (127.0.0.1, so that only this machine can use it)
`;

const PORT_MAX = 65_535;
const FLAGS = { port: { type: 'string', short: 'p' }, host: { type: 'string' } } as const;

/** `burgee demo`. */
export const demoCommand: Subcommand = {
  name: 'demo',
  summary: 'serves an instance with example data, in memory',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, io) {
    const { port, host = '127.0.0.1' } = readArguments(args, FLAGS).values;
    const { HTTP_PORT, PORT } = io.environment;
    const text = port ?? HTTP_PORT ?? PORT ?? '4242';
    if (!/^\d{1,5}$/.test(text) || Number(text) > PORT_MAX)
      throw new UsageError(`--port must be a number from 0 to ${PORT_MAX}, not "${text}"`);
    const { serveDemo } = await import('../demo/serve.ts');
    return await serveDemo({ host, port: Number(text) }, io);
  },
};
