import '../../src/http/front/fast/header-limit.ts';
import uWS from 'uWebSockets.js';

/**
 * The floor of requests with a body: a bare uWebSockets.js server that reads each body to its end and answers 202. Usage: `bare-reader <port> [parse]`. With
 * `parse` it gathers the body and parses its JSON, as every server has to that counts the content.
 */
const [, , port = '0', mode = ''] = process.argv;
let sink = 0;

const app = uWS.App();
app.get('/ready', (response) => {
  response.end('{}');
});
app.post('/*', (response) => {
  let gathered: Buffer | undefined;
  response.onAborted(() => {});
  response.onData((chunk, isLast) => {
    sink += chunk.byteLength;
    if (mode === 'parse') {
      const copy = Buffer.from(chunk.slice(0));
      gathered = gathered ? Buffer.concat([gathered, copy]) : copy;
      if (isLast) sink += Object.keys(JSON.parse(gathered.toString('utf8')) as object).length;
    }
    if (isLast) response.writeStatus('202 Accepted').endWithoutBody(0);
  });
});
app.listen('127.0.0.1', Number(port), (socket) => {
  if (!socket) process.exit(1);
});
process.on('SIGTERM', () => process.exit(sink === 0 ? 1 : 0));
