import { beforeEach, expect, it, vi } from 'vitest';
import { chooseFront, FrontError } from '../../../src/http/front/choose.ts';
import type { FrontKind } from '../../../src/http/front/front.ts';

const load = vi.hoisted(() => ({ fault: undefined as unknown }));

vi.mock('../../../src/http/front/fast/uws.ts', () => ({
  loadUws() {
    if (load.fault) throw load.fault;
    return {};
  },
}));

beforeEach(() => {
  load.fault = undefined;
});

const choose = (wanted?: FrontKind) => {
  const { kind, reason } = chooseFront(wanted, { keepAliveMs: 1_000 });
  return [kind, reason];
};

it('the fast front is chosen where it loads, unless the one of Node is wanted', () => {
  expect([choose(), choose('fast'), choose('node')]).toEqual([
    ['fast', undefined],
    ['fast', undefined],
    ['node', undefined],
  ]);
});

it('where it has no binary, the front of Node is chosen with the reason, and it is refused if it is wanted', () => {
  load.fault = new Error("Cannot find module 'uWebSockets.js'");
  expect([choose(), choose('node')]).toEqual([
    ['node', 'uWebSockets.js is not installed'],
    ['node', undefined],
  ]);
  const refusal = new FrontError('HTTP_FRONT is fast, but uWebSockets.js is not installed');
  expect(() => choose('fast')).toThrow(refusal);
  expect(refusal.name).toBe('FrontError');
});

it('any other error of it is not hidden by another front', () => {
  load.fault = new Error('broken in another way');
  expect(() => choose()).toThrow('broken in another way');
  // The front of Node does not need it.
  expect(choose('node')).toEqual(['node', undefined]);
});
