import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { parts } from '../../words/en/parts.ts';
import { IntegrationFields } from './IntegrationFields.tsx';
import {
  createIntegration,
  EMPTY,
  type Integration,
  type IntegrationValues,
  nameOf,
  type Provider,
  problemOf,
  saveIntegration,
  sentencesOf,
  valuesOf,
  withoutSecrets,
} from './integration-data.ts';

/** Without the parameters that another provider has. */
const fitted = (values: IntegrationValues, { parameters }: Provider): IntegrationValues => ({
  ...values,
  parameters: Object.fromEntries(parameters.map(({ name }) => [name, values.parameters[name] ?? ''])),
});

interface CreateProps {
  readonly providers: readonly [Provider, ...Provider[]];
  readonly onCreated: (integration: Integration) => void;
  readonly onClose: () => void;
}

export function CreateIntegration({ providers, onCreated, onClose }: CreateProps) {
  const [chosen, choose] = useUrlState('provider');
  const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
  const [typed, setValues] = useKept('values', EMPTY, undefined, (all) => withoutSecrets(all, EMPTY, provider));
  const values = fitted(typed, provider);
  return (
    <EditPanel<Integration>
      title={words.createTitle}
      mayNot={useMay('CREATE_ADDON')}
      problem={problemOf(provider, values)}
      label={parts.create}
      save={() => createIntegration(provider, values)}
      saved={{
        text: words.created(nameOf({ ...values, provider: provider.name }, providers)),
        refresh: [keys.integrations],
      }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={words.provider} hint={words.providerHint} required>
        <Select
          value={provider.name}
          onChange={choose}
          options={providers.map(({ name, displayName, description }) => ({
            value: name,
            label: displayName,
            hint: description,
          }))}
        />
      </Field>
      <IntegrationFields
        key={provider.name}
        provider={provider}
        values={values}
        stored={EMPTY.parameters}
        onChange={setValues}
      />
    </EditPanel>
  );
}

interface EditProps {
  readonly integration: Integration;
  readonly provider: Provider;
  readonly onClose: () => void;
}

export function EditIntegration({ integration, provider, onClose }: EditProps) {
  const [base] = useState(() => valuesOf(integration));
  const [values, setValues] = useKept('values', base, undefined, (all) => withoutSecrets(all, base, provider));
  const { id } = integration;
  const name = nameOf(integration, [provider]);
  return (
    <EditPanel<Integration>
      title={words.editTitle(name)}
      mayNot={useMay('UPDATE_ADDON')}
      problem={problemOf(provider, values)}
      sentences={sentencesOf(provider, base, values)}
      save={(reason) => saveIntegration(id, provider, base, values, reason)}
      saved={{ text: words.saved(name), refresh: [keys.integrations, keys.integration(id)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <IntegrationFields provider={provider} values={values} stored={base.parameters} onChange={setValues} />
    </EditPanel>
  );
}
