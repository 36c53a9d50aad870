import type { ReactNode } from 'react';
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
  readonly limit: ValuesLimit | undefined;
  /** The saved strategy or segment has the same constraint. */
  readonly isKept: boolean;
  readonly remove: ReactNode;
  readonly onChange: (constraint: Constraint) => void;
}

/** A condition on a context field. */
export function ConstraintEditor({ constraint, limit, isKept, remove, onChange }: ConstraintEditorProps) {
  const { data: fields = [] } = useContextFields();
  const field = fields.find(({ name }) => name === constraint.contextName);
  return (
    <ConditionEditor
      condition={constraint}
      names={[...new Set([...fields.map(({ name }) => name), ...FIELDS_OF_SDKS])]}
      nameLabel={words.context}
      newNameIs={words.newContext}
      warnings={<UnknownNames constraints={[constraint]} />}
      remove={remove}
      legal={field?.legalValues?.map(({ value }) => value)}
      limit={limit}
      missing={missingIn(constraint)}
      isKept={isKept}
      onChange={onChange}
    />
  );
}
