interface ReportHeader {
  readonly glibcVersionRuntime?: string;
}

/**
 * Why the binary of uWebSockets.js does not load on this system, as the end of a sentence. Undefined for any other error. The package throws a plain
 * `Error`, so the error is recognised by its text.
 */
export function missingBinary(error: unknown, system: System = thisSystem()): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/^Cannot find module 'uWebSockets\.js'/.test(error.message)) return 'uWebSockets.js is not installed';
  if (!error.message.startsWith('This version of uWS.js supports only')) return undefined;
  const { node, platform, arch, glibc } = system;
  const needed = /GLIBC_(\d+\.\d+)' not found/.exec(error.message)?.[1];
  if (needed !== undefined)
    return `the binary of uWebSockets.js for Node ${node} needs glibc ${needed} or newer, and this system has ${glibc ?? 'an older one'}`;
  if (platform === 'linux' && glibc === undefined)
    return 'uWebSockets.js has no binary for a Linux without glibc, such as Alpine';
  return `uWebSockets.js has no binary for Node ${node} on ${platform} ${arch}`;
}

interface System {
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  /** The version of glibc. Undefined on systems without glibc. */
  readonly glibc: string | undefined;
}

function thisSystem(): System {
  const { header } = process.report.getReport() as { header: ReportHeader };
  const { versions, platform, arch } = process;
  return { node: versions.node, platform, arch, glibc: header.glibcVersionRuntime };
}
