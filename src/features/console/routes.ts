import Type from 'typebox';
import { includesEtag } from '../../base/etag.ts';
import { type PreparedAnswer, preparedAnswer } from '../../base/prepared-answer.ts';
import { notFound, type Rejection } from '../../base/rejection.ts';
import { BROWSER_HEADERS } from '../../http/browser-headers.ts';
import { OPEN_HEADERS } from '../../http/caching.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import { acceptsBrotli, acceptsGzip } from '../../http/sending/accept-encoding.ts';
import { prepared } from '../endpoint.ts';
import type { Services } from '../services.ts';
import type { Coding, ConsoleFiles } from './console-files.ts';
import { CONSOLE_PATHS } from './paths.ts';

type Loaded = Awaited<ConsoleFiles['files']>;
type Served = PreparedAnswer | Rejection;

const NOT_BUILT = notFound(
  'This service has no console yet. After a first `npm start` it follows some seconds later; otherwise `npm run build` builds it. The page of the API ' +
    'is at /docs.',
);
const NO_PAGE = notFound('This path does not exist.');
const NO_ASSET = notFound('The console has no such file. A new version may have been installed: reload the page.');

/** Codings that the caller accepts, the smallest first. */
function codingsOf(accepted: string): readonly Coding[] {
  return [
    ...(acceptsBrotli(accepted) ? (['br'] as const) : []),
    ...(acceptsGzip(accepted) ? (['gzip'] as const) : []),
    'identity',
  ];
}

function pick(encoded: Partial<Record<Coding, PreparedAnswer>>, accepted: string): PreparedAnswer {
  const coding = codingsOf(accepted).find((each) => encoded[each] !== undefined) ?? 'identity';
  return encoded[coding] as PreparedAnswer;
}

/** Calls `answer` with the files, now or when they are read. */
function withFiles({ consoleFiles }: Services, answer: (files: Loaded) => Served): Served | Promise<Served> {
  const { files } = consoleFiles;
  return files instanceof Promise ? files.then(answer) : answer(files);
}

/** The page, or `otherwise` if the service has no console. */
function servePage(head: RequestHead, services: Services, otherwise: () => Served): Served | Promise<Served> {
  // The head is valid during this call only.
  const [known, accepted] = [head.header('if-none-match'), head.header('accept-encoding')];
  return withFiles(services, (files) => {
    if (files === null) return otherwise();
    return includesEtag(known, files.pageEtag) ? files.notModified : pick(files.page, accepted);
  });
}

const PAGE_RESPONSES = {
  200: {
    description: 'The page',
    contentType: 'text/html',
    headers: { etag: 'Identifies this build of the page' },
  },
  304: { description: 'The browser already has this page' },
};

/** Without a console, browsers that open the service, for example after a sign-on at an identity provider, get to the page of the API. */
const getStart = prepared('GET /', 'getStart', {
  tag: 'Operational',
  access: { permission: 'NONE' },
  summary: 'The console; where it is not built, a redirect to the page of the API',
  responses: {
    ...PAGE_RESPONSES,
    303: { description: 'Redirects to `/docs`', headers: { location: 'Address of the page' } },
  },
  errors: [],
  serve: (head, _caller, services) =>
    servePage(head, services, () =>
      preparedAnswer(303, { ...BROWSER_HEADERS, ...OPEN_HEADERS, location: `${services.config.basePath}/docs` }),
    ),
});

const [firstPath = '', ...otherPaths] = CONSOLE_PATHS;

const getConsolePage = prepared(`GET ${firstPath}`, 'getConsolePage', {
  tag: 'Operational',
  access: { permission: 'NONE' },
  summary: 'The console: the same page at the path of each of its screens',
  alsoAt: otherPaths,
  responses: PAGE_RESPONSES,
  errors: [404],
  serve: (head, _caller, services) => servePage(head, services, () => NOT_BUILT),
  serveUnknown(head, _caller, services) {
    const accepted = head.header('accept-encoding');
    return withFiles(services, (files) => (files === null ? NO_PAGE : pick(files.unknown, accepted)));
  },
});

const getConsoleAsset = prepared('GET /assets/:file', 'getConsoleAsset', {
  tag: 'Operational',
  access: { permission: 'NONE' },
  summary: 'A script, style sheet or picture of the console',
  params: Type.Object({ file: Type.String({ description: 'Name of the file, with a hash of its content' }) }),
  responses: { 200: { description: 'The file. It never changes', contentType: 'application/octet-stream' } },
  errors: [404],
  serve(head, _caller, services) {
    const [file, accepted] = [head.parameter(0), head.header('accept-encoding')];
    return withFiles(services, (files) => {
      const asset = files?.assets.get(file);
      return asset === undefined ? NO_ASSET : pick(asset, accepted);
    });
  },
});

export const consoleEndpoints = [getStart, getConsolePage, getConsoleAsset];
