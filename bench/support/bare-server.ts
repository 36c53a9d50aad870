import '../../src/http/header-limit.ts';
import uWS from 'uWebSockets.js';
import { readFileSync } from 'node:fs';

/**
 * The floor: a bare uWebSockets.js server that sends one answer, whatever is asked. Started as a process of its own:
 * `bare-server <port> <answer.json> <body file>`, where the JSON is `{status, headers: [[name, value], …]}`.
 */
const [, , port = '0', answerFile = '', bodyFile = ''] = process.argv;
const { status, headers } = JSON.parse(readFileSync(answerFile, 'utf8')) as {
  status: string;
  headers: [string, string][];
};
const body = readFileSync(bodyFile);

const app = uWS.App();
app.get('/ready', (response) => {
  response.end('{}');
});
app.get('/*', (response) => {
  response.writeStatus(status);
  for (const [name, value] of headers) response.writeHeader(name, value);
  if (body.byteLength === 0) {
    response.endWithoutBody();
    return;
  }
  const startOffset = response.getWriteOffset();
  const [sent, finished] = response.tryEnd(body, body.byteLength);
  if (sent || finished) return;
  response.onAborted(() => {});
  response.onWritable((offset) => response.tryEnd(body.subarray(offset - startOffset), body.byteLength)[0]);
});
app.listen('127.0.0.1', Number(port), (socket) => {
  if (!socket) process.exit(1);
});
process.on('SIGTERM', () => process.exit(0));
