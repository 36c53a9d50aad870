import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type CurlRequest, curlOf, TAG_READ } from '../../../console/src/domain/curl.ts';

const request = (rest: Partial<CurlRequest>): CurlRequest => ({
  method: 'POST',
  url: 'http://127.0.0.1:4242/flags/api/admin/tags',
  headers: [],
  body: null,
  ...rest,
});

/** What `curl` gets when a real shell runs the text: it is a function that prints each argument, and a tag where one is asked for. */
function argumentsOf(text: string, environment: Record<string, string> = {}): string[][] {
  const curl = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; printf '\\1'; }`;
  const output = execFileSync('sh', ['-c', `${curl}\n${text}`], {
    encoding: 'utf8',
    env: { ...process.env, BURGEE_TOKEN: 'user:a"b$c', ...environment },
  });
  return output
    .split('\u0001')
    .filter((call) => call !== '')
    .map((call) => call.split('\0').slice(0, -1));
}

const valueAfter = (call: readonly string[] = [], option: string) => call[call.indexOf(option) + 1];

describe('a request as curl', () => {
  it.each([
    ['a single quote', `it's`],
    ['double quotes', 'say "no"'],
    ['a command', '$(touch /tmp/never) `touch /tmp/never`'],
    ['a variable', '$HOME'],
    ['a new line and a backslash', 'one\ntwo\\three'],
    ['an exclamation mark', 'now!!'],
    ['other letters', 'blåbær 🫐'],
  ])('passes %s on as it is', (_, value) => {
    const body = JSON.stringify({ value });
    const header = ['burgee-reason', encodeURIComponent(value)] as const;
    const [call] = argumentsOf(curlOf([request({ body, headers: [header] })]));
    expect(valueAfter(call, '--data-raw')).toBe(body);
    expect(call).toContain(`burgee-reason: ${encodeURIComponent(value)}`);
    expect(call).toContain('http://127.0.0.1:4242/flags/api/admin/tags');
  });

  it('takes the credential from the environment', () => {
    const text = curlOf([request({})]);
    expect(text).toContain('-H "authorization: $BURGEE_TOKEN"');
    expect(argumentsOf(text)[0]).toContain('authorization: user:a"b$c');
  });

  it('has variables instead of secret parameters, and keeps masks and other parameters', () => {
    const parameters = {
      url: 'https://hooks.example.com/T0/abc',
      apiKey: '*****',
      contentType: 'text/plain',
      empty: '',
    };
    const body = JSON.stringify({ provider: 'webhook', parameters, events: ['feature-created'] });
    const text = curlOf([request({ body, secretParameters: ['url', 'apiKey', 'empty'] })]);
    expect(text).not.toContain('hooks.example.com');
    const [call] = argumentsOf(text, { BURGEE_URL: parameters.url });
    expect(valueAfter(call, '--data-raw')).toBe(body);
  });

  it('has variables instead of secrets, in the body and in the address', () => {
    const body = JSON.stringify({
      name: 'Ada',
      oldPassword: 'old-one',
      password: 'hunter2',
      secret: '********',
      n: [1],
    });
    const secret = '*:production.abc/def';
    const url = `http://127.0.0.1:4242/api/admin/api-tokens/${encodeURIComponent(secret)}`;
    const text = curlOf([request({ url, body, secrets: [secret] })]);
    for (const part of ['hunter2', 'old-one', 'production.abc']) expect(text).not.toContain(part);
    const [call] = argumentsOf(text, { BURGEE_OLD_PASSWORD: 'x', BURGEE_PASSWORD: "y'z", BURGEE_SECRET: 'S' });
    expect(JSON.parse(valueAfter(call, '--data-raw') ?? '')).toEqual({
      name: 'Ada',
      oldPassword: 'x',
      password: "y'z",
      secret: '********',
      n: [1],
    });
    expect(call).toContain('http://127.0.0.1:4242/api/admin/api-tokens/S');
  });

  it('stops at the first refused request', () => {
    const text = curlOf([request({ method: 'DELETE' }), request({ method: 'PUT' })]);
    const refusing = text.replaceAll('curl ', 'refuse ');
    const output = execFileSync('sh', ['-c', `refuse() { echo once; return 22; }\n${refusing} || true`], {
      encoding: 'utf8',
      env: { ...process.env, BURGEE_TOKEN: 'x' },
    });
    expect(output).toBe('once\n');
  });

  it('sends a tag that it has read', () => {
    const read = request({ method: 'GET', isTagRead: true });
    const text = curlOf([read, request({ headers: [['if-match', TAG_READ]] })]);
    const output = execFileSync(
      'sh',
      ['-c', `curl() { case "$*" in *header*) printf '"t1"';; *) echo "$*";; esac; }\n${text}`],
      {
        encoding: 'utf8',
        env: { ...process.env, BURGEE_TOKEN: 'x' },
      },
    );
    expect(output).toContain('if-match: "t1"');
  });

  it('does not let curl read brackets as a pattern', () => {
    expect(argumentsOf(curlOf([request({ url: 'http://127.0.0.1/?a[]=1' })]))[0]).toContain('-g');
    expect(argumentsOf(curlOf([request({})]))[0]).not.toContain('-g');
  });
});
