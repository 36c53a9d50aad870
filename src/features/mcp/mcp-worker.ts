import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { InnerAnswer } from '../../http/inner-calls.ts';
import { OneMessage } from './one-message.ts';
import { protocolServer } from './protocol-server.ts';
import type { McpCall, McpReply, McpResult, McpTask, Port } from './thread-protocol.ts';
import type { Send } from './tools/api.ts';

/** The SDK reads requests of the web. It never uses this address. */
const ADDRESS = 'http://mcp.invalid/mcp';

/**
 * Answers one message of a client, in a separate thread: the SDK takes longer to load, and long results take longer to shorten, than the event loop may
 * be blocked.
 */
export default async function mcpTask({ message, headers, rights, port }: McpTask): Promise<McpResult> {
  try {
    const parsedBody = JSON.parse(message) as JSONRPCMessage;
    const send = sendOver(port);
    const newServer = () => protocolServer(send, rights);
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const request = new Request(ADDRESS, init);
    if (await isLegacyRequest(request, parsedBody))
      return await answerOlder(parsedBody, headers['mcp-protocol-version'], newServer);
    // Nothing here changes without a request, so there is nothing to subscribe to: `subscriptions/listen` would be a stream.
    const handler = createMcpHandler(newServer, { legacy: 'reject', maxSubscriptions: 0 });
    const response = await handler.fetch(request, { parsedBody });
    return { kind: 'answer', status: response.status, text: (await response.text()) || null };
  } finally {
    port.close();
  }
}

/** Answers a message of a revision before 2026-07-28, whose clients begin with `initialize` and then state the version in a header. */
async function answerOlder(
  message: JSONRPCMessage,
  version: string | undefined,
  newServer: () => Server,
): Promise<McpResult> {
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    return refused(`MCP-Protocol-Version must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`);
  // Without sessions, there is no earlier request that a notification could concern.
  if (isJSONRPCNotification(message)) return { kind: 'answer', status: 202, text: null };
  if (!isJSONRPCRequest(message)) return refused('The body must be one JSON-RPC request or notification.');
  const transport = new OneMessage();
  const server = newServer();
  await server.connect(transport);
  const answer = await transport.answerTo(message);
  await server.close();
  return { kind: 'answer', status: 200, text: JSON.stringify(answer) };
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
