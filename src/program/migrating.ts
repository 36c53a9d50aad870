import { readConfig } from '../config.ts';
import { InstanceClient } from '../migrate/instance-client.ts';
import { readInstance } from '../migrate/instance-reader.ts';
import { MigrateError } from '../migrate/migrate-error.ts';
import { Rehearsal } from '../migrate/rehearsal.ts';
import { reportText } from '../migrate/report.ts';
import { intoService, type TakeBatch, takeHoldings } from '../migrate/taker.ts';
import { progressOn } from './progress.ts';
import { serviceAddress } from './service-client.ts';
import { ProgramError, type ProgramIo } from './subcommand.ts';

export interface MigrateValues {
  readonly from?: string;
  readonly token?: string;
  readonly url?: string;
  readonly 'dry-run'?: boolean;
}

/** Does what `burgee migrate` is told. Resolves with the exit code. @throws ProgramError */
export async function migrate(values: MigrateValues, io: ProgramIo): Promise<number> {
  try {
    return await takeOver(values, io);
  } catch (error) {
    if (error instanceof MigrateError) throw new ProgramError(error.message);
    throw error;
  }
}

async function takeOver(values: MigrateValues, io: ProgramIo): Promise<number> {
  const { environment, out } = io;
  if (values.from === undefined) throw new ProgramError('say where to move from: --from URL; see --help');
  const token = values.token ?? environment.FROM_TOKEN ?? '';
  if (token === '') throw new ProgramError('set FROM_TOKEN to an admin token of the source; see --help');
  const isRehearsal = values['dry-run'] === true;
  const source = new InstanceClient({ role: 'the source', url: addressOf('--from', values.from), token });
  const takeBatch = isRehearsal ? await rehearse(environment) : target(values, environment);
  const progress = progressOn(io);
  const holdings = await readInstance(source, progress.tell);
  const taking = await takeHoldings(holdings, takeBatch, progress.tell);
  progress.end();
  out(reportText(taking, holdings.notes, isRehearsal));
  return taking.items.some(({ outcome }) => outcome === 'refused') ? 2 : 0;
}

function target({ url }: MigrateValues, environment: ProgramIo['environment']): TakeBatch {
  const token = environment.BURGEE_TOKEN ?? '';
  if (token === '') throw new ProgramError('set BURGEE_TOKEN to an admin token of this service; see --help');
  return intoService(new InstanceClient({ role: 'the service', url: serviceAddress(url, environment), token }));
}

async function rehearse(environment: ProgramIo['environment']): Promise<TakeBatch> {
  const { limits } = readConfig(environment);
  return (await Rehearsal.begin(limits, () => new Date().toISOString())).takeBatch;
}

function addressOf(flag: string, url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ProgramError(`${flag} must be an address such as https://unleash.example.com, not "${url}"`);
  }
  return url.replace(/\/+$/, '').replace(/\/api(\/admin)?$/, '');
}
