import '../../src/http/front/fast/header-limit.ts';
import uWS, { type HttpResponse } from 'uWebSockets.js';

/**
 * The floor of streams: a bare uWebSockets.js server that keeps connections open and writes the body of each `POST /tell` to all of them. Started as its own
 * process: `bare-streams <port>`.
 */
const [, , port = '0'] = process.argv;
const connections = new Set<HttpResponse>();
/** The same as in the service: uWS closes a connection when nothing was written to it for ten seconds. */
const KEEP_ALIVE_MS = 5_000;
let wroteAtMs = 0;

const app = uWS.App();
app.get('/ready', (response) => {
  response.end('{}');
});
app.get('/stream', (response) => {
  connections.add(response);
  response.onAborted(() => connections.delete(response));
  response.writeHeader('content-type', 'text/event-stream; charset=utf-8');
  response.write('event: unleash-connected\n\n');
});
app.post('/tell', (response) => {
  response.onAborted(() => {});
  let body = Buffer.alloc(0);
  response.onData((chunk, isLast) => {
    body = Buffer.concat([body, Buffer.from(chunk)]);
    if (!isLast) return;
    // Not in this turn: uWS has only one cork, and the socket of this request uses it. Each write to another socket would be sent in four pieces.
    setImmediate(() => {
      writeToAll(body);
      response.cork(() => response.end('{}'));
    });
  });
});

function writeToAll(bytes: Uint8Array): void {
  wroteAtMs = performance.now();
  for (const connection of connections) connection.cork(() => connection.write(bytes));
}

setInterval(() => {
  if (performance.now() - wroteAtMs >= KEEP_ALIVE_MS) writeToAll(Buffer.from(':\n\n'));
}, KEEP_ALIVE_MS / 2);

app.listen('127.0.0.1', Number(port), (socket) => {
  if (!socket) process.exit(1);
});
process.on('SIGTERM', () => process.exit(0));
