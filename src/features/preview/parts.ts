import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';

/** Maximum number of concurrent previews, in total and of one caller. The examples of a preview may need some megabytes. */
const PREVIEWS_MAX = 8;
const PREVIEWS_OF_CALLER_MAX = 2;

interface PreviewParts {
  /** Counts the previews in progress by caller. */
  readonly previewQuota: PerKeyQuota<string>;
}

declare module '../services.ts' {
  interface FeatureParts extends PreviewParts {}
}

export function previewParts(): PreviewParts {
  return { previewQuota: new PerKeyQuota(PREVIEWS_MAX, PREVIEWS_OF_CALLER_MAX) };
}
