import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories = new Set<string>();
process.on('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is removed when this process ends, at the latest. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  directories.add(directory);
  return directory;
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  directories.delete(directory);
}
