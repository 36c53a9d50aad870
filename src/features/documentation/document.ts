import Type from 'typebox';
import { VERSION } from '../../base/version.ts';
import { BROWSER_HEADERS } from '../../http/browser-headers.ts';
import { OPEN_HEADERS } from '../../http/caching.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { prepared } from '../endpoint.ts';
import { EXAMPLES } from '../examples.ts';
import type { FeatureHttp } from '../feature-module.ts';
import { GLOSSARY } from '../glossary.ts';
import { askedForm, type PreparedFile, preparedFile } from './prepared-file.ts';

/** Base path → answer. A process has only one base path. */
const answers = new Map<string, PreparedFile>();

async function prepare(features: readonly FeatureHttp[], basePath: string): Promise<PreparedFile> {
  const body = Buffer.from(JSON.stringify(await openApiOf(features, basePath)));
  const type = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  const answer = await preparedFile(body, { ...OPEN_HEADERS, ...BROWSER_HEADERS, ...type });
  answers.set(basePath, answer);
  return answer;
}

const getOpenApi = prepared('GET /docs/openapi.json', 'getOpenApi', {
  tag: 'Operational',
  access: { permission: 'NONE' },
  summary: 'This document: every route, as OpenAPI 3.1',
  responses: {
    200: {
      description: 'The document',
      schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
    },
  },
  errors: [],
  serve(head, _caller, { config: { basePath }, describedRoutes }) {
    const form = askedForm(head);
    const prepareAll = async () => await prepare(await describedRoutes(), basePath);
    return answers.get(basePath)?.[form] ?? prepareAll().then((answer) => answer[form]);
  },
});

export const documentationEndpoints = [getOpenApi];

/** The document as it is stored in the repository. */
export async function documentText(features: readonly FeatureHttp[]): Promise<string> {
  return `${JSON.stringify(await openApiOf(features, ''), null, 2)}\n`;
}

function openApiOf(features: readonly FeatureHttp[], basePath: string) {
  const endpoints = features.flatMap((feature) => feature.endpoints);
  const glossary = Object.assign({}, GLOSSARY, ...features.map((feature) => feature.glossary));
  const examples = Object.assign({}, EXAMPLES, ...features.map((feature) => feature.examples));
  return openApiDocument(endpoints, { version: VERSION, basePath, glossary, examples });
}
