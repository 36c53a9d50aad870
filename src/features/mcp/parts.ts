import { builtWorker } from '../../base/built-worker.ts';
import type { Services } from '../services.ts';
import { McpThread } from './thread.ts';

interface McpParts {
  /** Answers messages of MCP clients. */
  readonly mcp: McpThread;
}

declare module '../services.ts' {
  interface FeatureParts extends McpParts {}
}

export function mcpParts({ config, logger, components }: Services): McpParts {
  const workerFile = builtWorker('features/mcp/mcp-worker');
  const mcp = new McpThread({ workerFile, logger, deadlineMs: config.handlerDeadlineMs });
  components.add({ name: 'mcp', close: () => mcp.close() });
  return { mcp };
}
