import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every regular file below the directory, as `path below it` → bytes. */
export function filesBelow(directory: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) files.set(name, readFileSync(path));
  }
  return files;
}

/** Which files below the directory hold the text, anywhere in their bytes. */
export function filesWith(directory: string, text: string): string[] {
  return [...filesBelow(directory)].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name);
}
