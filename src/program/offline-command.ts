import { readArguments } from './arguments.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee offline --bootstrap-file FILE --client-tokens TOKENS [--frontend-tokens TOKENS] [--reload-interval SECONDS] [--port PORT]

Serves the flags of a file, to backend and frontend SDKs, for development and tests. Nothing is kept, and there is no admin API.

  -b, --bootstrap-file FILE       what GET /api/client/features answers, an export of flags, or
                                  {"<flag>": {"enabled": true, "variant": "<name>"}}   (BOOTSTRAP_FILE)
  -c, --client-tokens TOKENS      with which backend SDKs may call, comma-separated: project:environment.secret, or any
                                  text for all projects   (CLIENT_TOKENS)
  -f, --frontend-tokens TOKENS    with which frontend SDKs may call   (FRONTEND_TOKENS)
  -r, --reload-interval SECONDS   looks every so many seconds whether the file has changed; a damaged one changes nothing
                                  (RELOAD_INTERVAL)
  -p, --port PORT                 3063 without it   (HTTP_PORT, PORT)

Every other option is an environment variable, as of burgee serve. Edge's flags and variables mean here what docs/from-edge.md says.

  echo '{"checkout": {"enabled": true, "variant": "blue"}}' > flags.json
  burgee offline --bootstrap-file flags.json --client-tokens dev --frontend-tokens web --reload-interval 1
`;

const FLAGS = {
  'bootstrap-file': { type: 'string', short: 'b' },
  'client-tokens': { type: 'string', short: 'c', multiple: true },
  'frontend-tokens': { type: 'string', short: 'f', multiple: true },
  tokens: { type: 'string', short: 't', multiple: true },
  'reload-interval': { type: 'string', short: 'r' },
  port: { type: 'string', short: 'p' },
} as const;

/** `burgee offline`. */
export const offlineCommand: Subcommand = {
  name: 'offline',
  summary: 'serves the flags of a file, for development and tests',
  help: HELP,
  words: Object.keys(FLAGS).map((flag) => `--${flag}`),
  async run(args, { environment }) {
    const { values } = readArguments(args, FLAGS);
    const { serveOffline } = await import('../serve-offline.ts');
    await serveOffline({ HTTP_PORT: environment.PORT || '3063', ...environment, ...variablesOf(values) });
    return undefined;
  },
};

function variablesOf(values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>) {
  const variables: Record<string, string> = {};
  for (const [flag, value] of Object.entries(values)) {
    const name = flag === 'port' ? 'HTTP_PORT' : flag.toUpperCase().replaceAll('-', '_');
    if (value !== undefined) variables[name] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return variables;
}
