import Type from 'typebox';
import { bodyOf, type PreparedAnswer, preparedAnswer } from '../../base/prepared-answer.ts';
import { VERSION } from '../../base/version.ts';
import { BROWSER_HEADERS } from '../../http/browser-headers.ts';
import { OPEN_HEADERS } from '../../http/caching.ts';
import type { AnyEndpoint } from '../../http/endpoint.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { prepared } from '../endpoint.ts';
import { EXAMPLES } from '../examples.ts';
import { GLOSSARY } from '../glossary.ts';
import type { Services } from '../services.ts';

/** The document of all routes. `endpoints` is asked when it is first needed: the route that serves the document is among them. */
export function documentationEndpoints(endpoints: () => readonly AnyEndpoint<Services>[]) {
  /** By base path: a process has one. */
  const answers = new Map<string, PreparedAnswer>();
  const prepare = async (basePath: string): Promise<PreparedAnswer> => {
    const body = Buffer.from(JSON.stringify(await openApiOf(endpoints(), basePath)));
    const headers = { ...OPEN_HEADERS, ...BROWSER_HEADERS, 'content-type': 'application/json; charset=utf-8' };
    const answer = preparedAnswer(200, headers, bodyOf(body));
    answers.set(basePath, answer);
    return answer;
  };
  const getOpenApi = prepared({
    operationId: 'getOpenApi',
    method: 'get',
    path: '/docs/openapi.json',
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
    serve(_head, _caller, { config }) {
      return answers.get(config.basePath) ?? prepare(config.basePath);
    },
  });
  return [getOpenApi];
}

/** The document as it is committed. */
export async function documentText(endpoints: readonly AnyEndpoint<Services>[]): Promise<string> {
  return `${JSON.stringify(await openApiOf(endpoints, ''), null, 2)}\n`;
}

function openApiOf(endpoints: readonly AnyEndpoint<Services>[], basePath: string) {
  return openApiDocument(endpoints, { version: VERSION, basePath, glossary: GLOSSARY, examples: EXAMPLES });
}
