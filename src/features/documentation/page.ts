import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { VERSION } from '../../base/version.ts';
import { BROWSER_HEADERS } from '../../http/browser-headers.ts';
import { prepared } from '../endpoint.ts';
import { askedForm, type PreparedFile, preparedFile } from './prepared-file.ts';

/** Possible folders of Swagger UI's files (tools/vendor-swagger-ui.mjs), relative to this file if it is built, bundled, or run as source. */
const VENDOR_FOLDERS = ['../../../vendor/', '../../vendor/', '../vendor/', '../../../dist/vendor/'];

function readSwaggerUi(file: string): Promise<string> {
  const urls = VENDOR_FOLDERS.map((folder) => new URL(`${folder}swagger-ui/${file}`, import.meta.url));
  return readFile(urls.find(existsSync) ?? createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), 'utf8');
}

/**
 * The policy: a browser loads nothing from other hosts, and runs only scripts in our files. Inline styles are allowed, because Swagger UI sets them.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A file of the page, with its path and content. */
interface PageFile {
  readonly operationId: string;
  readonly path: string;
  readonly contentType: string;
  readonly summary: string;
  readonly policy?: string;
  read(basePath: string): Promise<string> | string;
}

const pageText = (basePath: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Burgee: the API</title>
<link rel="stylesheet" href="${basePath}/docs/page.css?v=${VERSION}">
</head>
<body>
<div id="api"></div>
<script src="${basePath}/docs/page.js?v=${VERSION}"></script>
<script src="${basePath}/docs/start.js?v=${VERSION}"></script>
</body>
</html>
`;

/**
 * `tryItOutEnabled` false: an operation can be tried only after a click on 'Try it out'. `validatorUrl` null: the document is not sent to an external
 * validator.
 */
const startScript = (basePath: string) => `SwaggerUIBundle(${JSON.stringify({
  url: `${basePath}/docs/openapi.json`,
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: false,
  validatorUrl: null,
})});
`;

const FILES: readonly PageFile[] = [
  {
    operationId: 'getDocumentationPage',
    path: '/docs',
    contentType: 'text/html; charset=utf-8',
    summary: 'A page on which every operation can be tried',
    policy: PAGE_POLICY,
    read: pageText,
  },
  {
    operationId: 'getDocumentationScript',
    path: '/docs/page.js',
    contentType: 'text/javascript; charset=utf-8',
    summary: 'The script of the page: Swagger UI',
    read: () => readSwaggerUi('swagger-ui-bundle.js'),
  },
  {
    operationId: 'getDocumentationStart',
    path: '/docs/start.js',
    contentType: 'text/javascript; charset=utf-8',
    summary: 'The script that starts Swagger UI with the address of the OpenAPI document',
    read: startScript,
  },
  {
    operationId: 'getDocumentationStyle',
    path: '/docs/page.css',
    contentType: 'text/css; charset=utf-8',
    summary: 'The style sheet of the page',
    read: () => readSwaggerUi('swagger-ui.css'),
  },
];

/** Caches may keep the files: they are the same for all clients, and each version of Burgee uses other addresses (`?v=`). */
const CACHE_HEADERS = { 'cache-control': 'public, max-age=86400', vary: 'accept-encoding' };

/**
 * The interactive page of the API, served by this process only, so that it works without internet access. Each file is read and compressed once, at
 * the first request, and then sent from memory: 2 MB, and 0.6 MB compressed.
 */
const pageFiles = FILES.map((file) => {
  const { operationId, path, contentType, summary, policy } = file;
  /** Base path → prepared file. A process has only one base path. */
  const answers = new Map<string, PreparedFile>();
  const prepare = async (basePath: string): Promise<PreparedFile> => {
    const bytes = Buffer.from(await file.read(basePath));
    const headers = { ...BROWSER_HEADERS, ...CACHE_HEADERS, 'content-type': contentType };
    const allHeaders = policy === undefined ? headers : { ...headers, 'content-security-policy': policy };
    const answer = await preparedFile(bytes, allHeaders);
    answers.set(basePath, answer);
    return answer;
  };
  return prepared(`GET ${path}`, operationId, {
    tag: 'Operational',
    access: { permission: 'NONE' },
    summary,
    responses: { 200: { description: 'The file', contentType: contentType.split(';')[0] ?? contentType } },
    errors: [],
    serve(head, _caller, { config }) {
      const form = askedForm(head);
      return answers.get(config.basePath)?.[form] ?? prepare(config.basePath).then((answer) => answer[form]);
    },
  });
});

export const documentationPageEndpoints = pageFiles;
