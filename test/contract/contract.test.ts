import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ContractWorld } from './contract-world.ts';
import { CASES, casesOf, nameOf, proofText, rows } from './proof.ts';
import { ERROR_NAMES } from './rows.ts';
import { ANSWERS, ERROR, type Schema } from './schemas.ts';

const PROOF = new URL('../../docs/reference/tables/contract-proof.md', import.meta.url);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

function expectShape(schema: Schema, body: unknown): void {
  const validate = ajv.compile(schema);
  expect(
    validate(body) ? [] : validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`),
  ).toEqual([]);
}

let world: ContractWorld;

beforeAll(async () => {
  world = await ContractWorld.create();
});

afterAll(() => world.close());

/** What the contract says of every answer of a status. */
function expectAnswer({ status, headers, body }: Answer, schema: Schema): void {
  if (status === 304) {
    expect(body).toBeUndefined();
    return;
  }
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  if (status < 300) {
    expectShape(schema, body);
    if (status === 201) expect(headers.get('location')).toBeTruthy();
    return;
  }
  expectShape(ERROR, body);
  expect(body.name).toBe(ERROR_NAMES[status]);
  expect(body.message).toMatch(/\w.*\.$/s);
  if (status === 401) expect(JSON.stringify(body)).toContain('/auth/simple/login');
}

describe('the contract', () => {
  it.each(CASES.map((one) => [nameOf(one), one] as const))('%s', async (_name, one) => {
    const answer = await one.send(world);
    expect(answer.status, JSON.stringify(answer.body)).toBe(one.status);
    expectAnswer(answer, ANSWERS[one.operation]);
    await one.check?.(answer, world);
  });

  it('has a case for every status of every operation, and none beside', () => {
    expect(rows().filter((row) => casesOf(row).length === 0)).toEqual([]);
    const known = new Set(rows().flatMap(casesOf));
    expect(CASES.filter((one) => !known.has(one))).toEqual([]);
    expect(new Set(CASES.map(nameOf)).size).toBe(CASES.length);
  });

  it('has the table of its proofs in docs/reference/tables/contract-proof.md; UPDATE_PROOF=1 writes it', () => {
    if (process.env.UPDATE_PROOF) writeFileSync(PROOF, proofText());
    expect(readFileSync(PROOF, 'utf8')).toBe(proofText());
  });
});
