import type { RedisTarget } from './connection-string.ts';
import { RefusedError, type Session } from './session.ts';
import { UnfitServerError } from './unfit-server-error.ts';
import { checkKind, explainedFirst } from './wrong-address.ts';

/** The oldest version that supports all commands of the scripts; `XTRIM MINID` needs it. */
const OLDEST_VERSION = [6, 2] as const;

export interface ServerReport {
  /**
   * Identifies the run of the server. It changes with every start of the server, and when the server was a replica of another server meanwhile: then
   * its data is that of the other server. It also changes when the server gets its first replica; this only costs a new epoch.
   */
  readonly runId: string;
  /** The part of `runId` that may change while the server runs; "" when the server does not report it. */
  readonly lineageId: string;
  readonly version: string;
  /** Texts for people about settings with which the server may lose or drop acknowledged data. Empty when the server is fit for a log. */
  readonly findings: readonly string[];
}

/**
 * Checks the settings that a durable log depends on. Returns its findings; the caller decides whether to continue.
 * @throws UnfitServerError when Burgee cannot use the server: it is a replica, too old, or of another kind than `target` says.
 */
export async function checkServer(session: Session, target: RedisTarget): Promise<ServerReport> {
  const info = parseInfo(await readInfo(session, target));
  checkKind(info.get('redis_mode') ?? '', target, session.address);
  const version = info.get('redis_version') ?? '';
  const role = info.get('role') ?? '';
  if (role !== 'master') {
    throw new UnfitServerError(`the server is a replica (role ${role}): it cannot be written to`, false);
  }
  if (isOlder(version)) {
    throw new UnfitServerError(`the server is Redis ${version}; ${OLDEST_VERSION.join('.')} or newer is needed`, true);
  }
  const findings: string[] = [];
  if (info.get('aof_enabled') !== '1') {
    findings.push('appendonly is no: every commit is lost when the server ends. Set appendonly yes');
  } else if (info.get('aof_last_write_status') === 'err') {
    findings.push('the server failed to write its append-only file: look at its log and its disk');
  }
  const sync = await readSetting(session, 'appendfsync');
  if (sync === undefined) {
    findings.push('appendfsync cannot be read (CONFIG is not allowed): make sure that it is always');
  } else if (sync !== 'always') {
    const loss = sync === 'everysec' ? 'up to two seconds of acknowledged commits' : 'acknowledged commits';
    findings.push(`appendfsync is ${sync}: ${loss} can be lost. Set appendfsync always`);
  }
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    findings.push(`maxmemory-policy is ${policy}: the server may drop the log. Set maxmemory-policy noeviction`);
  }
  const lineageId = info.get('master_replid') ?? '';
  return { runId: `${info.get('run_id') ?? ''}.${lineageId}`, lineageId, version, findings };
}

async function readInfo(session: Session, target: RedisTarget): Promise<string> {
  try {
    return String(await session.command('INFO'));
  } catch (error) {
    throw explainedFirst(error, target);
  }
}

async function readSetting(session: Session, name: string): Promise<string | undefined> {
  try {
    const reply = await session.command('CONFIG', 'GET', name);
    return Array.isArray(reply) && reply.length === 2 ? String(reply[1]) : undefined;
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

function parseInfo(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}
