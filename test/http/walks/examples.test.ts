import { beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../../../src/features/documentation/document.ts';
import { EXAMPLES } from '../../../src/features/examples.ts';
import { FEATURE_HTTP } from '../../../src/features/registry.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document without types
type Any = any;

let operations: Any[];

beforeAll(async () => {
  const { paths } = JSON.parse(await documentText(FEATURE_HTTP)) as { paths: Record<string, Record<string, Any>> };
  operations = Object.values(paths).flatMap((methods) => Object.values(methods));
});

/** `examples.torture.ts` checks over HTTP that the service accepts them. */
describe('the examples of the OpenAPI document', () => {
  it('exist for every body and every required parameter', () => {
    const lacking = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
      ...parameters
        .filter(({ required, example }: Any) => required && example === undefined)
        .map(({ name }: Any) => `${operationId}.${name}`),
      ...Object.entries<Any>(requestBody?.content ?? {})
        .filter(([, { example }]) => example === undefined)
        .map(([type]) => `${operationId} ${type}`),
    ]);
    expect(lacking).toEqual([]);
  });

  it('refer to operations and fields that exist', () => {
    const text = JSON.stringify(operations);
    const ids = new Set(operations.map(({ operationId }) => operationId));
    const unknown = Object.keys(EXAMPLES).filter((key) => {
      const [first = '', word = first] = key.split('.');
      return key.includes('.') ? !ids.has(first) : !ids.has(key) && !text.includes(`"${word}"`);
    });
    expect(unknown).toEqual([]);
  });
});
