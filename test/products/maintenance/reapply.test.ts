import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/products/maintenance/store-commands.ts';
import type { AppliedCommit } from '../../../src/state/state.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { expectRefusal } from './store-command.ts';

// biome-ignore lint/suspicious/noExplicitAny: entities are taken apart freely
type Any = any;

const PROJECT = { id: 'shop', name: 'shop' };

/** The requests for the commits that a replica has and Redis lost. */
const WRITES: readonly [operationId: string, options: Any][] = [
  ['createProject', { body: PROJECT }],
  ['createFeature', { params: { projectId: 'shop' }, body: { name: 'in-shop' } }],
  ['createSegment', { body: { name: 'people', constraints: [] } }],
  [
    'createApiToken',
    {
      body: {
        type: 'client',
        tokenName: 'lost-token',
        environment: 'development',
        projects: ['default'],
      },
    },
  ],
];

describe('divergent commits', () => {
  let root: string;
  let number = 0;
  /** The lines that a replica writes when it gives up these commits, made by a real service. */
  const lines: Any[] = [];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'burgee-reapply-'));
    const service = await startTestService();
    const applied: AppliedCommit[] = [];
    service.running.services.replica.onApplied((commit) => applied.push(commit));
    for (const [operationId, options] of WRITES) {
      const { status, text } = await service.call(operationId, options);
      expect(status, text).toBe(201);
    }
    for (const { commit, changes } of applied) {
      const { seq, writeId, at, by } = commit;
      const saved = changes.map(({ collection, key, before, after }) => ({
        collection,
        key,
        before: before ?? null,
        after: after ?? null,
      }));
      lines.push({ kind: 'commit', seq, writeId, at, by, changes: saved });
    }
    await service.close();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  let directory: string;
  beforeEach(() => {
    number += 1;
    directory = join(root, `store-${number}`);
  });

  const fileOf = (commits: readonly Any[], head: Any = {}): string => {
    const path = join(root, `surplus-${number}.ndjson`);
    const seqs = commits.map(({ seq }) => seq);
    const first = {
      kind: 'surplus',
      epoch: 'gone',
      writeId: 'w',
      fromSeq: seqs[0] ?? 1,
      throughSeq: seqs.at(-1) ?? 1,
      savedAt: '2026-01-01T00:00:00.000Z',
      ...head,
    };
    writeFileSync(path, [first, ...commits].map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };

  /** Makes a store of another history, and calls `work` with a service on it. */
  const withStore = async (work: (service: TestService) => Promise<void> = async () => {}): Promise<string> => {
    const service = await startTestService({ directory });
    try {
      await work(service);
    } finally {
      await service.close();
    }
    return `lmdb:${directory}`;
  };

  const secret = () => commitOf('apiTokens').changes[0].key;
  const apply = (file: string, to: string) => runCommand(['reapply', file, '--to', to, '--apply'], () => {});
  const commitOf = (collection: string, key?: string): Any =>
    lines.find(({ changes }) =>
      changes.some((change: Any) => change.collection === collection && (!key || change.key === key)),
    );

  it('are all applied again on a history without them, each as a commit of its author, and shown without secrets', async () => {
    const file = fileOf(lines);
    const to = await withStore();
    for (const text of [await runCommand(['reapply', file], () => {}), await apply(file, to)]) {
      expect(text).toContain('made API token "lost-token"');
      expect(text).toContain('made flag "in-shop" in project "shop"');
      expect(text).toContain('made segment "people" (1)');
      expect(text).not.toContain(secret());
    }
    await withStore(async (service) => {
      const list = await service.call('getAllClientFeatures', { token: secret() });
      expect(list.status, list.text).toBe(200);
      const { body } = await service.call('getAllClientFeatures', { token: CLIENT_TOKEN });
      expect(body.features.map(({ name }: Any) => name)).toContain('in-shop');
      const { events } = (await service.call('getEvents')).body;
      const again = events.filter(({ type }: Any) => type === 'history-reapplied');
      expect(again.map(({ featureName }: Any) => featureName)).toContain('in-shop');
      for (const { createdBy, data } of again) {
        expect(lines.map(({ by }) => by.name)).toContain(createdBy);
        expect(data).toMatchObject({ epoch: 'gone', committedAt: expect.stringMatching(/^20/) });
      }
      expect(JSON.stringify(again)).not.toContain(secret());
    });
    expect(await apply(file, to)).toMatch(
      new RegExp(`0 applied again .*${lines.length} applied again before, 0 do not fit`),
    );
  });

  it.each([
    [
      'their entities exist already',
      () => [commitOf('features', 'in-shop')],
      async (service: TestService) => {
        await service.call('createProject', { body: PROJECT });
        await service.call('createFeature', { params: { projectId: 'shop' }, body: { name: 'in-shop' } });
      },
      'flag "in-shop" exists already',
    ],
    [
      'they need a missing entity',
      () => [commitOf('features', 'in-shop')],
      async () => {},
      'flag "in-shop" needs "shop" of projects, which does not exist',
    ],
    [
      'an id is used by another entity',
      () => [commitOf('segments')],
      async (service: TestService) => {
        await service.call('createSegment', { body: { name: 'others', constraints: [] } });
      },
      'exists already',
    ],
    [
      'a name is used by another entity',
      () => [commitOf('apiTokens')],
      async (service: TestService) => {
        await service.call('createApiToken', {
          body: { type: 'client', tokenName: 'lost-token', environment: 'development', projects: ['default'] },
        });
      },
      'API token "lost-token" has a name that is in use now',
    ],
    [
      'they are about users',
      () => [
        {
          ...lines[0],
          changes: [
            {
              collection: 'sessions',
              key: 'hash-of-it',
              before: null,
              after: { secret: 'hash-of-it', userId: 1 },
            },
          ],
        },
      ],
      async () => {},
      'sessions is not applied again',
    ],
  ] as const)('are left out, with the reason, when %s', async (_when, commits, before, why) => {
    const file = fileOf(commits());
    const to = await withStore(before as (service: TestService) => Promise<void>);
    const text = await apply(file, to);
    expect(text).toContain(`→ does not fit: `);
    expect(text).toContain(why);
    expect(text).toContain('0 applied again');
    expect(text).not.toContain('hash-of-it');
  });

  it('are left out when they removed an entity that is in use now', async () => {
    const commit = commitOf('projects', 'shop');
    const to = await withStore();
    await apply(fileOf([commit]), to);
    await withStore(async (service) => {
      await service.call('createFeature', { params: { projectId: 'shop' }, body: { name: 'newer' } });
    });
    const { after } = commit.changes.find(({ collection }: Any) => collection === 'projects');
    const removal = { collection: 'projects', key: 'shop', before: after, after: null };
    const file = fileOf([{ ...commit, writeId: 'removal', changes: [removal] }]);
    expect(await apply(file, to)).toContain('→ does not fit: project "shop" is in use now');
    await withStore(async (service) => {
      const params = { projectId: 'shop' };
      await service.call('archiveFeature', { params: { ...params, featureName: 'newer' } });
      await service.call('deleteFeature', { params: { featureName: 'newer' } });
    });
    expect(await apply(file, to)).toContain('1 applied again');
  });

  it('are refused in one line if the file is incomplete, is another one, or has differences only', async () => {
    const to = await withStore();
    const whole = fileOf(lines);
    await expectRefusal(['reapply', join(root, 'missing'), '--to', to], /cannot read .*missing/);
    await expectRefusal(['reapply', whole, '--apply'], /needs --to/);
    await expectRefusal(['reapply', '--to', to], /needs a file/);
    await expectRefusal(['reapply', whole, '--to', 'file:/tmp/x'], /must be a store/);
    await expectRefusal(['copy', '--from', to, '--to', to, '--apply'], /--apply can be used only with reapply/);
    await expectRefusal(
      ['reapply', fileOf(lines.slice(1), { fromSeq: lines[0].seq }), '--to', to],
      /1 of its commits are missing/,
    );
    const path = fileOf(lines);
    writeFileSync(path, 'not json\n');
    await expectRefusal(['reapply', path, '--to', to], /is not a file of divergent commits/);
    writeFileSync(fileOf([], { throughSeq: 1 }), '{"kind":"comm', { flag: 'a' });
    await expectRefusal(['reapply', path, '--to', to], /damaged: line 2/);
    const edited = { ...lines[0], changes: [{ ...lines[0].changes[0], key: 'another' }] };
    await expectRefusal(['reapply', fileOf([edited]), '--to', to], /damaged: line 2/);
    const [change] = lines[0].changes;
    const differing = fileOf([{ kind: 'difference', ...change, seq: 1 }]);
    expect(await runCommand(['reapply', differing, '--to', to], () => {})).toMatch(/differences of two states/);
    await expectRefusal(['reapply', differing, '--to', to, '--apply'], /nothing was applied again.*by hand/);
  });

  it('are shown without control characters that a terminal would execute', async () => {
    const [change] = commitOf('projects', 'shop').changes.filter(({ collection }: Any) => collection === 'projects');
    const name = '\u001b[31m\u009b2J\u202e';
    const commit = { ...commitOf('projects', 'shop'), by: { id: 1, name } };
    commit.changes = [{ ...change, before: change.after, after: { ...change.after, name } }];
    const text = await runCommand(['reapply', fileOf([commit])], () => {});
    expect(text).toContain('\\u001b[31m\\u009b2J\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});
