import { ListScreen } from '../../parts/ListScreen.tsx';
import { CreateEndpoint } from './EndpointPanels.tsx';
import { ENDPOINTS } from './endpoints.tsx';

export const SignalsPage = () => (
  <ListScreen of={ENDPOINTS} create={(onClose) => <CreateEndpoint onClose={onClose} />} />
);
