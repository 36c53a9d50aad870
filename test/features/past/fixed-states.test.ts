import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OwnAsker } from '../../../src/base/asking/asker.ts';
import type { FixedState } from '../../../src/state/fixed-state.ts';
import { APPLIED_AT_ONCE_MAX } from '../../../src/state/state.ts';
import { flag, prepare } from '../../support/admin.ts';
import { ADMIN_TOKEN, useService } from '../../support/service.ts';

const service = useService();

afterEach(() => vi.restoreAllMocks());

async function put(count: number, description: string): Promise<void> {
  await prepare(service, (draft) => {
    for (let index = 0; index < count; index++) draft.put('features', flag(`flag-${index}`, { description }));
  });
}

function begin(count = 1) {
  const { fixedStates } = service.running.services;
  return Array.from({ length: count }, () => {
    const asker = new OwnAsker();
    return { asker, state: fixedStates.until(asker) };
  });
}

const seen = ({ state }: ReturnType<typeof begin>[number]) => state.get('features', 'flag-0')?.description;

describe('the states of answers', () => {
  it('are shared by all answers that begin at one moment, and end with the last of them', async () => {
    await put(1, 'first');
    const [one, other] = [...begin(), ...begin()] as [ReturnType<typeof begin>[0], ReturnType<typeof begin>[0]];
    expect(other.state).toBe(one.state);
    await put(1, 'second');
    expect(begin()[0]?.state).not.toBe(one.state);
    one.asker.end();
    await put(1, 'third');
    expect([seen(other), other.state.isLost]).toEqual(['first', false]);
    expect(other.state.kept).toBe(1);
    other.asker.end();
    await put(1, 'fourth');
    expect([other.state.isLost, other.state.kept]).toEqual([true, 0]);
  });

  it('are kept for the newest answers only, if a commit would have to add too much to them', async () => {
    const answers: ReturnType<typeof begin> = [];
    for (let count = 0; count < 20; count++) {
      await put(1, `before ${count}`);
      answers.push(...begin());
    }
    await put(APPLIED_AT_ONCE_MAX, 'after');
    const descriptions = answers.map(seen);
    expect(descriptions.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 'after'));
    expect(descriptions.slice(12)).toEqual(Array.from({ length: 8 }, (_, index) => `before ${12 + index}`));
    expect(answers.map(({ state }) => state.kept > 0)).toEqual(answers.map((_, index) => index >= 12));
    for (const { asker } of answers) asker.end();
  });

  it('read the current state after a large commit', async () => {
    await put(1, 'before');
    const [answer] = begin();
    await put(APPLIED_AT_ONCE_MAX + 1, 'after');
    expect(answer && seen(answer)).toBe('after');
    await put(1, 'later');
    expect([answer && seen(answer), answer?.state.kept]).toEqual(['later', 0]);
    answer?.asker.end();
  });

  it('end when the reader of an answer disconnects', async () => {
    const { fixedStates } = service.running.services;
    for (let from = 0; from < 2_000; from += 100) {
      await prepare(service, (draft) => {
        for (let index = from; index < from + 100; index++)
          draft.put('features', flag(`long-${index}`, { description: 'd'.repeat(4_000) }));
      });
    }
    const until = vi.spyOn(fixedStates, 'until');
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const path = '/api/admin/projects/default/features';
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${ADMIN_TOKEN}\r\n\r\n`);
    // The rest of the answer does not fit into the buffers of the socket, which is not read.
    await new Promise((resolve) => socket.once('readable', resolve));
    const state = until.mock.results[0]?.value as FixedState;
    await put(1, 'meanwhile');
    expect([state.isLost, state.kept]).toEqual([false, 1]);
    socket.destroy();
    await vi.waitFor(() => expect([state.isLost, state.kept]).toEqual([true, 0]));
  });
});
