import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { loggerTo } from '../../../src/base/logger.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { BackupContent } from '../../../src/features/instance/backups/backup-content.ts';
import { Backups } from '../../../src/features/instance/backups/backups.ts';
import { ScheduledBackups } from '../../../src/features/instance/backups/scheduled-backups.ts';
import { BackupFolder } from '../../../src/stores/local/backup-folder.ts';
import { FileSpace } from '../../../src/stores/local/disk-space.ts';
import { accepted } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { tell } from './store-command.ts';

const HOUR_MS = 3_600_000;
/** Between two backups. A round sleeps for at most a minute, so each minute of it is a step of the test. */
const INTERVAL_MS = 2 * HOUR_MS;
const MEGABYTE = 2 ** 20;
const DEAD_PID = 2 ** 22 + 1;
const NAME = /^burgee-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup$/;

/** A clock that can tell whether the rounds of backups sleep: until then they read and write files, however long that takes. */
class ClockOfRounds extends ManualClock {
  #wakeMs: number[] = [];

  get roundsAsleep(): number {
    return this.#wakeMs.filter((wakeMs) => wakeMs > this.nowMs()).length;
  }

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (!new Error().stack?.includes('/scheduled-backups.ts')) return super.sleep(delayMs, signal);
    const wakeMs = this.nowMs() + delayMs;
    this.#wakeMs.push(wakeMs);
    await super.sleep(delayMs, signal);
    this.#wakeMs.splice(this.#wakeMs.indexOf(wakeMs), 1);
  }
}

describe('a service with AUTO_BACKUP_DIR', () => {
  let root: string;
  let folder: string;
  let clock: ClockOfRounds;
  let lines: string[];
  const services: TestService[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'burgee-scheduled-'));
    folder = join(root, 'backups');
    clock = new ClockOfRounds();
    lines = [];
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.close();
    rmSync(root, { recursive: true, force: true });
  });

  const logger = () =>
    loggerTo(
      'info',
      (line) => lines.push(line),
      () => performance.now(),
    );
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const service = await startTestService({
      directory: join(root, 'data'),
      env: { AUTO_BACKUP_DIR: folder, AUTO_BACKUP_EVERY_MS: String(INTERVAL_MS), AUTO_BACKUP_KEEP: '2', ...env },
      clock,
      logger: logger(),
    });
    services.push(service);
    return service;
  };
  const stop = async () => {
    for (const service of services.splice(0)) await service.close();
  };
  const backups = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => NAME.test(name)).sort();
  const until = async (condition: () => boolean, what: string) => {
    const deadlineMs = performance.now() + 100_000;
    while (!condition()) {
      if (performance.now() > deadlineMs) throw new Error(`timeout while waiting until ${what}: ${lines.join('')}`);
      // Without turns of the event loop in between, which would keep a processor busy while files are written.
      await sleep(1);
    }
  };
  const logged = (text: string) => lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line));
  const untilLogged = (text: string, count = 1) => until(() => logged(text).length >= count, `it logs "${text}"`);
  const WRITTEN = 'a backup was written and read back';
  const createFlag = (service: TestService, name: string) =>
    accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  /** Passes the time in steps, because a round sleeps for at most a minute. A step begins when the rounds sleep, and ends when they sleep again. */
  const pass = async (ms: number) => {
    const rounds = services.filter(({ running }) => running.services.scheduledBackups).length;
    const untilRoundsSleep = () => until(() => clock.roundsAsleep === rounds, 'the rounds sleep');
    for (let passed = 0; passed < ms; passed += 60_000) {
      await untilRoundsSleep();
      clock.advance(60_000);
      await untilRoundsSleep();
    }
  };
  const sample = async (service: TestService, name: string) => {
    const text = await (await fetch(`${service.url}/internal-backstage/prometheus`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.slice(name.length));
  };

  it('writes a backup at once and whenever the newest is older than the interval, and keeps as many as it is to', async () => {
    const service = await start();
    await untilLogged(WRITTEN);
    expect(backups()).toEqual([`burgee-2026-01-01T00-00-00.000Z.backup`]);
    await createFlag(service, 'later');
    await pass(INTERVAL_MS - 120_000);
    expect(backups()).toHaveLength(1);
    expect(await sample(service, 'burgee_backup_age_seconds ')).toEqual([String((INTERVAL_MS - 120_000) / 1_000)]);
    for (const count of [2, 3]) {
      await pass(INTERVAL_MS);
      await untilLogged(WRITTEN, count);
    }
    await untilLogged('the oldest backups were removed');
    expect(backups()).toHaveLength(2);
    expect(backups()[0]).not.toContain('2026-01-01T00');
    expect(await sample(service, 'burgee_backups_total')).toEqual(['{result="written"} 3', '{result="failed"} 0']);
    const [{ revision = 0 } = {}] = await tell('digest', '--from', `file:${join(folder, backups()[1] ?? '')}`);
    expect(revision).toBe(service.running.services.state.seq);
  });

  it('takes no additional backup because of a restart, and finds the age again', async () => {
    await start();
    await untilLogged(WRITTEN);
    await stop();
    await pass(HOUR_MS);
    const service = await start();
    await until(() => service.running.services.scheduledBackups?.ageS !== undefined, 'it has read the folder');
    expect(await sample(service, 'burgee_backup_age_seconds ')).toEqual(['3600']);
    expect(backups()).toHaveLength(1);
  });

  it('only reports the age if the interval is 0', async () => {
    const service = await start({ AUTO_BACKUP_EVERY_MS: '0' });
    await until(() => service.running.services.scheduledBackups?.ageS !== undefined, 'it has read the folder');
    expect(await sample(service, 'burgee_backup_age_seconds ')).toEqual(['+Inf']);
    expect(backups()).toEqual([]);
  });

  it('without the option writes nothing, and has no such metrics', async () => {
    const service = await start({ AUTO_BACKUP_DIR: '' });
    expect(await sample(service, 'burgee_backup')).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('removes what killed writers left, and nothing else', async () => {
    const data = join(root, 'data');
    for (const directory of [data, folder]) mkdirSync(directory, { recursive: true });
    const target = 'burgee-2025-12-31T00-00-00.000Z.backup';
    const own = join(folder, `${target}.${hostname()}.${DEAD_PID}.tmp`);
    const old = join(folder, `${target}.other-machine.1.tmp`);
    const unnamed = join(data, 'backup-7f9c24e5-0000-4000-8000-0123456789ab.tmp');
    const foreign = [join(folder, 'notes.tmp'), join(folder, 'burgee.backup'), join(data, 'backup-of-mine.tmp')];
    for (const path of [own, old, unnamed, ...foreign]) writeFileSync(path, path === unnamed ? '' : 'left');
    utimesSync(old, 1, 1);
    await start();
    await untilLogged(WRITTEN);
    await until(() => !existsSync(unnamed), 'the file without content is removed');
    for (const path of [own, old]) expect([path, existsSync(path)]).toEqual([path, false]);
    for (const path of foreign) expect([path, existsSync(path)]).toEqual([path, true]);
  });

  it('writes and keeps backups after the clock was set back, beside those with a time that has not come', async () => {
    const { replica, store } = (await start({ AUTO_BACKUP_DIR: '' })).running.services;
    const timer = new ManualClock();
    let setBackMs = 0;
    const ownClock = { nowMs: () => timer.nowMs() - setBackMs, sleep: timer.sleep.bind(timer) };
    const scheduled = new ScheduledBackups({
      content: new BackupContent(replica, store),
      folder: new BackupFolder(folder),
      clock: ownClock,
      spread: 0,
      logger: logger(),
      everyMs: HOUR_MS,
      keepCount: 1,
    });
    scheduled.start();
    const untilItSleeps = () => until(() => timer.sleeperCount === 1, 'it has looked at the folder');
    await untilItSleeps();
    setBackMs = 48 * HOUR_MS;
    for (let minute = 0; minute < 70; minute++) {
      timer.advance(60_000);
      await untilItSleeps();
    }
    await scheduled.close();
    expect(backups().map((name) => name.slice(7, 17))).toEqual(['2025-12-30', '2026-01-01']);
    expect(logged(WRITTEN)).toHaveLength(3);
  });

  it('does not count a damaged backup, and says which it is', async () => {
    await start();
    await untilLogged(WRITTEN);
    await stop();
    const damaged = join(folder, 'burgee-2026-01-01T00-30-00.000Z.backup');
    writeFileSync(damaged, 'not a backup');
    await pass(HOUR_MS);
    const service = await start();
    await until(() => service.running.services.scheduledBackups?.ageS !== undefined, 'it has read the folder');
    expect(await sample(service, 'burgee_backup_age_seconds ')).toEqual(['3600']);
    expect(logged('a backup is not as it was written')).toMatchObject([
      { level: 50, reason: expect.stringContaining(damaged) },
    ]);
  });

  it('logs a failure as a sentence, counts it, and writes the backup when the cause is gone', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    const service = await start();
    await untilLogged('a backup could not be written');
    expect(await sample(service, 'burgee_backup_age_seconds ')).toEqual(['+Inf']);
    expect(await sample(service, 'burgee_backups_total')).toEqual(['{result="written"} 0', '{result="failed"} 1']);
    const [line] = logged('a backup could not be written');
    expect(line).toMatchObject({ level: 50, reason: expect.stringContaining('ENOTDIR'), directory: folder });
    expect(JSON.stringify(line)).not.toContain('at ');
    rmSync(folder);
    await pass(300_000);
    await untilLogged(WRITTEN);
    expect(backups()).toHaveLength(1);
  });

  it('does not write the same backup on two replicas that share a folder', async () => {
    const { replica, store } = (await start({ AUTO_BACKUP_DIR: '' })).running.services;
    const ownClock = new ManualClock();
    const replicas = [0.5, 0].map(
      (spread) =>
        new ScheduledBackups({
          content: new BackupContent(replica, store),
          folder: new BackupFolder(folder),
          clock: ownClock,
          spread,
          logger: logger(),
          everyMs: HOUR_MS,
          keepCount: 5,
        }),
    );
    const untilBothSleep = () => until(() => ownClock.sleeperCount === 2, 'both have looked at the folder');
    for (const each of replicas) each.start();
    await untilBothSleep();
    for (let second = 0; second < 3 * 3_600; second += 20) {
      ownClock.advance(20_000);
      await untilBothSleep();
    }
    expect(backups().map((name) => name.slice(18, 23))).toEqual(['00-00', '01-00', '02-00', '03-00']);
    for (const each of replicas) await each.close();
  });

  it('waits while another machine writes a backup into the folder', async () => {
    mkdirSync(folder);
    const foreign = join(folder, 'burgee-2026-01-01T00-00-00.000Z.backup.other-machine.1.tmp');
    writeFileSync(foreign, 'being written');
    await start();
    await pass(HOUR_MS);
    expect(backups()).toEqual([]);
    rmSync(foreign);
    await pass(120_000);
    await untilLogged(WRITTEN);
  });

  describe('and a download', () => {
    const taking = async (freeBytes: () => number) => {
      const service = await start({ AUTO_BACKUP_DIR: '' });
      const { replica, store } = service.running.services;
      const content = new BackupContent(replica, store);
      const directory = join(root, 'data');
      const space = new FileSpace(directory, freeBytes);
      return { service, taken: new Backups({ content, clock, logger: logger(), directory, space }), directory };
    };

    it('is refused with a sentence if it would take the space that writes need', async () => {
      const { taken, directory } = await taking(() => 20 * MEGABYTE + 100);
      const refused = await taken.take(new AbortController().signal, SERVICE);
      expect(refused).toBeInstanceOf(Rejection);
      expect(refused).toMatchObject({
        name: 'ServiceUnavailableError',
        message: expect.stringMatching(
          /no space for the backup on the disk of .*: it needs about 1 MB, 21 MB are free/,
        ),
      });
      expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual([]);
      // The refused one does not stand in the way of the next.
      expect(await taken.take(new AbortController().signal, SERVICE)).toMatchObject({
        name: 'ServiceUnavailableError',
      });
    });

    it('is refused if another program takes the space while it is written', async () => {
      let asked = 0;
      const { taken } = await taking(() => (asked++ === 0 ? 900 : 15) * MEGABYTE);
      expect(await taken.take(new AbortController().signal, SERVICE)).toMatchObject({
        name: 'ServiceUnavailableError',
      });
      expect(asked).toBe(2);
    });

    it('ends when writes need its space, and makes place for the next', async () => {
      let freeMegabytes = 900;
      const { taken } = await taking(() => freeMegabytes * MEGABYTE);
      const stop = new AbortController();
      const backup = await taken.take(stop.signal, SERVICE);
      if (backup instanceof Rejection) throw new Error(backup.message);
      expect(await taken.take(stop.signal, SERVICE)).toMatchObject({ name: 'TooManyRequestsError' });
      freeMegabytes = 19;
      clock.advance(1_000);
      await untilLogged('writes need its disk space');
      await expect(backup.bytes[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        rejection: { name: 'ServiceUnavailableError', message: expect.stringContaining('writes need its disk space') },
      });
      freeMegabytes = 900;
      const next = new AbortController();
      expect(await taken.take(next.signal, SERVICE)).toMatchObject({ seq: backup.seq });
      // The end of the connection of the first does not free the place of the second.
      stop.abort();
      // Without turns of the event loop in between, which would keep a processor busy while files are written.
      await sleep(1);
      expect(await taken.take(next.signal, SERVICE)).toMatchObject({ name: 'TooManyRequestsError' });
      next.abort();
    });
  });
});
