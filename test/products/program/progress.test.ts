import { expect, it } from 'vitest';
import { progressOn } from '../../../src/products/program/progress.ts';
import type { ProgramIo } from '../../../src/products/program/subcommand.ts';

/** What is written, and a display that writes it. */
function displayed(isTerminal: boolean) {
  const written: string[] = [];
  const display = progressOn({ err: (text: string) => void written.push(text), isTerminal } as unknown as ProgramIo);
  return { written, display };
}

it('on a terminal is one bar, whose line ends before other output', () => {
  const { written, display } = displayed(true);
  display.end();
  expect(written).toEqual([]);
  display.tell('flags', 1, 4);
  display.tell('flags', 4, 4);
  expect(written).toHaveLength(2);
  expect(written[0]).toMatch(/^\r\[#{6}\.{18}\] flags: 1 of 4/);
  expect(written[1]).toMatch(/^\r\[#{24}\] flags: 4 of 4/);
  display.end();
  display.end();
  expect(written.slice(2)).toEqual(['\n']);
});

it('elsewhere has no bar, and no line that ends', () => {
  const { written, display } = displayed(false);
  display.tell('flags', 4, 4);
  display.end();
  expect(written).toEqual([]);
});
