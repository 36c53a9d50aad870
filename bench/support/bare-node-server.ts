import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * The floor of the Node front: a bare `node:http` server that sends the same answer to every request. Started as its own process:
 * `bare-node-server <port> <answer.json> <body file>`, where the JSON is `{status, headers: [[name, value], …]}`.
 */
const [, , port = '0', answerFile = '', bodyFile = ''] = process.argv;
const { status, headers } = JSON.parse(readFileSync(answerFile, 'utf8')) as {
  status: string;
  headers: [string, string][];
};
const body = readFileSync(bodyFile);
const code = Number(status.slice(0, 3));
const fields: Record<string, string | number> = Object.fromEntries(headers);
if (body.byteLength > 0) fields['content-length'] = body.byteLength;

const server = createServer({ keepAliveTimeout: 61_000, noDelay: true }, (request, response) => {
  if (request.url === '/ready') {
    response.end('{}');
    return;
  }
  response.writeHead(code, fields);
  if (body.byteLength > 0) response.end(body);
  else response.end();
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
