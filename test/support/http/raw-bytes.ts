import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every regular file below the directory, as relative path → bytes. Files that are deleted meanwhile are left out. */
export function filesBelow(directory: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const bytes = bytesOf(path);
    if (bytes) files.set(name, bytes);
  }
  return files;
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The files below the directory that contain the text, anywhere in their bytes. */
export function filesWith(directory: string, text: string): string[] {
  return [...filesBelow(directory)].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name);
}
