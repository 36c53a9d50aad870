import { FileProblem, readBoundedFile } from '../../base/bounded-file.ts';
import { ConfigError } from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { conforms, validate } from '../../base/validation.ts';
import { atOnce } from '../../base/yield-control.ts';
import type { Config } from '../../config.ts';
import type { CommandContext, Decidable } from '../../engine/command.ts';
import { switchEnvironment } from '../../features/environments/commands.ts';
import { type ImportResult, importFeatures } from '../../features/import-export/import.ts';
import type { ImportInput } from '../../features/import-export/import-input.ts';
import { mendedData } from '../../features/import-export/mended-import.ts';
import { importPlan } from '../../features/import-export/plan.ts';
import { ImportData } from '../../features/import-export/schemas.ts';

/** What a start changes in the store because the environment asks for it. */
export interface StartChanges {
  /** The flags of `IMPORT_FILE`; null without one. */
  readonly flags: ImportInput | null;
  readonly importFlags: Decidable<ImportInput, ImportResult>;
  /** Switches the environments of `ENABLED_ENVIRONMENTS` on. Returns those that do not exist. */
  switchOn(context: CommandContext): readonly string[];
}

/**
 * Reads `IMPORT_FILE`, and checks all of it that does not depend on the content of the store. This module is loaded only by a server whose environment
 * asks for such changes.
 * @throws ConfigError
 */
export async function readStartChanges(config: Config): Promise<StartChanges> {
  const { enabledEnvironments } = config;
  return {
    flags: await readImportFile(config),
    importFlags: importFeatures,
    switchOn: (context) =>
      enabledEnvironments.filter(
        (name) => switchEnvironment.decide(context, { name, enabled: true }) instanceof Rejection,
      ),
  };
}

/** @throws ConfigError */
async function readImportFile({
  importFile: path,
  importProject,
  importEnvironment,
  importBodyLimitBytes,
}: Config): Promise<ImportInput | null> {
  if (path === '') return null;
  const sent = parsed(await textOf(path, importBodyLimitBytes), path);
  const data = conforms(ImportData, sent) ? sent : atOnce(mendedData(ImportData, sent));
  const problem = validate(ImportData, data, 'data');
  if (problem) {
    const [first] = problem.details;
    throw new ConfigError(
      `IMPORT_FILE: ${path} is not an export of flags (POST /api/admin/features-batch/export): ${first?.message ?? problem.message}`,
    );
  }
  const plan = atOnce(importPlan(importProject, importEnvironment, data as ImportData));
  const [wrong] = plan.problems;
  if (wrong) throw new ConfigError(`IMPORT_FILE: ${path}: ${wrong.message} ${wrong.item}`);
  return { ...plan, keepsUnchanged: true };
}

async function textOf(path: string, bytesMax: number): Promise<string> {
  try {
    return (await readBoundedFile(path, bytesMax)).toString();
  } catch (error) {
    if (error instanceof FileProblem) throw new ConfigError(`IMPORT_FILE: ${path}: ${error.message}`);
    throw error;
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`IMPORT_FILE: ${path} is not JSON: ${(error as Error).message}`);
  }
}
