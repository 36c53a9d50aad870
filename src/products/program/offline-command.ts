import { flagVariables } from '../relay/edge-flags.ts';
import { flagWords, optionsHelp } from '../relay/edge-help.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee offline --bootstrap-file FILE --client-tokens TOKENS [--frontend-tokens TOKENS]

Serves the flags of a file, to backend and frontend SDKs, for development and tests. Nothing is stored, and there is no admin API.

  echo '{"checkout": {"enabled": true, "variant": "blue"}}' > flags.json
  burgee offline --bootstrap-file flags.json --client-tokens dev --frontend-tokens web --reload-interval 1

${optionsHelp('offline')}

Each flag may also be set by its variable; other options of burgee serve are variables. See docs/reach/offline.md and docs/move-in/from-edge.md.
`;

/** `burgee offline`. */
export const offlineCommand: Subcommand = {
  name: 'offline',
  summary: 'serves the flags of a file, for development and tests',
  help: HELP,
  words: flagWords('offline'),
  async run(args, { environment }) {
    const variables = flagVariables(args, 'offline');
    const { serveOffline } = await import('../offline/serve.ts');
    await serveOffline({ ...environment, ...variables });
    return undefined;
  },
};
