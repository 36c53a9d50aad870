import { packedScript } from '../../base/built-worker.ts';
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
  // The bundle contains the SDK, which an installation for production does not have as a package.
  const workerFile = packedScript('mcp-worker');
  const mcp = new McpThread({ workerFile, logger, deadlineMs: config.handlerDeadlineMs });
  components.add({ name: 'mcp', close: () => mcp.close() });
  return { mcp };
}
