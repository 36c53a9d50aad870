import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../../../src/features/documentation/document.ts';
import { GLOSSARY } from '../../../src/features/glossary.ts';
import { FEATURE_HTTP } from '../../../src/features/registry.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document without types
type Any = any;

let document: Any;

beforeAll(async () => {
  document = JSON.parse(await documentText(FEATURE_HTTP));
});

/** Every property of the schema, also nested ones, with its location. */
function* properties(schema: Any, location: string): Generator<[string, Any]> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, property] of Object.entries<Any>(schema.properties ?? {})) {
    yield [`${location}.${name}`, property];
    yield* properties(property, `${location}.${name}`);
  }
  const { items, additionalProperties, anyOf = [], allOf = [], oneOf = [] } = schema;
  for (const part of [items, additionalProperties, ...anyOf, ...allOf, ...oneOf]) yield* properties(part, location);
}

function* everyProperty(): Generator<[string, Any]> {
  for (const [name, schema] of Object.entries(document.components.schemas)) yield* properties(schema, name);
  for (const operation of operations()) {
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values<Any>(operation.responses)]) {
      for (const { schema } of Object.values<Any>(content)) yield* properties(schema, operation.operationId);
    }
  }
}

function operations(): Any[] {
  return Object.values<Any>(document.paths).flatMap((methods) => Object.values<Any>(methods));
}

describe('the document', () => {
  it('is valid OpenAPI 3.1 for a third-party validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('is reported as invalid by the same validator when it is invalid', async () => {
    const broken = structuredClone(document);
    broken.paths['/ready'].get.responses = 'none';
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('describes every property; add the word to src/features/glossary.ts', () => {
    const undescribed = [...everyProperty()].filter(([, property]) => !saysMore(property.description));
    expect(undescribed.map(([location]) => location)).toEqual([]);
  });

  it('describes every parameter and every header', () => {
    const undescribed = operations().flatMap(({ operationId, parameters = [], responses }) => {
      const headers = Object.values<Any>(responses).flatMap(({ headers: found = {} }) => Object.entries<Any>(found));
      const named = [...parameters.map((one: Any) => [one.name, one]), ...headers];
      return named.filter(([, { description }]) => !saysMore(description)).map(([name]) => `${operationId}.${name}`);
    });
    expect(undescribed).toEqual([]);
  });

  it('describes every operation and every answer', () => {
    for (const { operationId, summary, responses } of operations()) {
      expect(summary, operationId).toMatch(/\w/);
      for (const response of Object.values<Any>(responses)) {
        if (!response.$ref) expect(response.description, operationId).toMatch(/\w/);
      }
    }
  });
});

/** A default alone is not a description. */
function saysMore(description: unknown): boolean {
  return typeof description === 'string' && /\w/.test(description) && !description.startsWith('default: ');
}

describe('the glossary', () => {
  it('has no entry for a name that does not exist', () => {
    const words = new Set([...everyProperty()].map(([location]) => location.split('.').at(-1) ?? ''));
    for (const { parameters = [] } of operations()) for (const { name } of parameters) words.add(name);
    expect(Object.keys(GLOSSARY).filter((key) => !words.has(key.split('.').at(-1) ?? ''))).toEqual([]);
  });

  it('refers to components and operations that exist', () => {
    const owners = new Set([
      ...Object.keys(document.components.schemas),
      ...operations().map((one) => one.operationId),
    ]);
    const named = Object.keys(GLOSSARY).filter((key) => key.includes('.'));
    expect(named.filter((key) => !owners.has(key.split('.')[0] ?? ''))).toEqual([]);
  });
});
