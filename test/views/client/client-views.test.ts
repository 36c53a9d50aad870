import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Scope } from '../../../src/model/caller.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Change } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import type { ClientFormat } from '../../../src/views/client/fragment.ts';
import { type ClientQuery, EVERYTHING } from '../../../src/views/client/query.ts';
import { Piece } from '../../../src/views/payload/piece.ts';
import { flag, switchedOn } from '../../support/admin.ts';
import { commitOf, history } from '../../support/random-state.ts';
import { atDepth } from '../../support/tiers/depth.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

const SCOPES: readonly Scope[] = [
  { environment: 'development', projects: null },
  { environment: 'production', projects: new Set(['default']) },
  { environment: 'development', projects: new Set(['p1', 'p2']) },
];
const QUERIES: readonly ClientQuery[] = [
  EVERYTHING,
  { ...EVERYTHING, namePrefix: 'flag-1' },
  { ...EVERYTHING, tags: [{ type: 'simple', value: 'one' }] },
  { ...EVERYTHING, projects: ['p1'] },
];
const FORMATS: readonly ClientFormat[] = [1, 2];

/** Indexes of the payloads below that are unfiltered and of version 2. */
const UNFILTERED_2 = new Set(SCOPES.map((_scope, index) => index * QUERIES.length * FORMATS.length + 1));

const AT = '2026-01-01T00:00:00.000Z';

const PROJECT: Change = {
  collection: 'projects',
  key: 'default',
  entity: {
    id: 'default',
    name: 'd',
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development'],
    createdAt: AT,
    updatedAt: AT,
    archivedAt: null,
  },
};

function flagOf(index: number, description: string, tags: Feature['tags'] = []): Change {
  const name = `flag-${index}`;
  const entity: Feature = {
    name,
    project: 'default',
    type: 'release',
    description,
    stale: false,
    archived: false,
    archivedAt: null,
    impressionData: false,
    createdAt: AT,
    createdBy: { id: 1, name: 'somebody' },
    tags,
    dependencies: [],
    environments: [],
  };
  return { collection: 'features', key: name, entity };
}

function withoutMeta(text: string): string {
  return text.replace(/,"query":.*$/, '');
}

async function payloads(views: ClientViews): Promise<{ etag: string; text: string }[]> {
  const answers: { etag: string; text: string }[] = [];
  const problems: string[] = [];
  for (const scope of SCOPES) {
    for (const query of QUERIES) {
      for (const format of FORMATS) {
        const view = query === EVERYTHING ? views.view(scope, format) : views.filteredView(scope, query, format);
        await view.refresh();
        const text = Buffer.concat(view.identity.parts).toString();
        const { identity, gzip } = view;
        const isInOneAlike = [identity, gzip].every(
          ({ parts, buffer }) => buffer === undefined || Buffer.concat(parts).equals(buffer),
        );
        const isCompressedAlike = gunzipSync(Buffer.concat(gzip.parts)).toString() === text;
        const isComplete = gzip.buffer !== undefined && identity.lengthBytes === Buffer.byteLength(text);
        if (!isInOneAlike || !isCompressedAlike || !isComplete) problems.push(text);
        JSON.parse(text);
        answers.push({ etag: view.etag, text });
      }
    }
  }
  expect(problems).toEqual([]);
  return answers;
}

describe('client views', () => {
  it('updated commit by commit equal those built from scratch byte for byte, with the same ETags', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 7 }), async (commits, pollEvery) => {
        const state = new State();
        const views = new ClientViews(state);
        for (const commit of commits) {
          views.apply(state.apply(commit));
          if (commit.seq % pollEvery === 0) await payloads(views);
        }
        expect(await payloads(views)).toEqual(await payloads(new ClientViews(state)));
      }),
      { numRuns: atDepth({ quick: 25, full: 300 }) },
    );
  });

  it('change their ETag when their content changes, and in version 2 at no other time', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commits) => {
        const state = new State();
        const views = new ClientViews(state);
        let before: { etag: string; text: string }[] | undefined;
        for (const commit of commits) {
          views.apply(state.apply(commit));
          const after = await payloads(views);
          for (const [index, { etag, text }] of after.entries()) {
            const previous = before?.[index];
            if (!previous) continue;
            // Version 2 also contains the revision: that alone must not change the ETag.
            const [content, contentBefore] = [withoutMeta(text), withoutMeta(previous.text)];
            if (content !== contentBefore) expect(etag).not.toBe(previous.etag);
            else if (UNFILTERED_2.has(index)) expect(etag).toBe(previous.etag);
          }
          before = after;
        }
      }),
      { numRuns: atDepth({ quick: 20, full: 200 }) },
    );
  });

  it('keep the list of one project unchanged when another project changes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commits) => {
        const state = new State();
        const views = new ClientViews(state);
        const scope: Scope = { environment: 'development', projects: new Set(['default']) };
        for (const commit of commits) {
          await views.view(scope, 2).refresh();
          const { etag } = views.view(scope, 2);
          const applied = state.apply(commit);
          views.apply(applied);
          await views.view(scope, 2).refresh();
          if (!applied.commit.touched.includes('development/default') && etag !== '')
            expect(views.view(scope, 2).etag).toBe(etag);
        }
      }),
      { numRuns: atDepth({ quick: 20, full: 200 }) },
    );
  });

  it('compress only the chunk of a list that changed', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const view = views.view({ environment: 'development', projects: null }, 2);
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply([PROJECT, ...Array.from({ length: 1_000 }, (_, index) => flagOf(index, `about ${index}`))]);
    await view.refresh();
    void view.gzip;
    const before = new Set(view.pieces);

    apply([flagOf(7, 'about seven and what it is for')]);
    expect(view.refresh()).toBeUndefined();
    const uncompressed = view.pieces.filter(({ uncompressedBytes }) => uncompressedBytes > 0);
    expect(uncompressed).toHaveLength(1);
    expect(before.size).toBeGreaterThan(8);
    expect(gunzipSync(Buffer.concat(view.gzip.parts)).toString()).toContain('about seven');
  });

  it('compress no large chunk on the event loop', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const scope: Scope = { environment: 'development', projects: null };
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const describedAs = (word: string) => `${word} `.repeat(200);
    apply([PROJECT, ...Array.from({ length: 1_000 }, (_, index) => flagOf(index, describedAs(`${index}`)))]);
    const [aside, onLoop]: [number[], number[]] = [[], []];
    const { deflateAside } = Piece.prototype;
    const deflated = Object.getOwnPropertyDescriptor(Piece.prototype, 'deflated')?.get as () => Uint8Array;
    vi.spyOn(Piece.prototype, 'deflateAside').mockImplementation(function (this: Piece) {
      aside.push(this.lengthBytes);
      return deflateAside.call(this);
    });
    vi.spyOn(Piece.prototype, 'deflated', 'get').mockImplementation(function (this: Piece) {
      if (this.uncompressedBytes > 0) onLoop.push(this.lengthBytes);
      return deflated.call(this);
    });
    const view = views.view(scope, 2);
    await view.refresh();
    const text = gunzipSync(Buffer.concat(view.gzip.parts)).toString();
    vi.restoreAllMocks();
    expect(text).toContain(describedAs('999'));
    expect(aside.length).toBeGreaterThan(5);
    expect(Math.max(0, ...onLoop)).toBeLessThanOrEqual(64 * 1024);
  });

  it('send large lists in pieces, and give the same list after an import of many flags as after single changes', async () => {
    const flag = (index: number) => flagOf(index, 'x'.repeat(6_000));
    const state = new State();
    const views = new ClientViews(state);
    const scope: Scope = { environment: 'development', projects: null };
    const list = async () => {
      const view = views.view(scope, 2);
      await view.refresh();
      const text = Buffer.concat(view.identity.parts).toString();
      for (const { parts, buffer } of [view.identity, view.gzip]) {
        if (buffer) expect(Buffer.concat(parts).equals(buffer)).toBe(true);
      }
      expect(view.gzip.buffer).toBeDefined();
      expect(gunzipSync(Buffer.concat(view.gzip.parts)).toString()).toBe(text);
      return {
        isInOne: view.identity.buffer !== undefined,
        parts: view.identity.parts.length,
        names: (JSON.parse(text).features as { name: string }[]).map(({ name }) => name),
      };
    };
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply([PROJECT]);
    for (let index = 0; index < 20; index++) apply([flag(index)]);
    expect((await list()).isInOne).toBe(true);
    apply(Array.from({ length: 1500 }, (_, index) => flag(1000 + index)));
    const all = await list();
    expect(all.isInOne).toBe(false);
    expect(all.parts).toBeGreaterThan(8);
    expect(all.names).toEqual([...state.values('features')].map(({ name }) => name).sort());
    for (let index = 0; index < 400; index++) apply([{ collection: 'features', key: `flag-${1000 + index * 3}` }]);
    expect((await list()).names).toEqual([...state.values('features')].map(({ name }) => name).sort());
  });

  it('keep no bytes of an outdated list or of its deltas', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const view = views.view({ environment: 'development', projects: null }, 2);
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply([PROJECT]);
    apply(Array.from({ length: 300 }, (_, index) => flagOf(index, 'x'.repeat(100))));
    await view.refresh();
    const memory = [
      view.answers.wholeList(false).body,
      view.answers.wholeList(true).body,
      view.delta.wholeList('', false).body,
      view.delta.wholeList('', true).body,
    ].map((body) => new WeakRef(body?.buffer ?? []));
    const kept = () => memory.filter((each) => each.deref() !== undefined).length;
    expect(kept()).toBe(4);
    apply([flagOf(7, 'one')]);
    await view.refresh();
    // A weak reference that was read keeps its target alive until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(kept()).toBe(0);
  });

  it('that are filtered scan only the changed chunks, and keep the others', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const query: ClientQuery = { ...EVERYTHING, tags: [{ type: 'simple', value: 'one' }] };
    const view = views.filteredView({ environment: 'development', projects: null }, query, 2);
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const flag = (index: number, isTagged = index % 3 === 0) =>
      flagOf(index, 'x'.repeat(100), isTagged ? [{ type: 'simple', value: 'one' }] : []);
    apply([PROJECT]);
    apply(Array.from({ length: 1_500 }, (_, index) => flag(index)));
    await view.refresh();
    const names = () =>
      (JSON.parse(Buffer.concat(view.identity.parts).toString()).features as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(names()).toHaveLength(500);
    const before = new Set(view.shown.flags);
    expect(before.size).toBeGreaterThan(5);
    const etag = view.etag;
    apply([flag(700, true)]);
    await view.refresh();
    expect(names()).toHaveLength(501);
    expect(view.etag).not.toBe(etag);
    expect(view.shown.flags.filter((piece) => !before.has(piece))).toHaveLength(1);
    // And back: the selection is the former one, and the ETag identifies the same content.
    apply([flag(700)]);
    await view.refresh();
    expect(names()).toHaveLength(500);
    expect(contentOf(view.etag)).toBe(contentOf(etag));
  });

  it('that are filtered for the first time are made in slices if they have many chunks, also of a list that exists', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const scope: Scope = { environment: 'development', projects: null };
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply([PROJECT, ...Array.from({ length: 600 }, (_, index) => flagOf(index, ''))]);
    await views.view(scope, 2).refresh();
    const view = views.filteredView(scope, { ...EVERYTHING, namePrefix: 'flag-1' }, 2);
    const refreshed = view.refresh();
    expect(refreshed).toBeInstanceOf(Promise);
    await refreshed;
    const list = () => JSON.parse(Buffer.concat(view.identity.parts).toString()) as { features: { name: string }[] };
    expect(list().features).toHaveLength(111);
    // Then few chunks are new, and a poll does not wait.
    apply([{ collection: 'features', key: 'flag-1' }]);
    expect(view.refresh()).toBeUndefined();
    expect(list().features).toHaveLength(110);
  });

  it('of version 1 follow a segment that more flags use than are looked up', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const scope: Scope = { environment: 'development', projects: null };
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const environments = [switchedOn('development', [1])];
    const using = Array.from({ length: 1_001 }, (_, index) => flag(`flag-${index}`, { environments }));
    const other = flag('other', { project: 'other', environments: [switchedOn('development')] });
    const segment = (value: string): Change => {
      const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: [value] }];
      const rest = { description: null, project: null, createdBy: 'test', createdAt: AT };
      return { collection: 'segments', key: '1', entity: { ...rest, id: 1, name: 'segment', constraints } };
    };
    const second = { ...PROJECT, key: 'other', entity: { ...PROJECT.entity, id: 'other' } } as Change;
    apply([PROJECT, second, segment('before')]);
    apply([...using, other].map((entity) => ({ collection: 'features', key: entity.name, entity })));
    const view = views.view(scope, 1);
    const values = async () => {
      await view.refresh();
      const text = Buffer.concat(view.identity.parts).toString();
      return new Set(text.match(/"values":\["\w+"\]/g));
    };
    expect([...(await values())]).toEqual(['"values":["before"]']);
    const partition = views.partition('development', 'other', 1);
    apply([segment('after')]);
    expect([...(await values())]).toEqual(['"values":["after"]']);
    // A partition without the segment is kept.
    expect(views.partition('development', 'other', 1)).toBe(partition);
    const anew = new ClientViews(state).view(scope, 1);
    await anew.refresh();
    expect(Buffer.concat(view.identity.parts).equals(Buffer.concat(anew.identity.parts))).toBe(true);
  });

  it('ask SDKs for a stream with the bytes of the list, without its ETag', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const view = views.view({ environment: 'development', projects: null }, 2);
    views.apply(state.apply(commitOf(state, [PROJECT, flagOf(1, 'first')])));
    await view.refresh();
    for (const gzip of [false, true]) {
      const [whole, asking] = [view.answers.wholeList(gzip), view.answers.wholeListAskingForStream(gzip)];
      expect(whole.head.fields).toContain('etag');
      expect(asking.head.fields).not.toContain('etag');
      expect(asking.head.fields).toEqual(expect.arrayContaining(['fetch-mode', 'streaming']));
      expect(asking.body).toBe(whole.body);
      expect(view.answers.wholeListAskingForStream(gzip)).toBe(asking);
    }
    expect(view.answers.wholeList(false).body).not.toBe(view.answers.wholeList(true).body);
  });

  it('that are filtered have the same content and ETag, however flags are distributed over chunks', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const scope: Scope = { environment: 'development', projects: null };
    const query: ClientQuery = { ...EVERYTHING, namePrefix: 'flag-1' };
    const view = (of: ClientViews, format: ClientFormat) => of.filteredView(scope, query, format);
    const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply([PROJECT, flagOf(1, 'x')]);
    for (const format of FORMATS) await view(views, format).refresh();
    for (let count = 0; count < 800; count++) apply([flagOf(700 + ((count * 7) % 800), 'x'.repeat(2 * (count % 700)))]);
    const anew = new ClientViews(state);
    for (const format of FORMATS) {
      const [grown, built] = [view(views, format), view(anew, format)];
      await grown.refresh();
      await built.refresh();
      const [lengths, others] = [grown, built].map(({ shown }) => shown.flags.map(({ lengthBytes }) => lengthBytes));
      expect(lengths).not.toEqual(others);
      expect(Buffer.concat(grown.identity.parts).equals(Buffer.concat(built.identity.parts))).toBe(true);
      expect(grown.etag).toBe(built.etag);
    }
  });
});

/** The part of the ETag of a filtered list that identifies its content. */
function contentOf(etag: string): string | undefined {
  return /^W\/"([0-9a-f]{24}):/.exec(etag)?.[1];
}
