import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
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
  const server = protocolServer(sendOverHttp(connection), {
    writes: writesDirectly || values.write === true,
    writesDirectly,
  });
  const input = io.input?.() ?? process.stdin;
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    input.once('end', resolve);
    input.once('close', resolve);
    io.stop?.addEventListener('abort', () => resolve(), { once: true });
  });
  server.onerror = ({ message }) => io.err(`burgee mcp: ${message}\n`);
  await server.connect(new StdioServerTransport(input));
  await ended;
  await server.close();
  return 0;
}
