import { beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { burgee as runBurgee } from '../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const burgee = (args: readonly string[], token: string = ADMIN_TOKEN) =>
  runBurgee(args, { BURGEE_URL: service.url, BURGEE_TOKEN: token });

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const HEAD = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}revision (\d+) {2}.+$/;

const toggle = (featureName: string, isOn: boolean, environment = 'development') =>
  flags.call(isOn ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff', { featureName, environment });

const isOn = async (featureName: string) =>
  (await flags.call('getFeatureEnvironment', { featureName, environment: 'development' })).body.enabled;

/** A flag that was switched on and off again, and the revisions of these commits. */
async function switchedFlag() {
  const name = await flags.create();
  await toggle(name, true);
  const on = flags.state.seq;
  await toggle(name, false);
  return { name, on, off: flags.state.seq };
}

const CUT = 'some changes are not printed whole: --whole prints all fields and values\n';

describe('burgee history', () => {
  it('prints the commits of a flag with the fields before and after', async () => {
    const { name, on, off } = await switchedFlag();
    const { code, out, err } = await burgee(['history', name]);
    // The strategies of the new flag are longer than a line.
    expect([code, err]).toEqual([0, CUT]);
    const lines = out.split('\n');
    expect(HEAD.exec(lines[0] as string)?.[1]).toBe(String(off));
    expect(lines.slice(1, 3)).toEqual([
      `  flag ${name} in the project default (development)`,
      '    enabled: true → false',
    ]);
    expect(HEAD.exec(lines[3] as string)?.[1]).toBe(String(on));
    expect(out).toContain(`  flag ${name} in the project default created\n`);
    const entries = jsonLines((await burgee(['history', name, '--json'])).out);
    expect(entries.map(({ revision }) => revision).slice(0, 2)).toEqual([off, on]);
    expect(entries[0].changes).toEqual([
      expect.objectContaining({ id: name, fields: [{ path: '/enabled', before: true, after: false }] }),
    ]);
  });

  it('is of a project, an environment, a segment, an archived or a deleted flag, or of everything', async () => {
    const { body: project } = await flags.call('createProject', {}, { id: 'apart', name: 'Apart' });
    const name = await flags.create({}, project.id);
    const { body: segment } = await flags.call('createSegment', {}, { name: 'kept apart', constraints: [] });
    await flags.call('updateSegment', { id: segment.id }, { name: 'kept apart 2', constraints: [] });
    const { name: other } = await switchedFlag();
    const shown = async (...args: string[]) => {
      const { code, out } = await burgee(['history', ...args]);
      expect(code).toBe(0);
      return out;
    };
    expect(await shown('--project', project.id)).toContain(`flag ${name} in the project ${project.id} created\n`);
    expect(await shown('--project', project.id)).not.toContain(other);
    expect(await shown('-e', 'development')).toContain(`flag ${other} in the project default (development)\n`);
    expect(await shown('--segment', String(segment.id))).toContain('name: "kept apart" → "kept apart 2"\n');
    expect(await shown()).toContain(other);
    await flags.call('archiveFeature', { featureName: other });
    expect(await shown(other)).toMatch(/archived: false → true\n/);
    await flags.call('deleteFeature', { featureName: other });
    expect((await burgee(['history', other])).err).toMatch(
      /there is no flag .* add the --project of a deleted flag\n$/,
    );
    expect(await shown(other, '--project', 'default')).toContain(`flag ${other} in the project default deleted\n`);
  });

  it('has as many commits as -n says, also over several pages, and continues before a revision', async () => {
    const name = await flags.create();
    for (let times = 0; times < 104; times++) await toggle(name, times % 2 === 0);
    const some = await burgee(['history', name, '--json', '-n', '103']);
    const revisions = jsonLines(some.out).map(({ revision }) => revision as number);
    expect(revisions).toEqual([...new Set(revisions)].sort((left, right) => right - left));
    expect(revisions.length).toBe(103);
    const [, before = ''] = /^there may be older commits: --before (\d+)\n$/.exec(some.err) ?? [];
    expect(before).toBe(String(revisions.at(-1)));
    const rest = await burgee(['history', name, '--json', '--before', before]);
    expect(jsonLines(rest.out)).toMatchObject([{}, { types: ['feature-created'] }]);
    expect(rest.err).toBe('');
  });

  it('says which values it cuts, and prints them whole with --whole', async () => {
    const name = await flags.create();
    const description = 'long '.repeat(100);
    await flags.call('updateFeature', { featureName: name }, { description });
    const cut = await burgee(['history', name, '-n', '1']);
    expect([cut.code, cut.err.startsWith(CUT)]).toEqual([0, true]);
    expect(cut.out).toContain(`description: null → ${JSON.stringify(description).slice(0, 100)}… (502 characters)\n`);
    const whole = await burgee(['history', name, '-n', '1', '--whole']);
    expect([whole.code, whole.err]).toEqual([0, expect.not.stringContaining('whole')]);
    expect(whole.out.replace(/\s+/g, ' ')).toContain(description.trim());
    expect(whole.out).not.toContain('…');
  });

  it('reports wrong usage', async () => {
    for (const [args, message] of [
      [['a', '-e', 'development'], /specify one flag, project, environment or segment/],
      [['--segment', '1', '--project', 'default'], /specify one flag, project, environment or segment/],
      [['--segment', 'x'], /--segment must be the id of a segment/],
      [['--before', '0'], /--before must be a revision/],
      [['-n', '1001'], /-n must be a number from 1 to 1000/],
    ] as const) {
      const { code, out, err } = await burgee(['history', ...args]);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).toMatch(message);
    }
    expect(await burgee(['history', '-e', 'nowhere'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('refused: 404'),
    });
  });
});

describe('burgee undo', () => {
  it('undoes a commit, and prints the new revision', async () => {
    const { name, off } = await switchedFlag();
    const undone = await burgee(['undo', String(off)]);
    expect(undone).toEqual({
      code: 0,
      err: '',
      out: `revision ${off} is undone: 1 object changed (revision ${flags.state.seq})\n`,
    });
    expect(await isOn(name)).toBe(true);
    expect((await burgee(['undo', String(off)])).out).toBe(
      `everything was as before revision ${off} already, nothing changed\n`,
    );
    await burgee(['off', name, '-e', 'development']);
    const json = await burgee(['undo', String(off), '--flag', name, '-e', 'development', '--json']);
    expect(JSON.parse(json.out)).toEqual({ undone: 1, changeRequest: null, left: [] });
    const others = await burgee(['undo', String(off), '--flag', 'another']);
    expect(others).toMatchObject({ code: 1, out: '', err: expect.stringContaining('refused: 404') });
  });

  it('prints what would change, and undoes nothing', async () => {
    const { name, on, off } = await switchedFlag();
    const { seq } = flags.state;
    const dry = ['--dry-run', '-e', 'development'];
    expect(await burgee(['undo', String(off), ...dry])).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(
        new RegExp(`^1000 contexts in development; nothing was changed\n${name}: 1000 off → on\n`),
      ),
    });
    const json = JSON.parse((await burgee(['undo', String(off), '--flag', name, ...dry, '--json'])).out);
    expect(json).toMatchObject({ changes: [{ action: 'undo' }], flags: [{ name, counts: { offToOn: 1_000 } }] });
    expect(flags.state.seq).toBe(seq);
    const conflict = await burgee(['undo', String(on), ...dry]);
    expect([conflict.code, conflict.out]).toEqual([1, '']);
    expect(conflict.err).toBe(await burgee(['undo', String(on), '-e', 'development']).then(({ err }) => err));
  });

  it('prints the fields that were changed again, and changes nothing', async () => {
    const name = await flags.create();
    const describeAs = (description: string) =>
      flags.call('updateFeature', { featureName: name }, { name, type: 'release', description });
    await describeAs('one');
    const revision = flags.state.seq;
    await describeAs('two');
    const { seq } = flags.state;
    const dry = await burgee(['undo', String(revision), '--dry-run', '-e', 'development']);
    expect(dry).toMatchObject({ code: 1, out: '', err: expect.stringContaining('refused: 404') });
    expect(await burgee(['undo', String(revision)])).toEqual({
      code: 1,
      out: '',
      err:
        `flag ${name}: description was changed again, it is now "two"\n` +
        'burgee undo: the service refused: 409 One field was changed again; nothing was undone.\n',
    });
    const json = await burgee(['undo', String(revision), '--json']);
    expect([json.code, JSON.parse(json.out)]).toEqual([
      1,
      expect.objectContaining({ details: [expect.objectContaining({ current: 'two' })] }),
    ]);
    expect(flags.state.seq).toBe(seq);
  });

  it('needs a change request where changes are reviewed, and makes one', async () => {
    await putUser(service, 7_012, { rootRole: 2 });
    const editor = await personalTokenOf(service, 7_012);
    const projectId = 'undo-reviewed';
    await flags.call('createProject', {}, { id: projectId, name: 'Reviewed' });
    await flags.call('setRolesForProjectUser', { projectId, id: 7_012 }, { roles: [4] });
    const name = await flags.create({}, projectId);
    const location = { projectId, environment: 'production' };
    await flags.call('toggleFeatureEnvironmentOn', { ...location, featureName: name });
    const revision = flags.state.seq;
    await flags.call('updateProjectChangeRequestConfig', location, {
      changeRequestsEnabled: true,
      requiredApprovals: 1,
    });
    expect(await burgee(['undo', String(revision)], editor)).toEqual({
      code: 1,
      out: '',
      err: `burgee undo: changes of production in the project ${projectId} need a change request: add -e production --change-request TITLE\n`,
    });
    const request = ['undo', String(revision), '-e', 'production', '--change-request', 'Back'];
    const made = await burgee(request, editor);
    expect(made).toMatchObject({ code: 0, err: '' });
    const [, id] =
      /^change request (\d+) in the project undo-reviewed undoes revision \d+ in production: it is in review\n$/.exec(
        made.out,
      ) ?? [];
    const { body } = await flags.call('getChangeRequest', { projectId, id: Number(id) });
    expect(body).toMatchObject({ title: 'Back', state: 'In review', environment: 'production' });
    expect(body.features[0].changes.map(({ action }: { action: string }) => action).sort()).toEqual([
      'deleteStrategy',
      'updateEnabled',
    ]);
    const again = await burgee([...request, '--flag', name, '--json'], editor);
    expect(JSON.parse(again.out)).toMatchObject({ title: 'Back', state: 'In review' });
    expect((await burgee([...request, '--flag', 'another'], editor)).err).toContain('changed no such flag');
  });

  it('reports wrong usage, and a caller without the permission', async () => {
    const { name, off } = await switchedFlag();
    for (const [args, message] of [
      [[], /specify a revision/],
      [['x'], /the revision must be a number/],
      [['1', '--segment', 'x'], /--segment must be the id of a segment/],
      [['1', '--change-request', 'Back'], /specify it with -e/],
      [['1', '--change-request', 'Back', '-e', 'a', '-e', 'b'], /specify it with -e/],
      [['1', '--change-request', ' ', '-e', 'a'], /needs a title/],
      [['1', '--dry-run'], /specify it with -e/],
      [['1', '--dry-run', '--change-request', 'Back', '-e', 'a'], /either --dry-run or --change-request/],
    ] as const) {
      const { code, out, err } = await burgee(['undo', ...args]);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).toMatch(message);
    }
    await putUser(service, 7_013, { rootRole: 3 });
    const viewer = await burgee(['undo', String(off)], await personalTokenOf(service, 7_013));
    expect(viewer).toMatchObject({ code: 1, out: '', err: expect.stringContaining('refused: 403') });
    expect(await isOn(name)).toBe(false);
  });
});
