import '../../src/http/front/fast/header-limit.ts';
import uWS, { type HttpResponse } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';

/**
 * The floor: a bare uWebSockets.js server that sends the same answer to every request. Started as its own process: `bare-server <port> <answer.json> <body
 * file> [in-one]`, where the JSON is `{status, headers: [[name, value], …]}`. The head is written header by header, as such servers usually do; with
 * `in-one` it is written as bytes that were made before, as Burgee does it.
 */
const [, , port = '0', answerFile = '', bodyFile = '', way = ''] = process.argv;
const { status, headers } = JSON.parse(readFileSync(answerFile, 'utf8')) as {
  status: string;
  headers: [string, string][];
};
const body = readFileSync(bodyFile);
const head = Buffer.from([status, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n'), 'latin1');

function writeEach(response: HttpResponse): void {
  response.writeStatus(status);
  for (const [name, value] of headers) response.writeHeader(name, value);
}

function writeInOne(response: HttpResponse): void {
  response.writeStatus(head);
}

const writeHead = way === 'in-one' ? writeInOne : writeEach;
const app = uWS.App();
app.get('/ready', (response) => {
  response.end('{}');
});
app.get('/*', (response) => {
  writeHead(response);
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
