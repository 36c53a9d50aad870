import { builtWorker } from '../../base/built-worker.ts';
import type { Services } from '../services.ts';
import { BULK_WORKER, BulkService } from './service.ts';

interface BulkParts {
  readonly bulk: BulkService;
}

declare module '../services.ts' {
  interface FeatureParts extends BulkParts {}
}

export function bulkParts({ hashEncoding, components, logger }: Services): BulkParts {
  const bulk = new BulkService(builtWorker(BULK_WORKER), { hashEncoding }, logger);
  components.add({ name: 'bulk evaluation', close: () => bulk.close() });
  return { bulk };
}
