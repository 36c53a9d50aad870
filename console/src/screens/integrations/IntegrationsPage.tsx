import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useUrlState } from '../../data/url-state.ts';
import { ListScreen } from '../../parts/ListScreen.tsx';
import { path } from '../../paths.ts';
import { CreateIntegration } from './IntegrationPanels.tsx';
import { integrationsQuery } from './integration-data.ts';
import { INTEGRATIONS } from './integrations.tsx';

function Create({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [, setProvider] = useUrlState('provider');
  const { data } = useQuery(integrationsQuery);
  // A deprecated provider is only for integrations that have it already.
  const [first, ...others] = (data?.providers ?? []).filter(({ deprecated }) => deprecated === undefined);
  if (!first) return null;
  return (
    <CreateIntegration
      providers={[first, ...others]}
      onCreated={({ id }) => navigate(path('integration', { id }), { replace: true })}
      onClose={() => {
        setProvider('');
        onClose();
      }}
    />
  );
}

/** All integrations, with the panel that the address says. */
export const IntegrationsPage = () => (
  <ListScreen of={INTEGRATIONS} create={(onClose) => <Create onClose={onClose} />} />
);
