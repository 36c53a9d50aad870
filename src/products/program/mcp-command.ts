import type { Subcommand } from './subcommand.ts';

const HELP = `burgee mcp [--write] [--write-directly] [--profile NAME] [--url URL]

Serves the Model Context Protocol on standard input and output, for agents: tools to search and explain flags, read their history and preview
changes. Talks to a running Burgee or Unleash with the rights of your token, and no more (docs/extend/mcp.md).

  --write            also tools that create flags and add changes to change requests
  --write-directly   also changes environments that need no review, without a change request; includes --write
  --profile NAME     a profile that burgee login has stored (default: the profile "default", or the only one)
  --url URL          the service, without /api, instead of the profile's

BURGEE_URL and BURGEE_TOKEN replace the address and the token of the profile: use a personal token. Runs until standard input ends.
`;

/** `burgee mcp`. */
export const mcpCommand: Subcommand = {
  name: 'mcp',
  summary: 'serves the Model Context Protocol for agents, on standard input and output',
  help: HELP,
  words: ['--write', '--write-directly', '--profile', '--url'],
  async run(args, io) {
    const { runMcp } = await import('./mcp/run-mcp.ts');
    return runMcp(args, io);
  },
};
