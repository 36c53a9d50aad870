import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPEND } from '../../../src/stores/redis/append-scripts.ts';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { CONFIRM, LOOK, REFILL, REPORT_POSITION } from '../../../src/stores/redis/history-scripts.ts';
import { toStatus } from '../../../src/stores/redis/history-status.ts';
import { keysOf, STORE_FORMAT } from '../../../src/stores/redis/keys.ts';
import { FILL } from '../../../src/stores/redis/redis-staging.ts';
import { type Argument, Session } from '../../../src/stores/redis/session.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { isDeep } from '../../support/tiers/depth.ts';
import { type Bounds, keyOf, movesOf, type Server, type Step, start } from './lineage-model.ts';

const RUN = 'run';
const VERSION = '7';
const keys = keysOf('model');

/** Every distinct step of a script in all reachable worlds. */
function stepsOf(bounds: Bounds): readonly Step[] {
  const worlds = [start(bounds)];
  const known = new Set([keyOf(start(bounds))]);
  const steps = new Map<string, Step>();
  for (const world of worlds) {
    for (const { next, step } of movesOf(world, bounds.only)) {
      if (step) steps.set(renamed(JSON.stringify(step)), step);
      const key = keyOf(next);
      if (known.has(key)) continue;
      known.add(key);
      worlds.push(next);
    }
  }
  return [...steps.values()];
}

/** Gives epochs canonical names, so that steps that differ only in these names are equal. */
function renamed(text: string): string {
  const names = new Map<string, string>();
  return text.replace(/\be\d+\b/g, (epoch) => {
    const name = names.get(epoch) ?? `x${names.size}`;
    names.set(epoch, name);
    return name;
  });
}

describe('the scripts in Redis', () => {
  let server: RedisServer;
  let session: Session;

  beforeAll(async () => {
    server = await RedisServer.start({ args: ['--appendfsync', 'no'] });
    const address = { host: '127.0.0.1', port: server.port };
    session = await Session.open(parseConnectionString(server.url), address, { connectMs: 2_000, commandMs: 5_000 });
  });

  afterAll(async () => {
    session.drop('done');
    await server.dispose();
  });

  /** Writes the content of the model's server to Redis, in the format of the scripts. */
  const put = async ({ line, writes, isConfirmed, isGraceOver, isIncomplete, positions }: Server) => {
    const { epoch, seq, writeId, ancestors } = line;
    await session.command('FLUSHALL');
    if (epoch !== '') {
      const historyStatus = {
        format: STORE_FORMAT,
        epoch,
        tip: seq,
        tipWrite: writeId,
        firstSeq: 1,
        lastEvent: 0,
      };
      const fields = { ...historyStatus, ancestors: JSON.stringify(ancestors), run: isConfirmed ? RUN : '' };
      await session.command('HSET', keys.meta, ...Object.entries(fields).flat());
    }
    for (const [at, write] of writes.entries()) {
      await session.command('XADD', keys.log, `${at + 1}-0`, 'w', write, 'd', write);
    }
    if (isIncomplete) await session.command('DEL', keys.log);
    if (isConfirmed || positions.length === 0) return;
    const started = isGraceOver ? 0 : Date.now() + 1_000_000;
    await session.command('HSET', keys.election, 'about', about(line), 'started', started, 'version', VERSION);
    await session.command('PEXPIRE', keys.election, 60_000);
    for (const reportedPosition of positions)
      await session.command('HSET', keys.lines, reportedPosition.replica, JSON.stringify(reportedPosition));
  };

  const about = ({ epoch, seq }: Server['line']) => `${RUN} ${epoch} ${seq}`;

  /** The status that a replica reads. */
  const look = async (asked: Server['line']) =>
    toStatus(
      await session.run(
        LOOK,
        [keys.meta, keys.log, keys.election, keys.lines, keys.events, keys.pieces('')],
        [RUN, asked.seq, '', '', ''],
      ),
      asked,
      null,
    );

  const run = async ({ script, before, after, replica, position }: Step) => {
    const found: Argument[] = [before.line.epoch, before.line.seq];
    const { epoch, ancestors } = after.line;
    const ancestorsJson = JSON.stringify(ancestors);
    if (script === 'claim') {
      const reportedPosition = JSON.stringify(after.positions.find((each) => each.replica === replica));
      return session.run(
        REPORT_POSITION,
        [keys.meta, keys.election, keys.lines],
        [RUN, ...found, replica, reportedPosition, 30_000],
      );
    }
    if (script === 'confirm') {
      const args = [STORE_FORMAT, RUN, ...found, VERSION, epoch, ancestorsJson, keys.hints, replica];
      return session.run(CONFIRM, [keys.meta, keys.election, keys.lines], args);
    }
    if (script === 'refill') {
      const where = [keys.meta, keys.log, keys.events, keys.election, keys.lines, keys.pieces('none')];
      const content = [position.seq, position.writeId, '{}', 0, ancestorsJson, keys.hints, 0, 0, VERSION];
      return session.run(REFILL, where, [STORE_FORMAT, RUN, replica, ...found, epoch, ...content]);
    }
    if (script === 'fill') {
      const staged = keys.pieces('staged');
      const content = [after.line.seq, after.line.writeId, 0, '{}', 0, ancestorsJson, 0];
      return session.run(
        FILL,
        [keys.meta, keys.log, keys.events, keys.election, staged, keys.pieces('none')],
        [STORE_FORMAT, epoch, RUN, ...content],
      );
    }
    const guard = [STORE_FORMAT, before.line.epoch, RUN, before.line.seq, before.line.writeId];
    const batch = [after.line.writeId, replica, 0, keys.hints, 0, 1, 0, after.line.writeId];
    return session.run(APPEND, [keys.meta, keys.log, keys.events], [...guard, ...batch]);
  };

  it('make the same change as the model in every step', async () => {
    const worlds: Bounds[] = [
      { policies: ['refill', 'refill'], commits: 1, faults: isDeep ? 2 : 1 },
      { policies: ['refill', 'halt'], commits: 1, faults: 1 },
      { policies: ['refill'], commits: 1, faults: 1, embedded: 1 },
      { policies: ['refill', 'halt'], commits: 1, faults: 2, only: /loses keys|starts again/ },
    ];
    const steps = worlds.flatMap(stepsOf);
    expect(steps.some(({ before }) => before.isIncomplete)).toBe(true);
    for (const step of steps) {
      const { script, before, after, position } = step;
      await put(before);
      const found = await look(position);
      const what = JSON.stringify(step);
      expect({ line: found.serverPosition, isConfirmed: found.isConfirmed, missing: found.missing }, what).toEqual({
        line: before.line.epoch === '' ? null : before.line,
        isConfirmed: before.isConfirmed,
        missing: before.isIncomplete ? 'entries of its log are missing' : null,
      });
      const expected = {
        claim: 'claimed',
        confirm: 'confirmed',
        refill: 'refilled',
        append: 'appended',
        fill: 'filled',
      }[script];
      expect(String(await run(step)), what).toBe(expected);
      const status = await look(after.line);
      expect(status.serverPosition ?? after.line, what).toEqual(after.line);
      expect([status.serverPosition !== null, status.isConfirmed], what).toEqual([
        after.line.epoch !== '',
        after.isConfirmed,
      ]);
      const positions = (all: Server['positions']) =>
        all.map((reportedPosition) => JSON.stringify(reportedPosition)).sort();
      expect(positions(status.positions), what).toEqual(positions(after.positions));
      // A second run finds that the state has changed, and changes nothing.
      if (script === 'confirm' || script === 'refill') expect(String(await run(step)), what).toBe('changed');
    }
    console.info(`lineage scripts: ${steps.length} distinct transitions checked on Redis`);
    expect(steps.length).toBeGreaterThan(100);
  }, 300_000);
});
