import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentText } from '../../../src/features/documentation/document.ts';
import { endpoints, FEATURE_HTTP } from '../../../src/features/registry.ts';
import { Absence, installPythonPrograms, removeInstalled } from '../../sdks/toolchains.ts';
import { OF_PEOPLE, personalToken, seedExamples } from '../../support/example-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, startTestService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

/** A third-party fuzzer of OpenAPI documents. */
const PACKAGE = 'schemathesis==4.32.5';
const SEED = 24;
/** A run takes one or two minutes on an idle machine. */
const PATIENCE_MS = 1_800_000;
/** Random requests for each operation at this depth, in addition to about a dozen for its examples and the limits of its schemas. */
const RANDOM_REQUESTS = atDepth({ quick: 1, full: 2 });

/**
 * The checks for every answer. Not included: the fuzzer's checks of unlisted methods and of invalid input (`test/http/walks/fuzz.test.ts` does both with
 * every route), and its checks of request sequences.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'positive_data_acceptance',
];

/** Operations that are not called, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  streamChanges: 'its answer never ends',
  streamCommits: 'its answer never ends',
  streamPropagation: 'its answer never ends',
  streamFrontendFeatures: 'its answer never ends',
  getMcp: 'it always answers 405',
  setScimSettings: 'the service would refuse all later requests of SCIM',
  generateScimToken: 'the service would refuse all later requests with the token of this run',
  deleteScimToken: 'the service would refuse all later requests with the token of this run',
  toggleMaintenance: 'the service would refuse all later requests',
};

/** Reasons to refuse a request that its schema allows: rules that a schema cannot express. */
const RULES: readonly (readonly [why: string, messages: RegExp])[] = [
  [
    'the past is bounded',
    /^The newest revision is|is no (revision and no )?time|^The recorded past begins|Name at most one of project/,
  ],
  ['a cursor continues one list', /^The cursor does not belong/],
  [
    'only some commits can be undone',
    /can(not)? be undone|(was|were) changed again; nothing was undone|^A change request c|^An undo is not limited/,
  ],
  [
    'the named item must exist',
    /does not exist|There is no |has no such file|has no console|This link is not valid|does not have the environment/,
  ],
  ['the named item must be new', /already|is taken/],
  ['built-in items stay', /The default project cannot|is Burgee's own|is built in|^The strategy type default cannot/],
  [
    'the provider decides which parameters there are',
    /^The provider (must|of an)|has the parameters|^The parameter \S+ (is|must|has)|^There is no such type of event|^The URL of|^The template is|customHeaders|^signingSecret|a header cannot have/,
  ],
  [
    'filters and actions have rules',
    /^The filter of |^The path of a filter|^Actions change only flags|^The action needs the name of a milestone/s,
  ],
  [
    'a milestone has strategies that a flag can have',
    /^A strategy needs the name of its type|^The milestone .* cannot be used/s,
  ],
  ['one admin must remain', /^This is the only admin/],
  ['an option sets the limit, or it is fixed', /The option [A-Z_]+ sets this limit|This limit is fixed/],
  ['nested lists share one limit', /has more values than this path accepts/],
  [
    'fields go together',
    /belong together|You must specify username or email|^To enable this sign-on, also send|This operation creates tokens for the project/,
  ],
  [
    'fields go together',
    /^Specify either project or projects|^A token needs a tokenName|^The constraint \S+ on .* needs/s,
  ],
  ['it depends on the document that is patched', /^patched document |^The test of .* failed/s],
  ['the operation decides which fields there are', /^The operation \S+ needs a value/],
  ['the path names it already', /The name of a feature cannot change/],
  ['rules of passwords are settings', /^The password must/],
  [
    'the text has its own grammar',
    /is not a date|is not a web address|^An origin must be|^The payload of the variant|cannot be used/,
  ],
  ['not every text of this format is a date', /is no day of the calendar/],
  [
    'names must be unique',
    /^Two (parameters|variants) are called|^The name \S+ occurs twice|^The form has the field .* twice/s,
  ],
  ['no key of a body has that name', /has a key named "__proto__"/],
  ['it depends on the time', /^The token must expire in the future/],
  ['a change request is in another state', /is in the state|^This is the only change|^Change requests are not enabled/],
  ['a text list has its own grammar', /^The header if-match must be/],
  ['the tag must be the current one', /^The object has changed since you read it/],
  [
    'fields go together',
    /^A preview needs one|^Specify only one of|^`(changes|undo)` needs? an? `(project|environment)`|^Changes can be tried only/,
  ],
  ['the action decides the payload', /^payload(\/\S+)? must|^The action \S+ needs the name of a flag/],
  ['the protocol decides what a message is', /^The body must be one JSON-RPC/],
  [
    'filters, paths and values of SCIM have a grammar of their own',
    /^The filter |^There is no attribute |^The path |^The attribute |^A user needs|^A group needs|^A filter has|^To remove something|^Without `path`/,
  ],
  [
    'SCIM reads attributes of any letter case itself',
    /^Request validation failed|^No value meets|cannot be (changed|removed)\.$|^A member can be|^Descriptions of the service/,
  ],
  ['only the user knows it', /^The old password is wrong/],
  [
    'code declares a key, and a default value of its type',
    /^The default value (is not of|has more)|^This is not the key|^The keys in the path|only together with a default value/,
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'burgee-fuzzer-'));
let programs: string | Absence;
beforeAll(async () => {
  programs = await installPythonPrograms(PACKAGE);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  removeInstalled();
});

/** Writes the document, and the configuration of the credentials for each operation. */
async function writeConfig(person: string): Promise<void> {
  const schemes = {
    adminToken: ADMIN_TOKEN,
    clientToken: CLIENT_TOKEN,
    frontendToken: FRONTEND_TOKEN,
    scimToken: SCIM_TOKEN,
  };
  const ofPeople = endpoints.map(({ operationId }) => operationId).filter((operationId) => OF_PEOPLE.test(operationId));
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    [
      ...Object.entries(schemes).map(([name, token]) => `[auth.openapi.${name}]\napi_key = ${JSON.stringify(token)}`),
      '[[operations]]',
      `include-operation-id = ${JSON.stringify(ofPeople)}`,
      `headers = { authorization = ${JSON.stringify(person)} }`,
    ].join('\n'),
  );
  writeFileSync(join(folder, 'openapi.json'), await documentText(FEATURE_HTTP));
  // The fuzzer does not support NDJSON bodies.
  writeFileSync(
    join(folder, 'hooks.py'),
    'import schemathesis\n\n@schemathesis.serializer("application/x-ndjson")\ndef lines(ctx, value):\n    return value.encode()\n',
  );
}

async function fuzz(fuzzer: string, url: string): Promise<string> {
  const args = [
    '--config-file',
    'schemathesis.toml',
    'run',
    'openapi.json',
    '--url',
    url,
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    String(RANDOM_REQUESTS),
    '--mode',
    'positive',
    '--checks',
    CHECKS.join(','),
    '--continue-on-failure',
    '--no-shrink',
    '--generation-database',
    'none',
    '--seed',
    String(SEED),
    '--request-timeout',
    '60',
    '--suppress-health-check',
    'all',
    ...Object.keys(LEFT_OUT).flatMap((operationId) => ['--exclude-operation-id', operationId]),
    '--report',
    'ndjson',
    '--report-ndjson-path',
    join(folder, 'report'),
    '--output-truncate',
    'false',
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: folder };
  const child = spawn(fuzzer, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

interface Recorded {
  readonly label: string;
  readonly checks?: Readonly<Record<string, readonly { readonly name: string; readonly status: string }[]>>;
  readonly interactions: Readonly<
    Record<string, { readonly request: Sent; readonly response?: { readonly status_code: number; content?: Bytes } }>
  >;
}
interface Bytes {
  readonly $base64: string;
}
interface Sent {
  readonly method: string;
  readonly uri: string;
  readonly body: Bytes | null;
}

const textOf = (bytes: Bytes | null | undefined) => Buffer.from(bytes?.$base64 ?? '', 'base64').toString();

/** The number of operations and requests of the run, and the failures that the fuzzer found. */
function findings(): { readonly operations: number; readonly requests: number; readonly wrong: string[] } {
  const [operations, wrong] = [new Set<string>(), [] as string[]];
  let requests = 0;
  for (const line of readFileSync(join(folder, 'report'), 'utf8').trim().split('\n')) {
    const event = JSON.parse(line) as Readonly<
      Record<string, { readonly recorder?: Recorded; readonly label?: string }>
    >;
    if (event.NonFatalError || event.FatalError) wrong.push(line.slice(0, 1_000));
    const recorder = event.ScenarioFinished?.recorder;
    if (!recorder) continue;
    operations.add(recorder.label);
    for (const [id, checks] of Object.entries(recorder.checks ?? {})) {
      requests++;
      const failed = checks.filter(({ status }) => status === 'failure').map(({ name }) => name);
      const { request, response } = recorder.interactions[id] ?? {};
      const answer = textOf(response?.content);
      if (failed.length === 0 || (isAllAcceptance(failed) && isRuled(answer))) continue;
      const sent = `${request?.method} ${request?.uri.slice(0, 300)} ${textOf(request?.body).slice(0, 300)}`;
      wrong.push(`${failed}: ${sent}\n  ${response?.status_code} ${answer.slice(0, 300)}`);
    }
  }
  return { operations: operations.size, requests, wrong };
}

const isAllAcceptance = (failed: readonly string[]) => failed.every((name) => name === 'positive_data_acceptance');

function isRuled(answer: string): boolean {
  const { details, detail } = JSON.parse(answer) as {
    details?: readonly { readonly message: string }[];
    detail?: string;
  };
  return (details ?? [{ message: detail ?? '' }]).every(({ message }) =>
    RULES.some(([, messages]) => messages.test(message)),
  );
}

it('a fuzzer of OpenAPI documents finds no failure in any operation', { timeout: PATIENCE_MS }, async (context) => {
  if (programs instanceof Absence) {
    console.warn(programs.reason);
    return context.skip(programs.reason);
  }
  const service = await startTestService({
    onDisk: true,
    env: { SECRETS_KEY: 'what seals secrets of a fuzzed service' },
  });
  try {
    await seedExamples(service, false);
    const password = 'the Passphrase of a Fuzzer, 2026!';
    await service.call('createUser', { body: { username: 'fuzzer', rootRole: 1, password } });
    await writeConfig(await personalToken(service.url, 'fuzzer', password));
    const output = await fuzz(join(programs, 'schemathesis'), service.url);
    const { operations, requests, wrong } = findings();
    console.info(`${requests} requests of ${operations} operations`);
    expect(wrong, output.slice(-3_000)).toEqual([]);
    expect(operations).toBe(endpoints.length - Object.keys(LEFT_OUT).length);
  } finally {
    await service.close();
  }
});
