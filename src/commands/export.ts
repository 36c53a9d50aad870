import Type from 'typebox';
import { NameReference } from '../model/primitives.ts';
import { command } from './command.ts';

/** Writes down who took which flags out. Changes nothing else. */
export const recordExport = command({
  name: 'record-export',
  input: Type.Object({ environment: NameReference, features: Type.Array(NameReference) }),
  decide({ emit }, { environment, features }) {
    emit({ type: 'features-exported', environment, data: { features } });
  },
});
