import { useState } from 'react';
import { useLocation } from 'wouter';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { FieldList, firstOf, problemIn, sentencesOf } from '../../parts/fields.tsx';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import {
  afterEndpoint,
  createEndpoint,
  endpointFields,
  type SignalEndpoint,
  saveEndpoint,
  valuesOf,
} from './signal-data.ts';

export function CreateEndpoint({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [values, setValues] = useKept('values', () => firstOf(endpointFields));
  return (
    <EditPanel<SignalEndpoint>
      title={words.createTitle}
      mayNot={useMay('ADMIN')}
      problem={problemIn(endpointFields, values, true)}
      label={parts.create}
      save={() => createEndpoint(values)}
      saved={{ text: words.created(values.name.trim()), refresh: [keys.signalEndpoints] }}
      // Without a token, no monitor can use it: the form of the first one follows.
      onSaved={({ id }) => navigate(path('signal', { id }, { panel: 'token' }), { replace: true })}
      onClose={onClose}
    >
      <FieldList isNew fields={endpointFields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

interface EditProps {
  readonly endpoint: SignalEndpoint;
  readonly onClose: () => void;
}

export function EditEndpoint({ endpoint, onClose }: EditProps) {
  const [before] = useState(endpoint);
  const [base] = useState(() => valuesOf(endpoint));
  const [values, setValues] = useKept('values', base);
  const { id } = endpoint;
  return (
    <EditPanel<SignalEndpoint>
      title={words.editTitle(endpoint.name)}
      mayNot={useMay('ADMIN')}
      problem={problemIn(endpointFields, values, false)}
      sentences={sentencesOf(endpointFields, base, values)}
      effects={values.name !== base.name && <Banner tone="warn">{words.renamed}</Banner>}
      save={(reason) => saveEndpoint(before, values, reason)}
      saved={{ text: words.saved(values.name.trim()), refresh: afterEndpoint(id) }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={endpointFields} values={values} onChange={setValues} />
    </EditPanel>
  );
}
