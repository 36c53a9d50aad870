import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Addresses } from './addresses.ts';
import type { FirstSignOn } from './first-admin.ts';
import type { FirstTokens } from './first-start.ts';

/** A file in the data directory that only its owner may read. */
const FILE = 'first-tokens.txt';

/** The output on which the first tokens are shown. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface Welcome {
  readonly tokens: FirstTokens;
  readonly addresses: Addresses;
  /** Whether the service has its console already. If not, it is built while the service runs. */
  readonly hasConsole: boolean;
  readonly dataDirectory: string;
}

/**
 * Shows the first tokens once. If standard output is a terminal, they are printed. Otherwise a log collector may read standard output, so the tokens
 * are written into a file of the data directory that only its owner may read, and the output contains the path of the file.
 */
export function welcome(shown: Welcome, terminal: Terminal): void {
  const text = welcomeText(shown);
  if (terminal.isTTY) {
    terminal.write(text);
    return;
  }
  const file = resolve(join(shown.dataDirectory, FILE));
  writePrivately(file, text);
  terminal.write(
    `\nBurgee is ready, and its console is ${shown.addresses.console}. The password of the first admin and the first tokens are in a file that only this user ` +
      `may read; copy them to a safe place, then delete the file:\n\n  cat '${file}'\n\n`,
  );
}

/** Replaces the content and the mode of an existing file: other users may have had access to it. */
function writePrivately(file: string, text: string): void {
  mkdirSync(resolve(file, '..'), { recursive: true, mode: 0o700 });
  const handle = openSync(file, 'w', 0o600);
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Each block of code works when it is pasted. The last one ends the text, so that it can be copied to the end. */
function welcomeText({ tokens, addresses, hasConsole }: Welcome): string {
  const { api } = addresses;
  const later = ' Its console is not built yet: the first npm start builds it, and the log says when it is ready.';
  return `
Burgee is ready.${hasConsole ? '' : later}

  console   ${addresses.console}
  API       ${api}/docs
${tokens.signOn ? signOnText(tokens.signOn) : ''}
Its first tokens. This is the only time they are shown.

  admin     ${tokens.admin}
  client    ${tokens.client}
  frontend  ${tokens.frontend}

Next: create a flag in the console, or with the admin token:

curl -sS -X POST '${api}/api/admin/projects/default/features' -H 'authorization: ${tokens.admin}' -H 'content-type: application/json' -d '{"name":"hello"}' && curl -sS -X POST '${api}/api/admin/projects/default/features/hello/environments/development/on' -H 'authorization: ${tokens.admin}'

See it from an SDK (npm install unleash-client, then paste into a file ending in .mjs):

import { initialize } from 'unleash-client';
const unleash = initialize({ url: '${api}/api', appName: 'hello', customHeaders: { Authorization: '${tokens.client}' } });
unleash.on('synchronized', () => console.log('hello is', unleash.isEnabled('hello') ? 'on' : 'off'));

`;
}

function signOnText({ username, password }: FirstSignOn): string {
  const change =
    password === null ? '' : '\nSign on to the console with them, and change the password there (Your profile).\n';
  return `  username  ${username}
  password  ${password ?? 'the one in UNLEASH_DEFAULT_ADMIN_PASSWORD'}
${change}`;
}
