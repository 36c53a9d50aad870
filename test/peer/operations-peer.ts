import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { rowsOfPage } from '../contract/differences.ts';
import { type ApiDocument, missingOperations, requestDifferences, statusDifferences } from './api-documents.ts';
import { PEER } from './unleash.ts';

let theirs: ApiDocument;
let ours: ApiDocument;

beforeAll(async () => {
  theirs = (await (await fetch(`${PEER.url}/docs/openapi.json`)).json()) as ApiDocument;
  ours = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDocument;
});

/** Unleash answers 201, which its document does not say: `answers-peer.ts` sends these requests to both. */
const CREATED: readonly string[] = [
  'POST /invite/{}/signup',
  'POST /api/admin/addons',
  'POST /api/admin/projects/{}/features',
  'POST /api/admin/projects/{}/features/{}/clone',
].map((operation) => `${operation}: 200 there, 201 here`);

/** Unleash’s document also has 204, which no request was answered with. */
const NEVER_EMPTY: readonly string[] = [
  'POST /api/client/metrics: 202 204 there, 202 here',
  'POST /api/frontend/client/metrics: 200 204 there, 200 here',
];

/** Fields of files that both ignore: answers have them, too. What an import does with a file is shown by the tests of imports. */
const FILES = /^POST \/api\/admin\/features-batch\/(validate|import) body\.data\./;

const ALSO_THERE = 'Unleash refuses a request without it, too; its document does not say so';
const IGNORED = 'ignored by both';
const WHOLE = 'ids are whole numbers';

/** Differences of requests, each with its reason, or with its row of the page of differences. */
const REQUESTS: readonly (readonly [difference: RegExp, why: string])[] = [
  [/\.(name|project): any text there, only \^\(\?!/, 'names are parts of paths: Unleash refuses others, too'],
  [/\.(tokenName|name|description): any text there, only \\S here$/, 'a name is more than blanks'],
  [/\.(email|username): any text there, only \^/, 'an email has an @, and a username has no blanks at its ends'],
  [/ body\[\]\.path: any text there, only \^\(\/.*here$/, 'a path of JSON Patch begins with a slash'],
  [/\.appName: any text there, only \^\[\^/, 'control characters would end lines of metrics and logs'],
  [/^GET \/auth\/reset\/validate query token: required only here$/, ALSO_THERE],
  [/^POST \/api\/admin\/user\/change-password body\.oldPassword: required only here$/, ALSO_THERE],
  [/^GET \/api\/admin\/user\/roles query projectId: required only here$/, ALSO_THERE],
  [/\/variants-batch body\.(variants|environments): required only here$/, ALSO_THERE],
  [/^POST \/api\/admin\/ui-config\/cors body\.frontendApiOrigins: required only here$/, 'without it nothing is set'],
  [/[tT]ags\[?\]?.*\.color: unknown here$|\/tags body\.color: unknown here$/, 'the color of a tag is that of its type'],
  [/^POST \/api\/admin\/strategies body\.(editable|deprecated): unknown here$/, IGNORED],
  [/^POST \/api\/admin\/metrics\/applications\/\{\} body\.strategies: unknown here$/, 'SDKs report their strategies'],
  [/password body\.(oldPassword|confirmPassword): unknown here$/, IGNORED],
  [
    /^POST \/api\/admin\/projects\/\{\}\/environments body\.(changeRequestsEnabled|defaultStrategy): unknown here$/,
    IGNORED,
  ],
  [
    /^PUT .*\/context\/\{\} body\.project: unknown here$/,
    'a context field of the whole instance, updated with `project`',
  ],
  [/(segments|ids)\[\]: number there, integer here$/, WHOLE],
  [
    /^PATCH .*\/(variants|strategies\/\{\}) body\[\]\.(op: copy, move there only|from: unknown here)$/,
    '`PATCH` of a flag: operations `copy` and `move`',
  ],
  [
    /^PATCH .*\/features\/\{\} body\[\]\.(op: copy, move there only|from: unknown here)$/,
    '`PATCH` of a flag: operations `copy` and `move`',
  ],
  [
    /^POST \/api\/client\/metrics\/bulk body\.(applications\[\]\.projects|seenTokens): unknown here$/,
    'the token of the report says the projects',
  ],
];

describe('Unleash’s OpenAPI document', () => {
  it('has no operation that Burgee does not have', () => {
    expect(missingOperations(theirs, ours)).toEqual([]);
  });

  it('has the statuses of success that Burgee’s document has, for every operation', () => {
    expect(statusDifferences(theirs, ours).toSorted()).toEqual([...CREATED, ...NEVER_EMPTY].toSorted());
  });

  it('allows no type in a field or a parameter of a request that Burgee refuses', () => {
    const found = requestDifferences(theirs, ours).filter((difference) => !FILES.test(difference));
    expect(found.filter((difference) => !REQUESTS.some(([known]) => known.test(difference)))).toEqual([]);
    expect(REQUESTS.filter(([known]) => !found.some((difference) => known.test(difference)))).toEqual([]);
  });

  it('differs only as the page of differences says, where a row is named', () => {
    const rows = new Set(rowsOfPage());
    const named = REQUESTS.map(([, why]) => why).filter((why) => why.includes('`'));
    expect(named.filter((row) => !rows.has(row))).toEqual([]);
  });
});
