import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { InnerAnswer } from '../../http/inner-calls.ts';
import { OneMessage } from './one-message.ts';
import { protocolServer } from './protocol-server.ts';
import type { McpCall, McpReply, McpResult, McpTask, Port } from './thread-protocol.ts';
import type { Send } from './tools/api.ts';

/**
 * Answers one message of a client, in a separate thread: the SDK takes longer to load, and long results take longer to shorten, than the event loop may
 * be blocked.
 */
export default async function mcpTask({ message, version, rights, port }: McpTask): Promise<McpResult> {
  try {
    const parsed = JSON.parse(message) as JSONRPCMessage;
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
      return refused(`MCP-Protocol-Version must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`);
    // Without sessions, there is no earlier request that a notification could concern.
    if (isJSONRPCNotification(parsed)) return { kind: 'answer', text: null };
    if (!isJSONRPCRequest(parsed)) return refused('The body must be one JSON-RPC request or notification.');
    const transport = new OneMessage();
    const server = protocolServer(sendOver(port), rights);
    await server.connect(transport);
    const answer = await transport.answerTo(parsed);
    await server.close();
    return { kind: 'answer', text: JSON.stringify(answer) };
  } finally {
    port.close();
  }
}

const refused = (reason: string): McpResult => ({ kind: 'refused', reason });

/** Sends requests to the main thread, which makes them in the name of the caller. */
function sendOver(port: Port): Send {
  const waiting = new Map<number, (answer: InnerAnswer) => void>();
  let lastId = 0;
  port.on('message', ({ id, answer }: McpReply) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return (request) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      port.postMessage({ id, request } satisfies McpCall);
    });
}
