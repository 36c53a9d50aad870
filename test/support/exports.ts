/** A constraint that only the user u satisfies. */
export const IN_FOR_U = { contextName: 'userId', operator: 'IN', values: ['u'] };

/** An export of one flag that is on for the user u; `more` replaces or adds lists. */
export function exportOf(name: string, more: object = {}) {
  return {
    features: [{ name, type: 'experiment', description: 'imported', stale: true, impressionData: true }],
    featureStrategies: [{ featureName: name, name: 'default', parameters: {}, constraints: [IN_FOR_U] }],
    featureEnvironments: [{ featureName: name, environment: 'elsewhere', name, enabled: true, variants: [] }],
    ...more,
  };
}

/** The body of an import into `development` of the default project. */
export const importBody = (data: object, more: object = {}) => ({
  project: 'default',
  environment: 'development',
  data,
  ...more,
});
