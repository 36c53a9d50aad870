import Type from 'typebox';
import { invalid, notAllowed, Rejection } from '../../base/rejection.ts';
import { okText } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { ErrorBody, errorBody } from '../../http/errors.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';

const route = routesOf('MCP');

/** JSON has no larger integers that every client reads exactly. */
const ID_MAX = Number.MAX_SAFE_INTEGER;

const JsonRpc = Type.Literal('2.0', { description: 'Version of JSON-RPC' });

const Message = Type.Object(
  {
    jsonrpc: JsonRpc,
    id: Type.Optional(
      Type.Union([Type.String({ maxLength: 200 }), Type.Integer({ minimum: -ID_MAX, maximum: ID_MAX })], {
        description: 'Identifies the request; its answer has the same id. Missing in notifications',
      }),
    ),
    method: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Such as `initialize`, `tools/list`, `tools/call`',
    }),
    params: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Parameters of the method' })),
  },
  { $id: 'mcpMessage', description: 'One JSON-RPC request or notification of the Model Context Protocol' },
);

const MessageAnswer = Type.Object(
  {
    jsonrpc: JsonRpc,
    id: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
      description: 'The id of the request; null if the message has none that can be repeated',
    }),
    result: Type.Optional(Type.Unknown({ description: 'The result of the method' })),
    error: Type.Optional(Type.Unknown({ description: 'Why the method has no result: `code` and `message`' })),
  },
  { $id: 'mcpAnswer', description: 'One JSON-RPC response' },
);

const WRONG_CREDENTIAL = invalid(
  'MCP needs a personal access token, or a token of a service account, in the authorization header. Sessions and API tokens are not accepted.',
);
const FOREIGN_ORIGIN = notAllowed('Pages of other origins may not use MCP. Clients that are no pages send no Origin.');

const callMcp = route('POST /mcp', 'callMcp', {
  access: { permission: 'READ' },
  summary: 'Answers one message of an MCP client (Model Context Protocol, streamable HTTP)',
  description:
    'Without sessions: every request is complete in itself and is answered with JSON, in revision 2026-07-28 of the protocol and in older ones. Tools ' +
    'read, and with `MCP_WRITE=true` also write, with the rights of the token and no more (docs/extend/mcp.md).',
  body: Message,
  responses: {
    200: { description: 'The response to a request', schema: MessageAnswer },
    202: { description: 'A notification was accepted' },
    400: {
      description:
        'The request is not valid. From revision 2026-07-28 on, the error of a message is a JSON-RPC response',
      schema: Type.Union([MessageAnswer, ErrorBody]),
    },
    404: { description: 'From revision 2026-07-28 on: there is no such method', schema: MessageAnswer },
  },
  errors: [404, 429],
  async handle(request, services) {
    const { body, caller, asker } = request;
    const authorization = request.header('authorization') ?? '';
    if (caller.proof?.collection !== 'personalTokens' || authorization === '') return WRONG_CREDENTIAL;
    if (!isOwnOrigin(request, services)) return FOREIGN_ORIGIN;
    const { mcp, config } = services;
    const { remoteAddress, isTls } = request;
    const sender = { authorization, remoteAddress, isTls, asker };
    const task = {
      message: JSON.stringify(body),
      headers: protocolHeadersOf(request),
      rights: { writes: config.mcpWrite || config.mcpWriteDirectly, writesDirectly: config.mcpWriteDirectly },
    };
    const { innerCalls } = services.http();
    const result = await mcp.run(task, asker, (inner) => innerCalls.call(inner, sender));
    if (result instanceof Rejection) return result;
    if (result.kind === 'refused') return invalid(result.reason);
    const { status, text } = result;
    return text === null ? { status } : { ...okText(text), status };
  },
});

/** The headers with which a client states its revision and, from 2026-07-28 on, what its message contains. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

function protocolHeadersOf({ header }: Pick<HandlerRequest<never, never, never>, 'header'>): Record<string, string> {
  const stated = PROTOCOL_HEADERS.map((name) => [name, header(name)] as const);
  return Object.fromEntries(stated.filter((each): each is [string, string] => each[1] !== undefined));
}

/** A page of another origin could use a token that it has got, from the network of its reader. */
function isOwnOrigin(
  request: Pick<HandlerRequest<never, never, never>, 'header' | 'isTls'>,
  { config }: Services,
): boolean {
  const origin = request.header('origin');
  if (origin === undefined) return true;
  const own = config.serviceUrl || `${request.isTls ? 'https' : 'http'}://${request.header('host') ?? ''}`;
  return URL.canParse(own) && origin === new URL(own).origin;
}

const NO_STREAM = new Rejection(
  'MethodNotAllowedError',
  'This MCP server sends no stream of messages. Send messages with POST.',
);

const refuseStream = route('GET /mcp', 'getMcp', {
  access: { permission: 'READ' },
  summary: 'Answers 405: this MCP server has no stream of messages to the client',
  responses: {},
  errors: [405],
  handle: () => ({ status: 405, headers: { allow: 'POST' }, body: errorBody(NO_STREAM) }),
});

export const mcpEndpoints = [callMcp, refuseStream];
