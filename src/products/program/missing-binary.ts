/** The glibc version that uWebSockets.js' Linux binaries for this Node need, if the error does not contain it. */
const GLIBC_NEEDED = '2.38';

interface ReportHeader {
  readonly glibcVersionRuntime?: string;
}

/**
 * A message of one line that explains why the HTTP server's binary does not load on this system, and what to do. Undefined for any other error.
 * The package throws a plain `Error`, so the error is recognised by its text.
 */
export function missingBinary(error: unknown, system: System = thisSystem()): string | undefined {
  if (!(error instanceof Error) || !error.message.startsWith('This version of uWS.js supports only')) return undefined;
  const { node, platform, arch, glibc } = system;
  const needed = /GLIBC_(\d+\.\d+)' not found/.exec(error.message)?.[1];
  if (needed !== undefined || (platform === 'linux' && glibc !== undefined && isOlder(glibc, GLIBC_NEEDED)))
    return `the HTTP server's binary for Node ${node} needs glibc ${needed ?? GLIBC_NEEDED} or newer, and this system has ${glibc ?? 'an older one'}: use Node 20 here, or Debian 13, Ubuntu 24.04 or newer, or the container image`;
  if (platform === 'linux' && glibc === undefined)
    return 'the HTTP server has no binary for a Linux without glibc, such as Alpine: use Debian 13, Ubuntu 24.04 or newer, or the container image';
  return `the HTTP server has no binary for Node ${node} on ${platform} ${arch}: use Node 24, 22 or 20 (even versions) on Linux with glibc or on macOS`;
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

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = than.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
