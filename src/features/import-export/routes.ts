import { visibleProjects } from '../../access/visibility.ts';
import { isoTime } from '../../base/clock.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import { ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { DEFAULT_PROJECT } from '../../model/project.ts';
import { Draft } from '../../state/draft.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { findEnvironment } from '../shared/lookup.ts';
import { type Export, exportOf, selectForExport } from './export.ts';
import { importFeatures, type PreparedImport, prepareImport } from './import.ts';
import type { ImportInput } from './import-input.ts';
import { mendedImport } from './mended-import.ts';
import { importPlan } from './plan.ts';
import { recordExport } from './record-export.ts';
import { ExportQuery, ExportResult, ImportBody, ImportResult, ImportValidation } from './schemas.ts';
import { importWarnings } from './warnings.ts';

const route = routesOf('Import/Export');

const exportFeatures = route('POST /api/admin/features-batch/export', 'exportFeatures', {
  access: { permission: 'READ' },
  summary: 'Exports flags with their configuration in one environment',
  description:
    'Archived flags are left out, unless they are named. The export has the context fields, tag types and segments that the flags refer to. ' +
    'Of a segment, it has only the id and the name: the service that imports the export must already have the segment.',
  body: ExportQuery,
  responses: { 200: { description: 'The export', schema: ExportResult } },
  errors: [404],
  async handle({ body, caller, asker }, { state, writer, clock, fixedStates }) {
    const environment = findEnvironment(state, body.environment);
    if (environment instanceof Rejection) return environment;
    const selected = await fixedStates.work<Export | Rejection>('an export', asker, function* (now) {
      const features = yield* selectForExport(now, body, visibleProjects(now, caller));
      return features instanceof Rejection ? features : yield* exportOf(now, features, environment.name);
    });
    if (selected instanceof Rejection) return selected;
    const { names, pieces } = selected;
    // The result is ignored: an export is a read, and succeeds even if the store accepts no writes, so that this event cannot be recorded.
    await writer.submit(recordExport, { environment: environment.name, features: names }, caller);
    if (body.downloadFile !== true) return { status: 200, pieces };
    const file = `export-${isoTime(clock.nowMs()).replace(/[:.]/g, '-')}.json`;
    return { status: 200, pieces, headers: { 'content-disposition': `attachment; filename="${file}"` } };
  },
});

const validateImport = route('POST /api/admin/features-batch/validate', 'validateImport', {
  access: { permission: 'UPDATE_FEATURE', project: 'body.project' },
  summary: 'Checks an import, and changes nothing',
  body: ImportBody,
  mend: mendedImport,
  bodyLimit: 'import',
  responses: { 200: { description: 'Errors and warnings', schema: ImportValidation } },
  errors: [404],
  async handle({ body, caller, asker }, services) {
    const { state, clock } = services;
    const slicer = Slicer.of(asker);
    const { project = DEFAULT_PROJECT, environment, data } = body;
    const plan = await inSlices(importPlan(project, environment, data), slicer);
    const outcome = await inSlices(tryImport(services, plan, caller, isoTime(clock.nowMs())), slicer);
    if (outcome instanceof Rejection) return outcome;
    const warnings = await inSlices(importWarnings(state, plan, data), slicer);
    return ok({
      errors: outcome.errors.list(),
      warnings: [...outcome.warnings.list(), ...warnings.list()],
      permissions: outcome.missingPermissions.list(),
    });
  },
});

/**
 * Decides the import and discards the result. Flags are checked one by one against the live state, and commits may happen between two flags: each
 * result was true when the flag was checked. A later import can have another result.
 */
function tryImport(
  { state, config: { limits } }: Services,
  plan: ImportInput,
  caller: Caller,
  now: string,
): Steps<PreparedImport | Rejection> {
  return prepareImport(
    {
      draft: new Draft(state),
      caller,
      by: caller.author,
      now,
      newId: () => '',
      emit: () => {},
      limits,
      whenRemoved: [],
    },
    plan,
  );
}

/** Maximum number of items of one warning in the log. The answer has more of them. */
const LOGGED_ITEMS_MAX = 20;

const importProjectFeatures = route('POST /api/admin/features-batch/import', 'importFeatures', {
  access: { permission: 'UPDATE_FEATURE', project: 'body.project' },
  summary: 'Imports an export into one environment of a project',
  description:
    'Missing flags, context fields and tag types are created. For a flag that exists, the import replaces metadata and tags, and in the ' +
    'environment strategies, variants and on/off state; it adds dependencies. Segments are found by name and must exist. ' +
    'A flag that cannot be imported is left out, and so is a dependency on an archived flag; the answer names them. If no flag is left, or if a ' +
    'segment is missing, nothing is imported.',
  body: ImportBody,
  mend: mendedImport,
  bodyLimit: 'import',
  responses: { 200: { description: 'What was imported, and what was left out', schema: ImportResult } },
  errors: [404, 409],
  async handle({ body, caller, asker }, services) {
    const { project = DEFAULT_PROJECT, environment, data } = body;
    const plan = await inSlices(importPlan(project, environment, data), Slicer.of(asker));
    return change(services, caller, importFeatures, plan, (result) => {
      const leftOut = result.warnings.map(({ message, affectedItems }) => ({
        message,
        affectedItems: affectedItems.slice(0, LOGGED_ITEMS_MAX),
      }));
      if (leftOut.length > 0)
        services.logger.warn({ project, environment, leftOut }, 'An import left out a part of its file');
      return ok(result);
    });
  },
});

export const importExportEndpoints = [exportFeatures, validateImport, importProjectFeatures];
