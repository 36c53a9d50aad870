/** Bytes of the buffers of this process. A test in a process that files share compares two numbers: garbage of other files may go meanwhile, and none comes. */
export const bufferBytes = (): number => process.memoryUsage().arrayBuffers;
