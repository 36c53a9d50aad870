import type { FeatureHttp } from '../feature-module.ts';
import { flagIndexEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: flagIndexEndpoints,
  examples: { 'getFlagIndex.since': '4711..all', 'getFlagIndex.fields': 'fingerprints' },
};
