import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { type CompiledFlag, compileFlag } from '../../../src/evaluation/compile.ts';
import { ExpensiveFlags } from '../../../src/views/flags/expensive-flags.ts';
import { flagDefinition } from '../../evaluation/wire.ts';

/** A flag with so many conditions, each of which searches the longest value: about 25 µs. */
function flagWith(conditions: number, name = 'flag'): CompiledFlag {
  const constraints = Array.from({ length: conditions }, (_, index) => ({
    contextName: 'text',
    operator: 'STR_CONTAINS' as const,
    values: [`value ${index}`],
  }));
  const definition = flagDefinition({ name, enabled: true, strategies: [{ name: 'default', constraints }] });
  return compileFlag(definition, () => undefined);
}

function started() {
  const logged: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => logged.push(fields) } as unknown as Logger;
  return { logged, flags: new ExpensiveFlags(1_000, logger) };
}

describe('flags that cost much more than the limit', () => {
  it('are logged once in each environment, and again after they were cheaper', () => {
    const { logged, flags } = started();
    flags.check(flagWith(41), 'development');
    expect(logged).toEqual([]);
    for (const environment of ['development', 'development', 'production']) flags.check(flagWith(100), environment);
    expect(logged).toEqual(
      ['development', 'production'].map((environment) => ({
        flag: 'flag',
        environment,
        limitUs: 1_000,
        costUs: expect.any(Number),
      })),
    );
    flags.check(flagWith(1), 'development');
    flags.check(flagWith(100), 'development');
    expect(logged).toHaveLength(3);
  });

  it('are named only up to a number', () => {
    const { logged, flags } = started();
    for (let index = 0; index < 150; index++) flags.check(flagWith(100, `flag-${index}`), 'development');
    expect(logged).toHaveLength(101);
    expect(logged.at(-1)).toEqual({ named: 100 });
  });
});
