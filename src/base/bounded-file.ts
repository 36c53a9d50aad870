import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Number of bytes per read when the file does not report its size. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * The reason why a file was not read. The message is for users. It is a clause without the name of the file, which the caller puts before it. `code`
 * is the error code of the operating system, if the operating system reported the problem.
 */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads a whole file, if it has at most `bytesMax` bytes. The limit applies to the bytes that are read, not to the reported size. Links are followed.
 * A pipe or a device is refused before it is read: a read of it may never end.
 * @throws FileProblem
 */
export async function readBoundedFile(path: string, bytesMax: number): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a pipe without a writer blocks this call for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isDirectory()) throw new FileProblem('it is a directory');
    if (!stats.isFile())
      throw new FileProblem('it is a pipe or a device, not a regular file: save its content to a file');
    if (stats.size > bytesMax) throw tooLarge(bytesMax);
    return await readAtMost(file, stats.size, bytesMax);
  } catch (error) {
    if (error instanceof FileProblem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new FileProblem(code === 'ENOENT' ? 'there is no such file' : `it cannot be read: ${code}`, code);
  } finally {
    await file?.close();
  }
}

function tooLarge(bytesMax: number): FileProblem {
  return new FileProblem(`it is larger than ${bytesMax} bytes`);
}

/** Reads to the end of the file, not only `size` bytes: a file may grow while it is read, and system files report the size 0. */
async function readAtMost(file: FileHandle, size: number, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(size - length, CHUNK_BYTES), bytesMax + 1 - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
    length += bytesRead;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}
