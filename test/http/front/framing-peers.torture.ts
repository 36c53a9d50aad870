import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkedBodies } from '../../support/http/chunked-bodies.ts';
import {
  Counts,
  FRAMED_ROUTES,
  type FramedRoute,
  LARGE,
  startFramingServer,
} from '../../support/http/framing-server.ts';
import { FRONTS } from '../../support/http/front.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-peers-'));
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const hasGo = has('go', 'version');
const hasPython = has('python3', '--version');
const without = [...(hasGo ? [] : ['Go']), ...(hasPython ? [] : ['Python'])].join(' and ');
const NOT_TESTED = without === '' ? '' : ` (${without} is not installed: not tested)`;

/** A server of Go's net/http that counts what it serves, and a client that sends a chunked body and reads the answer to its end. */
const GO = `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

func serve() {
	var lock sync.Mutex
	counts := map[string]int{}
	http.HandleFunc("/counts", func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		json.NewEncoder(w).Encode(counts)
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		counts[r.Header.Get("x-case")]++
		io.WriteString(w, "{}")
	})
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, nil)
}

func main() {
	if len(os.Args) == 1 {
		serve()
	}
	asked, _ := http.NewRequest(os.Args[1], os.Args[2], io.MultiReader(strings.NewReader("{}")))
	asked.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	size, err := io.Copy(io.Discard, answer.Body)
	fmt.Println(answer.StatusCode, size, err)
}
`;

const PYTHON = `import http.client, sys, urllib.parse
method, url = sys.argv[1:3]
address = urllib.parse.urlsplit(url)
connection = http.client.HTTPConnection(address.hostname, address.port)
connection.request(method, address.path, iter([b"{}"]), {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}, encode_chunked=True)
answer = connection.getresponse()
print(answer.status, len(answer.read()), "<nil>")
`;

const program = join(folder, 'go');
let goServer: ChildProcess | undefined;
let goUrl = '';
const nodeCounts = new Counts();
const nodeServer = createServer((message, response) => {
  message.resume().on('end', () => {
    nodeCounts.add(String(message.headers['x-case']));
    response.end('{}');
  });
});

beforeAll(async () => {
  nodeServer.listen(0, '127.0.0.1');
  await once(nodeServer, 'listening');
  writeFileSync(join(folder, 'client.py'), PYTHON);
  if (!hasGo) return;
  writeFileSync(join(folder, 'main.go'), GO);
  const built = spawnSync('go', ['build', '-o', program, join(folder, 'main.go')], { encoding: 'utf8' });
  expect(built.stderr, 'the Go program is built').toBe('');
  goServer = spawn(program, [], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(goServer.stdout as NodeJS.ReadableStream, 'data');
  goUrl = `http://127.0.0.1:${String(port).trim()}`;
});

afterAll(() => {
  goServer?.kill('SIGKILL');
  nodeServer.closeAllConnections();
  nodeServer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How the bytes are divided: all at once, or what follows the body apart. */
const WAYS = [false, true];
/** Far more than a server needs to read what was sent. Nothing is asserted about the time. */
const READ_MS = 1_000;

/** Sends each shape of a body, with a request that follows, to a server. Returns the shapes after which, and within which, it served another request. */
async function followed(url: string, countOf: () => Promise<(name: string) => number>) {
  const run = Math.random().toString(36).slice(2);
  const names = chunkedBodies('').map(({ name }) => name);
  const sent = names.flatMap((name, shape) =>
    WAYS.map(async (isApart) => {
      const id = `${run}-${shape}-${isApart}`;
      const { text } = chunkedBodies(head('GET /marker HTTP/1.1', `x-case: ${id}-smuggled`))[shape] as { text: string };
      const first = head('POST /sync HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked') + text;
      const follow = head('GET /marker HTTP/1.1', `x-case: ${id}`);
      const connection = await RawConnection.open(url);
      connection.write(isApart ? first : first + follow);
      if (isApart) await Promise.race([connection.answer(), wait(READ_MS)]);
      if (isApart) connection.write(follow);
      await Promise.race([connection.closed, wait(READ_MS)]);
      connection.destroy();
      return { name, id };
    }),
  );
  const all = await Promise.all(sent);
  const count = await countOf();
  const named = (suffix: string) => all.filter(({ id }) => count(id + suffix) > 0).map(({ name }) => name);
  return { follows: new Set(named('')), smuggled: named('-smuggled') };
}

async function goCounts(): Promise<(name: string) => number> {
  const counts = (await (await fetch(`${goUrl}/counts`)).json()) as Record<string, number>;
  return (name) => counts[name] ?? 0;
}

interface Read {
  readonly status: number;
  readonly bytes: number;
}

/** A slow reader pauses after each of these. */
const SLOW_BYTES = 2_000_000;

/** Sends a chunked body with Node's client, and reads the answer with its strict parser. */
function withNode(method: string, url: string, pauseMs = 0): Promise<Read> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const asked = request(url, { method, headers, insecureHTTPParser: false }, async (answer) => {
      let bytes = 0;
      let pauseAt = SLOW_BYTES;
      try {
        for await (const part of answer) {
          bytes += (part as Buffer).length;
          if (bytes < pauseAt || pauseMs === 0) continue;
          await wait(pauseMs);
          pauseAt += SLOW_BYTES;
        }
        resolve({ status: answer.statusCode ?? 0, bytes });
      } catch (error) {
        reject(error);
      }
    });
    asked.on('error', reject);
    asked.end('{}');
  });
}

function withProgram(command: string, ...args: string[]): Promise<Read> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return once(child, 'close').then(() => {
    const [, status, bytes] = /^(\d+) (\d+) <nil>$/.exec(output.trim()) ?? [];
    expect(status, `${command} ${args.join(' ')}: ${output}`).toBeDefined();
    return { status: Number(status), bytes: Number(bytes) };
  });
}

describe.each(FRONTS)('on the front %s', (front) => {
  let server: Awaited<ReturnType<typeof startFramingServer>>;
  beforeAll(async () => {
    server = await startFramingServer(front);
  });
  afterAll(() => server.server.close());

  it(`what follows a body is served only if Node's and Go's servers serve it, too${NOT_TESTED}`, async () => {
    const ours = await followed(server.url, async () => (name) => server.marks.of(name));
    const nodeUrl = `http://127.0.0.1:${(nodeServer.address() as AddressInfo).port}`;
    const peers = [await followed(nodeUrl, async () => (name) => nodeCounts.of(name))];
    if (hasGo) peers.push(await followed(goUrl, goCounts));
    expect(ours.smuggled).toEqual([]);
    for (const { follows } of peers) {
      expect(follows.has('an exact end')).toBe(true);
      expect([...ours.follows].filter((name) => !follows.has(name))).toEqual([]);
    }
    if (front === 'fast') expect([...ours.follows]).toEqual([]);
  });

  it(`Node's strict parser, Go's client and Python's client read every answer to a chunked request to its end${NOT_TESTED}`, async () => {
    for (const { name, line, headOnly } of FRAMED_ROUTES as readonly FramedRoute[]) {
      const [method = '', path = ''] = line.split(' ');
      const url = server.url + path;
      const expected = await withNode(method, url);
      expect(expected.status, name).toBeGreaterThanOrEqual(200);
      if (path === '/large' || path === '/large-answer') expect(expected.bytes, name).toBe(LARGE.length);
      if (hasGo) expect(await withProgram(program, method, url), `Go: ${name}`).toEqual(expected);
      if (hasPython && !headOnly)
        expect(await withProgram('python3', join(folder, 'client.py'), method, url), `Python: ${name}`).toEqual(
          expected,
        );
    }
  });

  it('a slow reader gets the whole of a large answer, and the connection ends afterwards', async () => {
    const slow = ['POST /large-answer', 'GET /large'].map(async (line) => {
      const [method = '', path = ''] = line.split(' ');
      expect((await withNode(method, server.url + path, 3_000)).bytes, line).toBe(LARGE.length);
      const connection = await RawConnection.open(server.url);
      connection.write(
        `${head(`${line} HTTP/1.1`, 'content-type: application/json', 'transfer-encoding: chunked')}0\r\n\r\n`,
      );
      const answer = await connection.answer();
      expect(answer?.body.length, line).toBe(LARGE.length);
      if (answer?.headers.get('connection') === 'close') await connection.closed;
      expect(connection.unread, line).toBe('');
      connection.destroy();
    });
    await Promise.all(slow);
  });
});
