import { locationKey } from '../../model/change-request.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Whether changes in the environment of the project must be reviewed, and the number of required approvals. The number is null if changes need no
 * review.
 */
export function changeRequestConfig(
  reader: StateReader,
  project: string,
  environment: string,
): { readonly enabled: boolean; readonly requiredApprovals: number | null; readonly safeguardsSkipReview: boolean } {
  const config = reader.get('changeRequestConfigs', locationKey(project, environment));
  const safeguardsSkipReview = config?.safeguardsSkipReview ?? false;
  return config?.enabled
    ? { enabled: true, requiredApprovals: config.requiredApprovals, safeguardsSkipReview }
    : { enabled: false, requiredApprovals: null, safeguardsSkipReview };
}
