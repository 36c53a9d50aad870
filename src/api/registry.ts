import { createRegistry } from '../http/registry.ts';
import { featureEndpoints } from './admin/features.ts';
import { clientFeatureEndpoints } from './client/features.ts';
import { operationalEndpoints } from './operational.ts';

/** Every route of Burgee. */
export const endpoints = createRegistry([operationalEndpoints, clientFeatureEndpoints, featureEndpoints]);
