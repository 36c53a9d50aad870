import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../../src/features/documentation/document.ts';
import { GLOSSARY } from '../../src/features/glossary.ts';
import { FEATURE_HTTP } from '../../src/features/registry.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
type Any = any;

let document: Any;

beforeAll(async () => {
  document = JSON.parse(await documentText(FEATURE_HTTP));
});

/** Every property of the schema and of what is inside it, with its place. */
function* properties(schema: Any, place: string): Generator<[string, Any]> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, property] of Object.entries<Any>(schema.properties ?? {})) {
    yield [`${place}.${name}`, property];
    yield* properties(property, `${place}.${name}`);
  }
  const { items, additionalProperties, anyOf = [], allOf = [], oneOf = [] } = schema;
  for (const part of [items, additionalProperties, ...anyOf, ...allOf, ...oneOf]) yield* properties(part, place);
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
  it('is valid OpenAPI 3.1, by a validator that is not ours', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('is told to be wrong by the same validator when it is', async () => {
    const broken = structuredClone(document);
    broken.paths['/ready'].get.responses = 'none';
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('says of every property what it means; add the word to src/features/glossary.ts', () => {
    const undescribed = [...everyProperty()].filter(([, property]) => !saysMore(property.description));
    expect(undescribed.map(([place]) => place)).toEqual([]);
  });

  it('says of every parameter and every header what it means', () => {
    const undescribed = operations().flatMap(({ operationId, parameters = [], responses }) => {
      const headers = Object.values<Any>(responses).flatMap(({ headers: told = {} }) => Object.entries<Any>(told));
      const named = [...parameters.map((one: Any) => [one.name, one]), ...headers];
      return named.filter(([, { description }]) => !saysMore(description)).map(([name]) => `${operationId}.${name}`);
    });
    expect(undescribed).toEqual([]);
  });

  it('says of every operation and every answer what it is', () => {
    for (const { operationId, summary, responses } of operations()) {
      expect(summary, operationId).toMatch(/\w/);
      for (const response of Object.values<Any>(responses)) {
        if (!response.$ref) expect(response.description, operationId).toMatch(/\w/);
      }
    }
  });
});

/** A default alone says nothing. */
function saysMore(description: unknown): boolean {
  return typeof description === 'string' && /\w/.test(description) && !description.startsWith('default: ');
}

describe('the glossary', () => {
  it('has no line that describes nothing', () => {
    const words = new Set([...everyProperty()].map(([place]) => place.split('.').at(-1) ?? ''));
    for (const { parameters = [] } of operations()) for (const { name } of parameters) words.add(name);
    expect(Object.keys(GLOSSARY).filter((key) => !words.has(key.split('.').at(-1) ?? ''))).toEqual([]);
  });

  it('names components and operations that are there', () => {
    const owners = new Set([
      ...Object.keys(document.components.schemas),
      ...operations().map((one) => one.operationId),
    ]);
    const named = Object.keys(GLOSSARY).filter((key) => key.includes('.'));
    expect(named.filter((key) => !owners.has(key.split('.')[0] ?? ''))).toEqual([]);
  });
});
