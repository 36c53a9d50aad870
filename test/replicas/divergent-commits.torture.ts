import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runStore } from '../products/maintenance/store-command.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

describe('divergent commits of a replica', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const create = (replica: ReplicaProcess, name: string) =>
    untilTrue(async () => [201, 409].includes((await replica.create(name)).status), `${name} is written`);

  const flags = '/api/admin/projects/default/features';
  const turnOn = async (replica: ReplicaProcess, name: string) =>
    expect((await replica.call('POST', `${flags}/${name}/environments/development/on`)).status).toBe(200);
  const describeAs = async (replica: ReplicaProcess, name: string, description: string) =>
    expect((await replica.call('PUT', `${flags}/${name}`, { body: { name, description } })).status).toBe(200);

  /** Only `a` has `lost`, has `switched` on, and has the description of `both`. It was stopped while `b` continued, and is still stopped. */
  const split = async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await create(a, 'both');
    await create(a, 'switched');
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await create(a, 'lost');
    await turnOn(a, 'lost');
    await turnOn(a, 'switched');
    await describeAs(a, 'both', 'as a had it');
    a.signal('SIGSTOP');
    await fleet.redis.restore('early');
    await b.start();
    await create(b, 'kept');
    await describeAs(b, 'both', 'as b has it');
    return { a, b };
  };

  const divergentFile = (replica: ReplicaProcess): string => {
    const [name, ...more] = readdirSync(replica.directory).filter((file) => /^divergent-.*\.ndjson$/.test(file));
    expect(more).toEqual([]);
    return name ?? '';
  };

  const eventsOf = async (replica: ReplicaProcess, type: string): Promise<Any[]> =>
    (await replica.call('GET', '/api/admin/events?limit=100')).json.events.filter((event: Any) => event.type === type);

  it('are logged with the name of their file by the replica that gives them up, and again when it starts', async () => {
    const { a, b } = await split();
    a.signal('SIGCONT');
    await untilTrue(async () => (await a.ready()).json?.losses?.adopted === 1, 'it adopts what Redis has');
    const file = divergentFile(a);
    const { losses } = (await a.ready()).json;
    expect(losses.divergentFile).toBe(join(a.directory, file));
    const head = JSON.parse(readFileSync(losses.divergentFile, 'utf8').split('\n', 1)[0] ?? '');
    expect(losses.givenUp).toBe(head.throughSeq - head.fromSeq + 1);
    const lines = a.log.split('\n').filter((line) => line.includes(`"file":${JSON.stringify(losses.divergentFile)}`));
    expect(lines).toHaveLength(1);
    await a.end();
    await a.start();
    await create(a, 'later');
    await fleet.expectAgreement();
    expect(a.log).toContain(`"files":${JSON.stringify([file])}`);
    expect((await b.call('GET', '/internal-backstage/prometheus')).text).toContain('burgee_given_up_commits_total 0\n');
  });

  it('are shown by the reapply command, and applied again once, where they fit, while replicas run', async () => {
    const { a, b } = await split();
    a.signal('SIGCONT');
    await untilTrue(async () => (await a.ready()).json?.losses?.adopted === 1, 'it adopts what Redis has');
    const file = join(a.directory, divergentFile(a));
    const reapply = async (...options: string[]) => {
      const { code, stdout, stderr } = await runStore(['reapply', file, ...options]);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    const shown = await reapply();
    expect(shown).toMatch(/^.*: revisions \d+ to \d+ of epoch .*, dropped by the replica at 20.*Z\n/);
    expect(shown).toContain('made flag "lost" in project "default"');
    expect(shown).toMatch(/revision \d+, 20.*Z, by ".+"\n {2}changed flag "switched": .*enabled.*true/);
    expect(shown).toContain('description: null → "as a had it"');
    const before = (await fleet.expectAgreement()).revision;
    const tried = await reapply('--to', fleet.redis.url);
    expect(tried).toContain('3 would fit');
    expect((await fleet.expectAgreement()).revision).toBe(before);

    const applied = await reapply('--to', fleet.redis.url, '--apply');
    expect(applied).toMatch(/3 applied again in .*, 0 applied again before, 1 do not fit\./);
    expect(applied).toContain('→ does not fit: flag "both" was changed since');
    const { names, revision } = await fleet.expectAgreement();
    expect([...names].sort()).toEqual(['both', 'kept', 'lost', 'switched']);
    expect(revision).toBe(before + 3);
    const { features } = (await b.poll()).json;
    const found = Object.fromEntries(features.map((flag: Any) => [flag.name, flag]));
    expect([found.lost.enabled, found.switched.enabled, found.both.description]).toEqual([true, true, 'as b has it']);
    const events = await eventsOf(a, 'history-reapplied');
    const author = (await eventsOf(a, 'feature-created'))[0].createdBy;
    expect(events.map(({ featureName, createdBy }) => [featureName, createdBy]).sort()).toEqual([
      ['lost', author],
      ['lost', author],
      ['switched', author],
    ]);

    // After this deletion it would fit again, but no one has asked for that.
    expect((await b.call('DELETE', `${flags}/lost`)).status).toBe(202);
    expect((await b.call('DELETE', '/api/admin/archive/lost')).status).toBe(200);
    expect(await reapply('--to', fleet.redis.url, '--apply')).toMatch(
      /0 applied again in .*, 3 applied again before, 1 do not/,
    );
    expect((await fleet.expectAgreement()).names).not.toContain('lost');
    expect((await a.create('written-by-a')).status).toBe(201);
    expect((await b.create('written-by-b')).status).toBe(201);
    await fleet.expectAgreement();
  });
});
