import Type from 'typebox';
import { longCommand } from '../../engine/command.ts';
import { NameReference } from '../../model/primitives.ts';

/**
 * Records who exported which flags, with one event per project, so that users see only events of projects that they may see. Changes nothing else.
 */
export const recordExport = longCommand({
  name: 'record-export',
  input: Type.Object({ environment: NameReference, features: Type.Array(NameReference) }),
  *decide({ draft, emit }, { environment, features }) {
    const byProject = new Map<string, string[]>();
    for (const name of features) {
      const project = draft.get('features', name)?.project;
      yield;
      // The flag was deleted after it was read.
      if (project === undefined) continue;
      const names = byProject.get(project) ?? [];
      byProject.set(project, names);
      names.push(name);
    }
    for (const [project, names] of byProject)
      emit({ type: 'features-exported', project, environment, data: { features: names } });
    if (byProject.size === 0) emit({ type: 'features-exported', environment, data: { features: [] } });
  },
});
