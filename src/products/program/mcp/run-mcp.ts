import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { protocolServer } from '../../../features/mcp/protocol-server.ts';
import { readArguments } from '../arguments.ts';
import type { ProgramIo } from '../subcommand.ts';
import { connectionOf } from '../terminal/connection.ts';
import { sendOverHttp } from './send-over-http.ts';

const FLAGS = {
  write: { type: 'boolean' },
  'write-directly': { type: 'boolean' },
  profile: { type: 'string' },
  url: { type: 'string' },
} as const;

/** Runs `burgee mcp` until standard input ends. Nothing else may write to standard output. @throws ProgramError */
export async function runMcp(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values } = readArguments(args, FLAGS);
  const connection = connectionOf(values, io);
  const writesDirectly = values['write-directly'] === true;
  const rights = { writes: writesDirectly || values.write === true, writesDirectly };
  const send = sendOverHttp(connection);
  const transport = new StdioServerTransport(io.input?.() ?? process.stdin, io.output?.() ?? process.stdout);
  const server = serveStdio(() => protocolServer(send, rights), {
    transport,
    // There is nothing to subscribe to, as at `/mcp`.
    maxSubscriptions: 0,
    onerror: ({ message }) => io.err(`burgee mcp: ${message}\n`),
  });
  const whenClosed = transport.onclose;
  // The transport closes when standard input ends, and when a message is too long.
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      whenClosed?.();
      resolve();
    };
    io.stop?.addEventListener('abort', () => resolve(), { once: true });
  });
  await ended;
  await server.close();
  return 0;
}
