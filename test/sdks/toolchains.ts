import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a language keeps what was installed for a suite; the caller removes the folder. */
export interface Installed {
  readonly folder: string;
  /** The interpreter, or the program that was built. */
  readonly command: string;
}

/** Packages of PyPI, in an environment of their own. Says why they cannot be had where they cannot. */
export function installPython(...packages: readonly string[]): Installed | string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-sdks-python-'));
  const command = join(folder, 'bin', 'python');
  const steps = [
    ['python3', '-m', 'venv', folder],
    [command, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
  ];
  for (const [program = '', ...given] of steps) {
    const { status, stderr, error } = spawnSync(program, given, { encoding: 'utf8' });
    if (status !== 0) return `${packages.join(', ')} cannot be installed: ${error?.message ?? stderr.slice(-500)}`;
  }
  return { folder, command };
}

/** A program of a Go module of this repository, built elsewhere. */
export function installGo(source: string): Installed | string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-sdks-go-'));
  const command = join(folder, 'client');
  const { status, stderr, error } = spawnSync('go', ['build', '-o', command, '.'], { cwd: source, encoding: 'utf8' });
  return status === 0 ? { folder, command } : `it cannot be built: ${error?.message ?? stderr.slice(-500)}`;
}
