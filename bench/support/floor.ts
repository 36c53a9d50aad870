import '../../src/http/front/fast/header-limit.ts';
import uWS, { type HttpResponse, type TemplatedApp } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * The floors, each a bare server in a process of its own (`startFloor` in floors.ts): `floor <port> <kind> [answer.json] [body file]`, where the JSON is
 * `{status, headers: [[name, value], …]}`.
 */
const [, , port = '0', kind = '', answerFile = '', bodyFile = ''] = process.argv;
let sink = 0;

/** The answer that `answers`, `answers-in-one` and `node` send to every request. */
function answer() {
  const { status, headers } = JSON.parse(readFileSync(answerFile, 'utf8')) as {
    readonly status: string;
    readonly headers: readonly (readonly [string, string])[];
  };
  return { status, headers, body: readFileSync(bodyFile) };
}

/** Writes the head header by header, as such servers usually do; or in one piece that was made before, as Burgee does it. */
function answers(app: TemplatedApp, isInOne: boolean): void {
  const { status, headers, body } = answer();
  const head = Buffer.from([status, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n'), 'latin1');
  const writeEach = (response: HttpResponse) => {
    response.writeStatus(status);
    for (const [name, value] of headers) response.writeHeader(name, value);
  };
  const writeHead = isInOne ? (response: HttpResponse) => void response.writeStatus(head) : writeEach;
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
}

/** Reads each body to its end and answers 202. To parse its JSON, it gathers the body, as every server has to that counts the content. */
function reads(app: TemplatedApp, parses: boolean): void {
  app.post('/*', (response) => {
    let gathered: Buffer | undefined;
    response.onAborted(() => {});
    response.onData((chunk, isLast) => {
      sink += chunk.byteLength;
      if (parses) {
        const copy = Buffer.from(chunk.slice(0));
        gathered = gathered ? Buffer.concat([gathered, copy]) : copy;
        if (isLast) sink += Object.keys(JSON.parse(gathered.toString('utf8')) as object).length;
      }
      if (isLast) response.writeStatus('202 Accepted').endWithoutBody(0);
    });
  });
}

/** The same as in the service: uWS closes a connection when nothing was written to it for ten seconds. */
const KEEP_ALIVE_MS = 5_000;

/** Keeps connections open, and writes the body of each `POST /tell` to all of them. */
function streams(app: TemplatedApp): void {
  const connections = new Set<HttpResponse>();
  let wroteAtMs = 0;
  const writeToAll = (bytes: Uint8Array) => {
    wroteAtMs = performance.now();
    for (const connection of connections) connection.cork(() => connection.write(bytes));
  };
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
  setInterval(() => {
    if (performance.now() - wroteAtMs >= KEEP_ALIVE_MS) writeToAll(Buffer.from(':\n\n'));
  }, KEEP_ALIVE_MS / 2);
}

/** The floor of the Node front. */
function nodeAnswers(): void {
  const { status, headers, body } = answer();
  const fields: Record<string, string | number> = Object.fromEntries(headers);
  if (body.byteLength > 0) fields['content-length'] = body.byteLength;
  const server = createServer({ keepAliveTimeout: 61_000, noDelay: true }, (request, response) => {
    if (request.url === '/ready') {
      response.end('{}');
      return;
    }
    response.writeHead(Number(status.slice(0, 3)), fields);
    if (body.byteLength > 0) response.end(body);
    else response.end();
  });
  server.listen(Number(port), '127.0.0.1');
}

process.on('SIGTERM', () => process.exit(kind === 'reads' && sink === 0 ? 1 : 0));
if (kind === 'node') nodeAnswers();
else {
  const app = uWS.App();
  app.get('/ready', (response) => {
    response.end('{}');
  });
  if (kind === 'streams') streams(app);
  else if (kind === 'reads' || kind === 'parses') reads(app, kind === 'parses');
  else answers(app, kind === 'answers-in-one');
  app.listen('127.0.0.1', Number(port), (socket) => {
    if (!socket) process.exit(1);
  });
}
