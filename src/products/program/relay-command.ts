import { flagVariables } from '../relay/edge-flags.ts';
import { flagWords, optionsHelp } from '../relay/edge-help.ts';
import type { Subcommand } from './subcommand.ts';

const HELP = `burgee relay --upstream-url URL [--tokens TOKENS] [--backup-folder FOLDER]

Runs between SDKs and an upstream service (an Unleash, a Burgee, an Edge, another relay): it serves the upstream's flags, also while the upstream is
not available. It accepts the flags and variables of Unleash Edge. burgee edge is the same.

  burgee relay --upstream-url https://flags.example.com --tokens '*:production.secret' --backup-folder /var/lib/burgee-relay

${optionsHelp('edge')}

Each flag may also be set by its variable; other options of burgee serve are variables. See docs/move-in/from-edge.md.
`;

/** `burgee relay`. */
export const relayCommand: Subcommand = {
  name: 'relay',
  summary: 'serves the flags of an upstream service, also while it is not available',
  help: HELP,
  words: flagWords('edge'),
  async run(args, { environment }) {
    const variables = flagVariables(args, 'edge');
    const { serveRelay } = await import('../relay/serve.ts');
    await serveRelay({ ...environment, ...variables });
    return undefined;
  },
};
