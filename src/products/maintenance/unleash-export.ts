import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../base/version.ts';
import { atOnce } from '../../base/yield-control.ts';
import { exportOf } from '../../features/import-export/export.ts';
import type { Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from '../../stores/local/private-files.ts';
import { TransferError } from './transfer-error.ts';
import { liveProjects, tokenVariables, unleashDocuments } from './unleash-documents.ts';
import { ALWAYS_LOST, type Loss, unleashLosses } from './unleash-losses.ts';

/** Names of the files that `writeUnleashExport` writes into its directory. `burgee import` reads them. */
export const EXPORT_FILES = {
  manifest: 'export.json',
  documents: 'instance.json',
  tokens: 'tokens.env',
  losses: 'not-held.txt',
  flags: 'flags',
} as const;

/** One file of flags. Its content is a request body of `POST /api/admin/features-batch/import`. */
export interface FlagFile {
  /** The path of the file, relative to the directory of the export. */
  readonly file: string;
  readonly project: string;
  readonly environment: string;
  /** The number of flags in the file. */
  readonly flags: number;
}

export interface Manifest {
  readonly madeBy: string;
  /** The revision of the exported state. */
  readonly revision: number;
  readonly flagFiles: readonly FlagFile[];
}

interface UnleashExport extends Manifest {
  readonly losses: readonly Loss[];
}

/**
 * Writes all data that Unleash can import into an empty or missing directory. Only the owner can read the files, because they may contain tokens. The
 * manifest is written last, so a directory without a manifest contains an incomplete export.
 * @throws TransferError
 */
export async function writeUnleashExport(state: State, directory: string): Promise<UnleashExport> {
  const losses = [...unleashLosses(state), ...ALWAYS_LOST];
  const write = (name: string, text: string) =>
    writeFile(join(directory, name), text, { mode: PRIVATE_FILE_MODE, flag: 'wx' });
  await makeEmptyDirectory(directory);
  await mkdir(join(directory, EXPORT_FILES.flags), { mode: PRIVATE_DIRECTORY_MODE });
  const flagFiles: FlagFile[] = [];
  for (const { id, environments } of liveProjects(state)) {
    const features = Array.from(state.lookup('featuresByProject', id)).filter(({ archived }) => !archived);
    if (features.length === 0) continue;
    for (const environment of bySortOrder(state, environments)) {
      const number = String(flagFiles.length + 1).padStart(4, '0');
      const file = join(EXPORT_FILES.flags, `${number}-${id}-${environment}`.slice(0, 120).concat('.json'));
      await writeFlags(state, features, { directory, file, project: id, environment });
      flagFiles.push({ file, project: id, environment, flags: features.length });
    }
  }
  await write(EXPORT_FILES.documents, `${JSON.stringify(unleashDocuments(state), null, 1)}\n`);
  await write(EXPORT_FILES.tokens, tokenVariables(state));
  await write(EXPORT_FILES.losses, lossesText(losses));
  const manifest: Manifest = { madeBy: `burgee ${VERSION}`, revision: state.seq, flagFiles };
  await write(EXPORT_FILES.manifest, `${JSON.stringify(manifest, null, 1)}\n`);
  return { ...manifest, losses };
}

/** The losses as text for users: for each loss a headline and at most `itemsMax` of its items. */
export function lossesText(losses: readonly Loss[], itemsMax = Number.POSITIVE_INFINITY): string {
  return losses
    .map(({ what, consequence, items }) => {
      const shown = items.slice(0, itemsMax).map((item) => `    ${item}\n`);
      const more = items.length > shown.length ? `    … and ${items.length - shown.length} more\n` : '';
      const count = items.length > 0 ? ` (${items.length})` : '';
      return `- ${what}${count}. ${consequence}\n${shown.join('')}${more}`;
    })
    .join('');
}

interface FlagFileTarget {
  readonly directory: string;
  readonly file: string;
  readonly project: string;
  readonly environment: string;
}

async function writeFlags(
  state: State,
  features: readonly Feature[],
  { directory, file, project, environment }: FlagFileTarget,
): Promise<void> {
  const { pieces } = atOnce(exportOf(state, features, environment, { withSortOrder: true }));
  const handle = await open(join(directory, file), 'wx', PRIVATE_FILE_MODE);
  try {
    let text = `{"project":${JSON.stringify(project)},"environment":${JSON.stringify(environment)},"data":`;
    for (const piece of pieces) {
      text += piece;
      if (text.length < WRITE_LENGTH) continue;
      await handle.writeFile(text);
      text = '';
    }
    await handle.writeFile(`${text}}\n`);
  } finally {
    await handle.close();
  }
}

/** Number of characters that are collected before they are written to the file. */
const WRITE_LENGTH = 1_000_000;

function bySortOrder(state: State, names: readonly string[]): string[] {
  const order = (name: string) => state.get('environments', name)?.sortOrder ?? 0;
  return [...names].sort((left, right) => order(left) - order(right) || (left < right ? -1 : 1));
}

async function makeEmptyDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    if ((await readdir(directory)).length === 0) return;
  } catch (error) {
    throw new TransferError(`cannot write into ${directory}: ${(error as Error).message}`, { cause: error });
  }
  throw new TransferError(`${directory} is not empty, and an export never replaces files: specify another directory`);
}
