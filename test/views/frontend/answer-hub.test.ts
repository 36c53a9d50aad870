import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { AnswerHub, revisionOf } from '../../../src/views/frontend/answer-hub.ts';
import { Flags } from '../../support/flags.ts';
import { FRONTEND_TOKEN, useService } from '../../support/service.ts';

const service = useService();

it('a hub knows since which version no flag has changed, although the position has', async () => {
  const { clock, flagViews, tokens } = service.running.services;
  const scope = tokens.find(FRONTEND_TOKEN)?.scope;
  if (!scope) throw new Error('the token has no scope');
  let position = 'first';
  let published = () => {};
  const source = {
    clock,
    logger: silentLogger,
    flags: () => flagViews.snapshotOf(scope),
    position: () => position,
  };
  const hub = new AnswerHub(scope, source, () => published());
  await hub.whenPublished();
  const next = async (now: string) => {
    position = now;
    const done = new Promise<void>((resolve) => {
      published = resolve;
    });
    hub.wake();
    await done;
  };
  const isUnchangedSince = (...positions: readonly string[]) =>
    positions.map((each) => hub.isUnchangedSince(revisionOf(each)));
  await next('second');
  await next('third');
  expect(isUnchangedSince('first', 'second', 'third', 'another')).toEqual([true, true, true, false]);
  await new Flags(service).create();
  await next('fourth');
  await next('fifth');
  expect(isUnchangedSince('third', 'fourth', 'fifth')).toEqual([false, true, true]);
  hub.close();
});
