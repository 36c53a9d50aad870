import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useProjects } from '../../data/settings.ts';
import type { Segment } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { area, FieldList, text } from '../../parts/fields.tsx';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { Constraints } from '../../strategies/Constraints.tsx';
import { constraintsProblem } from '../../strategies/condition.ts';
import { constraintSentences } from '../../words/en/differences.ts';
import { parts } from '../../words/en/parts.ts';
import { usedBy, segments as words } from '../../words/en/segments.ts';
import { createSegment, EMPTY, type SegmentValues, saveSegment, segmentUseQuery, valuesOf } from './segment-data.ts';

interface FieldsProps {
  readonly values: SegmentValues;
  readonly saved?: SegmentValues;
  readonly onChange: (values: SegmentValues) => void;
}

const NAMED = {
  name: text(parts.name, { max: 100, isRequired: true }),
  description: area(parts.description, { max: 2000 }),
};

function Fields({ values, saved, onChange }: FieldsProps) {
  const { data: projects = [] } = useProjects();
  return (
    <>
      <FieldList
        fields={NAMED}
        values={values}
        isNew={saved === undefined}
        onChange={(_, changed) => onChange({ ...values, ...changed })}
      />
      <Field label={parts.project} hint={words.projectHint}>
        <Combobox
          placeholder={parts.allProjects}
          value={values.project}
          onChange={(project) => onChange({ ...values, project })}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Constraints
        isSegment
        constraints={values.constraints}
        saved={saved?.constraints}
        onChange={(constraints) => onChange({ ...values, constraints })}
      />
    </>
  );
}

const problemOf = ({ name, constraints }: SegmentValues, saved?: SegmentValues) =>
  name.trim() === '' ? parts.fieldMissing(parts.name) : constraintsProblem(constraints, saved?.constraints);

export function CreateSegment({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (segment: Segment) => void;
}) {
  const [values, setValues] = useKept('values', EMPTY);
  const mayNot = useMay(['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], values.project ?? undefined);
  return (
    <EditPanel<Segment>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problemOf(values)}
      label={words.create}
      save={() => createSegment(values)}
      saved={{ text: words.created(values.name.trim()), refresh: [keys.segments] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}

const NAMES = { name: parts.name, description: parts.description, project: parts.project } as const;

/** All that differs, in sentences. */
function sentencesOf(before: SegmentValues, after: SegmentValues): string[] {
  return [...fieldSentences(before, after, NAMES), ...constraintSentences(before.constraints, after.constraints)];
}

export function EditSegment({ segment, onClose }: { readonly segment: Segment; readonly onClose: () => void }) {
  const [base] = useState(() => valuesOf(segment));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay(['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], base.project ?? undefined);
  const { data: use } = useQuery(segmentUseQuery(segment.id));
  const strategies = use?.strategies ?? [];
  const sentences = sentencesOf(base, values);
  const isChanged = sentences.length > 0;
  return (
    <EditPanel<unknown>
      title={segment.name}
      mayNot={mayNot}
      problem={problemOf(values, base)}
      sentences={sentences}
      effects={
        use && (
          <UsedBy
            title={isChanged ? usedBy.affected(strategies.length) : usedBy.title}
            strategies={strategies}
            requests={use.changeRequestStrategies}
            none={isChanged ? usedBy.noneAffected : usedBy.none}
          />
        )
      }
      save={(reason) => saveSegment(segment.id, (now) => same(now, base), values, reason)}
      saved={{ text: words.saved(values.name), canUndo: true, refresh: [keys.segments, keys.segment(segment.id)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} saved={base} onChange={setValues} />
    </EditPanel>
  );
}
