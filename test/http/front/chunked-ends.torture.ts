import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';

const ADMIN = '*:*.chunked-ends-admin';
const TOKEN = 'default:development.0123456789abcdef0123456789abcdef';

/** Reads an answer to its end with Go's client, which accepts no error at the end of chunks. */
const READER = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", os.Args[1], nil)
	request.Header.Set("Authorization", os.Args[2])
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		fmt.Println("begun")
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`;

const directory = mkdtempSync(join(tmpdir(), 'burgee-ends-'));
const reader = join(directory, 'reader');
const hasGo = spawnSync('go', ['version']).status === 0;
let burgee: BurgeeProcess;

beforeAll(async () => {
  if (hasGo) {
    writeFileSync(join(directory, 'reader.go'), READER);
    const built = spawnSync('go', ['build', '-o', reader, join(directory, 'reader.go')], { encoding: 'utf8' });
    expect(built.stderr, 'the reader is built').toBe('');
  }
  burgee = new BurgeeProcess({
    DATA_DIR: join(directory, 'data'),
    INIT_ADMIN_API_TOKENS: ADMIN,
    INIT_CLIENT_API_TOKENS: TOKEN,
  });
});
afterAll(async () => {
  await burgee.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Resolves when the answer has started. `ended` resolves at its end with the error of the program, '' if there is none. */
async function follow(command: string, args: readonly string[]): Promise<{ readonly ended: Promise<string> }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close').then(([code]) => (code === 0 ? '' : `${command} ends with ${code}: ${errors}`));
  await Promise.race([once(child.stdout, 'data'), ended.then((how) => Promise.reject(new Error(how)))]);
  return { ended };
}

function followStrictly(url: string, authorization: string): Promise<{ readonly ended: Promise<string> }> {
  return new Promise((begun, failed) => {
    const asked = get(url, { headers: { authorization }, insecureHTTPParser: false }, (response) => {
      const ended = new Promise<string>((resolve) => {
        response.on('error', (error) => resolve(String(error)));
        response.on('end', () => resolve(response.complete ? '' : 'cut'));
      });
      response.once('data', () => begun({ ended }));
    });
    asked.on('error', failed);
  });
}

const forClients = hasGo
  ? "for Node's parser, for curl and for Go"
  : "for Node's parser and for curl (Go is not installed: not tested)";

async function streamsOf(url: string, token: string) {
  return [
    await followStrictly(url, token),
    await follow('curl', ['-sSN', '-H', `Authorization: ${token}`, url]),
    ...(hasGo ? [await follow(reader, [url, token])] : []),
  ];
}

it(`a stream that ends because its token was deleted is complete ${forClients}`, async () => {
  const url = await burgee.url();
  const asAdmin = { authorization: ADMIN, 'content-type': 'application/json' };
  const body = JSON.stringify({ tokenName: 'short', type: 'client', environment: 'development', projects: ['*'] });
  const tokens = `${url}/api/admin/api-tokens`;
  const made = (await (await fetch(tokens, { method: 'POST', headers: asAdmin, body })).json()) as { secret: string };
  const streams = await streamsOf(`${url}/api/client/streaming`, made.secret);
  const path = `${tokens}/${encodeURIComponent(made.secret)}`;
  expect((await fetch(path, { method: 'DELETE', headers: asAdmin })).status).toBe(200);
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(streams.map(() => ''));
});

it(`a stream that ends because the service stops is complete ${forClients}`, async () => {
  const streams = await streamsOf(`${await burgee.url()}/api/client/streaming`, TOKEN);
  burgee.process.kill('SIGTERM');
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(streams.map(() => ''));
  expect(await burgee.exited).toBe(0);
});
