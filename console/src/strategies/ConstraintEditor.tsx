import { useContextFields } from '../data/settings.ts';
import type { Constraint } from '../domain/model.ts';
import { FIELDS_OF_SDKS } from '../domain/unknown-names.ts';
import { UnknownNames } from '../save/UnknownNames.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { ConditionEditor } from './ConditionEditor.tsx';
import { missingIn } from './condition.ts';
import type { ValuesLimit } from './ValuesEditor.tsx';

interface ConstraintEditorProps {
  readonly constraint: Constraint;
  readonly place: number;
  readonly limit: ValuesLimit | undefined;
  /** The saved strategy or segment has the same constraint. */
  readonly isKept: boolean;
  /** Null removes it. */
  readonly onChange: (constraint: Constraint | null) => void;
}

/** A condition on a context field. */
export function ConstraintEditor({ constraint, place, limit, isKept, onChange }: ConstraintEditorProps) {
  const { data: fields = [] } = useContextFields();
  const field = fields.find(({ name }) => name === constraint.contextName);
  return (
    <ConditionEditor
      condition={constraint}
      place={place}
      names={[...new Set([...fields.map(({ name }) => name), ...FIELDS_OF_SDKS])]}
      nameLabel={words.context}
      newNameIs={words.newContext}
      warnings={<UnknownNames constraints={[constraint]} />}
      removeLabel={words.removeConstraint}
      legal={field?.legalValues?.map(({ value }) => value)}
      limit={limit}
      missing={missingIn(constraint)}
      isKept={isKept}
      onChange={onChange}
    />
  );
}
