import Type from 'typebox';
import { Nullable } from '../model/primitives.ts';
import { toldMark } from '../model/surplus-mark.ts';
import { command } from './command.ts';

const Revision = Type.Integer({ minimum: 1 });

const GivenUpInput = Type.Object({
  epoch: Type.String(),
  writeId: Type.String(),
  fromSeq: Revision,
  throughSeq: Revision,
  file: Nullable(Type.String()),
});

/** Tells in the audit trail which commits a replica gave up. Once, however many replicas held them and however often it is tried. Answers whether it told. */
export const tellSurplus = command({
  name: 'tell-surplus',
  input: GivenUpInput,
  decide({ draft, now, emit }, given): boolean {
    const id = toldMark(given);
    if (draft.get('surplusMarks', id)) return false;
    const { epoch, fromSeq, throughSeq, file } = given;
    draft.put('surplusMarks', { id, at: now });
    const writes = throughSeq - fromSeq + 1;
    emit({
      type: 'history-surplus',
      data: { epoch, fromRevision: fromSeq, throughRevision: throughSeq, writes, file },
    });
    return true;
  },
});
